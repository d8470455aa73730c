"""The tables of short links."""

from __future__ import annotations

import secrets
from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "links"
down_revision: Final = None

_KEY_BYTES: Final = 32


def upgrade() -> None:
    """The tables, and the secret of this database."""
    op.create_table(
        "links",
        sa.Column("id", sa.String(52), primary_key=True),
        sa.Column("fragment", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("client", sa.String(32), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("renewed", sa.BigInteger, nullable=False),
    )
    op.create_index("links_of_a_client", "links", ["client", "created"])
    op.create_index("links_by_age", "links", ["renewed"])
    keys = op.create_table(
        "keys",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )
    op.bulk_insert(keys, [{"name": "clients", "value": secrets.token_bytes(_KEY_BYTES)}])


def downgrade() -> None:
    """Without links."""
    op.drop_table("keys")
    op.drop_table("links")
