"""``torch.nn``: parameters, modules, layers, losses and initial values."""
