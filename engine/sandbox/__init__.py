"""What a program may write, name and touch."""
