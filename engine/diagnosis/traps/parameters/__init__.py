"""Traps of what is learned: parameters that an update does not reach, and terms of the loss that do not reach them."""
