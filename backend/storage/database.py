"""A database that is ready: reached, and with its tables brought up to date under a lock."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError

MIGRATIONS: Final = Path(__file__).with_name("migrations")
NONE: Final = "none"
"""The setting with which there is no database."""
_PATIENCE: Final = 5
"""Seconds that a statement may take, or wait for another."""
_LOCK: Final = 0x67726164
"""The number of PostgreSQL's advisory lock, of this application."""


class Unusable(Exception):
    """There is no database to work with. The message is for the operator."""


def default_url() -> URL:
    """A file in the user's folder for data."""
    folder = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return URL.create("sqlite", database=str(Path(folder) / "gradflow" / "gradflow.sqlite3"))


def connect(setting: str) -> Engine:
    """The database of the setting ``database_url``, up to date. Raises `Unusable`."""
    try:
        url = _with_driver(make_url(setting)) if setting else default_url()
        engine = _engine(url)
    except (SQLAlchemyError, ImportError, RuntimeError, ValueError) as error:
        raise Unusable(_told(error)) from error
    try:
        _bring_up_to_date(engine)
    except (SQLAlchemyError, CommandError, OSError) as error:
        engine.dispose()
        raise Unusable(_told(error)) from error
    return engine


def _told(error: Exception) -> str:
    return " ".join(str(getattr(error, "orig", None) or error).split())


def _with_driver(url: URL) -> URL:
    """``postgresql://`` and ``postgres://`` as operators are given them, by psycopg."""
    return url.set(drivername="postgresql+psycopg") if url.drivername in ("postgresql", "postgres") else url


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        return _sqlite(url)
    if url.get_backend_name() == "postgresql":
        options = f"-c statement_timeout={_PATIENCE}s -c lock_timeout={_PATIENCE}s"
        arguments = {"connect_timeout": _PATIENCE, "options": options}
        return create_engine(url, pool_pre_ping=True, pool_timeout=_PATIENCE, connect_args=arguments)
    raise ValueError(f"{url.get_backend_name()} is neither sqlite nor postgresql")


def _sqlite(url: URL) -> Engine:
    if not url.database or url.database == ":memory:":
        raise ValueError("a database of SQLite is a file: sqlite:////data/gradflow.sqlite3")
    engine = create_engine(url, pool_timeout=_PATIENCE, connect_args={"timeout": _PATIENCE})
    event.listen(engine, "connect", _make_durable)
    return engine


def _make_durable(connection: Any, record: object) -> None:
    """A transaction that is committed is on the disk."""
    for setting in ("journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {setting}")


def _bring_up_to_date(engine: Engine) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with _alone(engine), engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            _wait_for_others(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()


@contextlib.contextmanager
def _alone(engine: Engine) -> Iterator[None]:
    """Of the processes that open one file of SQLite, one at a time is here."""
    if engine.dialect.name != "sqlite":
        yield
        return
    assert engine.url.database is not None
    file = Path(engine.url.database)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.with_name(f"{file.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _wait_for_others(connection: Connection) -> None:
    """Until the end of this transaction."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
