"""Alembic's way into a database: over the connection that `gradflow.backend.storage.database` has opened."""

from __future__ import annotations

from alembic import context

from gradflow.backend.storage.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"], target_metadata=METADATA, transaction_per_migration=False
)
with context.begin_transaction():
    context.run_migrations()
