"""What is generated from the source: `make generate`, `make check-generated`."""
