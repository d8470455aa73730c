"""Causes that stand away from the line that fails: where a tensor became what it is, where a layer was made."""
