"""The modules below ``numpy``: random numbers, windows and texts."""
