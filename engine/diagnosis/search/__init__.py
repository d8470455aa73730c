"""Small changes of the program around an error, likeliest first: a trial of each tells which of them was meant."""
