"""`torch.autograd.Function`: the program's own operations."""
