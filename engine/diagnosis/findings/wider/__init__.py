"""Mistakes that are mended where a value is made or given back, for it is used in several places."""
