"""Pictures drawn by Graphviz, in a process with limits."""
