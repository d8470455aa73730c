"""Mistakes where what was meant stands beside what was used: the copy, the other half of a pair, the other end of a row."""
