"""Findings about how things are used: what is given to a model, to an optimizer, to a distribution, and in which"
" number."""
