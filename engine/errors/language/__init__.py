"""Errors of Python, of calls and of the text of a program."""
