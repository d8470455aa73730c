"""Pictures made files of, in a process with limits."""
