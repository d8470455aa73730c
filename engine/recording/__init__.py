"""Notes while a program runs; afterwards the Trace."""
