"""Repairs: edits that make a program out of a text that is none."""
