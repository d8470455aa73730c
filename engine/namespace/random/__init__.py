"""Random tensors, samples and generators."""
