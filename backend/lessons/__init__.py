"""Lessons: what a file of one says, how its checks read a trace, and which lessons a server gives.

`docs/teaching.md` describes the format.
"""
