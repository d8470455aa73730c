"""Fixes: edits that mend a program that ran into an error."""
