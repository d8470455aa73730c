"""Files as one run sees them: texts and bytes in its memory, under paths that lead nowhere else."""
