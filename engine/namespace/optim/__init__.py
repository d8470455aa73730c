"""``torch.optim``: optimizers and schedules of the learning rate."""
