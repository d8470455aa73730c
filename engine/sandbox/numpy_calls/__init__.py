"""Calls of NumPy that trust what a program gives them: each with a look at its arguments, or in another form."""
