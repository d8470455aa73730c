"""Traps that the record of a run proves: memory that is shared, graphs that are gone through again, numbers that cannot be meant."""
