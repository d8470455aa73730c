"""Findings about where a value came from: through functions, out of containers, along the recorded graph."""
