"""Slips between two kinds of things: a function and its result, one sample and a batch, a name in a loop and what it was given."""
