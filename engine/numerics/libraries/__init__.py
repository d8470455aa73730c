"""Functions in the steps of the libraries that PyTorch asks, where their last digits are not the right ones."""
