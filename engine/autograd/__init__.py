"""Nodes, views, hooks, custom functions and the backward pass."""
