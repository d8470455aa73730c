"""Errors of the backward pass, of leaves and of custom functions."""
