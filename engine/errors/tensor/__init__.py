"""Errors of shapes, indices, dtypes and elements."""
