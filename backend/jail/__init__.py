"""One run, one process: fork, confine, run, answer."""
