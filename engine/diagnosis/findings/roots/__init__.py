"""Mistakes that stand far from where they show: in what made the value, or decided the branch."""
