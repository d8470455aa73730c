"""What the kernel lets a confined process do: that of a run, and that of a drawing."""
