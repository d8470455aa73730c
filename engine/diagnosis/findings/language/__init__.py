"""Findings about Python itself: keys that are not there, names that are taken."""
