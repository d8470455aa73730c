"""Each file is one step, and names the one before it."""
