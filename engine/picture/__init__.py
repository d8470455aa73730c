"""The server's pictures: what of a trace is alive in a turn, how it folds until it can be taken in, and its drawing."""
