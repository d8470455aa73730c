"""Findings of what happens in and around the graph: leaves that are written, states that are kept, results that get lost."""
