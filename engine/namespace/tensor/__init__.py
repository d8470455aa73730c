"""Methods of Tensor, its types and devices."""
