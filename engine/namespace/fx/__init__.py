"""``torch.fx``: graphs of what a module or a function computes, traced by symbols."""
