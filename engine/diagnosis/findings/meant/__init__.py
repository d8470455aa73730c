"""What the program has already, or computes a little otherwise, and what was meant with it."""
