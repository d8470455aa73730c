"""How much of a run is written, so that its JSON stays within a number of bytes."""
