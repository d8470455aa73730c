"""The rules of a run: the mathematics of its functions, in LaTeX, for the arguments that they were given."""
