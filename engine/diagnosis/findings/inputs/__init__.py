"""What goes into a call: values of another kind, dtype or number than it takes."""
