"""Errors of layers, losses and optimizers."""
