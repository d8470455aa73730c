"""Functions under `torch` that choose or combine operations."""
