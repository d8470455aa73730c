"""From a declaration to the function that programs call."""
