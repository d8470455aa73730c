"""Traps that nobody sees in the program itself: what is cut from the graph, used up, drawn again, or let through."""
