"""What Python's own types do wrong when the program's code, which they call meanwhile, changes what they work on."""
