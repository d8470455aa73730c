"""Causes that lie in what a function is given: grids, paddings, masks, matrices and batches that it cannot work with."""
