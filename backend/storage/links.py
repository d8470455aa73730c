"""Short links: the state of the page, kept under a name that is made of it.

The same is stored once. A link is on the disk before its name is told.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, Engine, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from gradflow.backend.storage.tables import KEYS, LINKS

SHORTEST_NAME: Final = 12
LONGEST_NAME: Final = 52
_DAY: Final = 86_400
_OVERHEAD: Final = 400
"""Bytes that a link takes beside its text, with its places in the indexes."""
_RENEWAL: Final = 3600
"""Storing again what is stored renews it, but not more often."""
_CLEANING: Final = 3600


class TooMany(Exception):
    """A client has stored as many links as it may in a day."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the next in {seconds} s")
        self.seconds = seconds


class NoRoom(Exception):
    """There are as many bytes of links as there may be."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """``per_day`` links a client, ``most`` bytes in all, each kept for ``days``; 0 is without limit."""

    per_day: int
    most: int
    days: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A link, and whether it was stored just now."""

    name: str
    new: bool


class Links:
    """The links of one database. Blocks while it reads and writes; raises SQLAlchemy's errors where that fails."""

    def __init__(self, engine: Engine, bounds: Bounds) -> None:
        self._engine = engine
        self._bounds = bounds
        self._cleaned = 0
        self._held = 0
        with engine.connect() as connection:
            self._key: bytes = connection.scalars(select(KEYS.c.value).where(KEYS.c.name == "clients")).one()

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def store(self, fragment: str, client: str) -> Stored:
        """Keep a fragment, for a client by its address. Raises TooMany, NoRoom."""
        now = int(time.time())
        self._clean(now)
        with self._engine.begin() as connection:
            for name in names_of(fragment):
                known = self._renewed(connection, name, fragment, now)
                if known is None:
                    size = len(fragment) + _OVERHEAD
                    new = self._insert(connection, name, fragment, size, self._hash(client), now)
                    if new:
                        self._held += size
                    return Stored(name, new)
                if known:
                    return Stored(name, False)
        raise AssertionError("Two texts with one SHA-256.")

    def find(self, name: str) -> str | None:
        """The fragment of this name; None when there is none, or none any more."""
        query = select(LINKS.c.fragment).where(LINKS.c.id == name, LINKS.c.renewed > self._oldest(int(time.time())))
        with self._engine.connect() as connection:
            return connection.scalars(query).one_or_none()

    def _renewed(self, connection: Connection, name: str, fragment: str, now: int) -> bool | None:
        """Whether this name is that of this fragment; None where it is nobody's."""
        row = connection.execute(select(LINKS.c.fragment, LINKS.c.renewed).where(LINKS.c.id == name)).one_or_none()
        if row is None:
            return None
        if row.fragment == fragment and now - row.renewed > _RENEWAL:
            connection.execute(update(LINKS).where(LINKS.c.id == name).values(renewed=now))
        return bool(row.fragment == fragment)

    def _insert(self, connection: Connection, name: str, fragment: str, size: int, client: str, now: int) -> bool:
        """Whether it was this call that stored it: another may have come first."""
        self._check_client(connection, client, now)
        if self._bounds.most and self._held + size > self._bounds.most:
            raise NoRoom
        row = {"id": name, "fragment": fragment, "size": size, "client": client, "created": now, "renewed": now}
        return connection.scalars(self._insertion().values(row).returning(LINKS.c.id)).one_or_none() is not None

    def _insertion(self) -> sqlite.Insert | postgresql.Insert:
        if self._engine.dialect.name == "postgresql":
            return postgresql.insert(LINKS).on_conflict_do_nothing(index_elements=["id"])
        return sqlite.insert(LINKS).on_conflict_do_nothing(index_elements=["id"])

    def _check_client(self, connection: Connection, client: str, now: int) -> None:
        recent = (LINKS.c.client == client, LINKS.c.created > now - _DAY)
        query = select(func.count(), func.min(LINKS.c.created)).where(*recent)
        count, first = connection.execute(query).one()
        if self._bounds.per_day and count >= self._bounds.per_day:
            raise TooMany(max(1, first + _DAY - now))

    def _hash(self, client: str) -> str:
        return hmac.new(self._key, client.encode(), hashlib.sha256).hexdigest()[:32]

    def _oldest(self, now: int) -> int:
        return now - self._bounds.days * _DAY if self._bounds.days else -1

    def _clean(self, now: int) -> None:
        """Forget what is too old, and count what is left: other processes store, too."""
        if now - self._cleaned < _CLEANING:
            return
        with self._engine.begin() as connection:
            if self._bounds.days:
                connection.execute(delete(LINKS).where(LINKS.c.renewed <= self._oldest(now)))
            self._held = connection.scalars(select(func.coalesce(func.sum(LINKS.c.size), 0))).one()
        self._cleaned = now


def names_of(fragment: str) -> list[str]:
    """Names for a fragment, the shortest first: the second is for when the first is another's."""
    digest = base64.b32encode(hashlib.sha256(fragment.encode()).digest()).decode().rstrip("=").lower()
    return [digest[:SHORTEST_NAME], digest[:LONGEST_NAME]]
