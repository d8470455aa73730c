"""How programs are rewritten so that their trace knows more than a run alone tells."""
