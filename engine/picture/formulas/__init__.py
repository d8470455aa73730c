"""The formulas of a picture: what functions compute backward, in letters and with their numbers and arrays."""
