"""Linear algebra, Fourier transforms and distances."""
