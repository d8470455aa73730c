"""Loops that count their turns: too far, of something else, from one."""
