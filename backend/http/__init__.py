"""Routes, schemas, and what holds for every request."""
