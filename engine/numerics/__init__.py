"""NumPy kernels that know no tensor."""
