"""Causes that stand on another line, in another function or in a setting."""
