"""``einops``: axes rearranged, reduced and repeated by patterns of their names, as programs import it."""
