"""What PyTorch shows under its public module paths besides tensors, layers and optimizers."""
