"""The transformations of `torch.func` in progress."""
