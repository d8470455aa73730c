"""One of a family where another one was meant: the layer for images for rows of features, the size that goes out for the one that comes in."""
