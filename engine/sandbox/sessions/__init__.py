"""What is pasted from an interactive session: lines of IPython that are no Python, and expressions that are echoed."""
