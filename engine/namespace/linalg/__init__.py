"""`torch.linalg`."""
