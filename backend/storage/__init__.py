"""What outlives the service: short links, in SQLite or PostgreSQL."""
