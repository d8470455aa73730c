"""`torch.autograd`, `torch.func` and the grad modes."""
