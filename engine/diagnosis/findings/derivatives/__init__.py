"""Findings about derivatives that a program takes itself: custom Functions, functions of functions, NaN on the way back."""
