"""Findings about models: what they load, what they are given, which dimension is meant."""
