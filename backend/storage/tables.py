"""The tables, as SQLAlchemy's expressions name them. What makes them in a database is `migrations`."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, String, Table, Text

METADATA = MetaData()

LINKS = Table(
    "links",
    METADATA,
    Column("id", String(52), primary_key=True),
    Column("fragment", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("client", String(32), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("renewed", BigInteger, nullable=False),
    Index("links_of_a_client", "client", "created"),
    Index("links_by_age", "renewed"),
)
"""Times in seconds since 1970; ``renewed`` is when the same was last stored. ``client`` is a keyed hash of an address."""

KEYS = Table(
    "keys", METADATA, Column("name", String(32), primary_key=True), Column("value", LargeBinary, nullable=False)
)
"""Secrets of this database: under ``clients`` that of the hash of addresses."""
