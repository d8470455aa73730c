"""What is recorded from PyTorch, which is needed here and nowhere else: `make record`."""
