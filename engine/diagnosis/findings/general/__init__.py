"""Findings about whole classes of errors: sizes, calls and values, told by where each of them was made."""
