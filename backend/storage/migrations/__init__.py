"""How a database comes from one version of the tables to the next, by Alembic."""
