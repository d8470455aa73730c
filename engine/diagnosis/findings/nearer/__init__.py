"""Findings that go on to the line where a mistake was made, past the one where it shows first."""
