"""The same links in PostgreSQL, where its programs are installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from gradflow.backend.storage.database import connect
from gradflow.backend.storage.links import Bounds, Links, Stored, TooMany, names_of
from gradflow.backend.storage.tables import METADATA

FREE = Bounds(per_day=0, most=0, days=0)
pytestmark = pytest.mark.skipif(
    not (shutil.which("initdb") and shutil.which("postgres")), reason="PostgreSQL is not installed here"
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A database of its own, over a socket in a folder. PostgreSQL refuses to run as root."""
    user = {"user": "nobody", "extra_groups": []} if os.getuid() == 0 else {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        quiet = {
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            "cwd": name,
            "env": {**os.environ, "HOME": name},
        }
        data = folder / "data"
        initdb, postgres = str(shutil.which("initdb")), str(shutil.which("postgres"))
        subprocess.run([initdb, "-D", data, "-U", "gradflow", "-A", "trust", "--no-sync"], check=True, **quiet, **user)  # type: ignore[call-overload]
        server = subprocess.Popen([postgres, "-D", data, "-k", name, "-h", "", "-F"], **quiet, **user)  # type: ignore[call-overload]
        try:
            _wait_for(name)
            yield f"postgres://gradflow@/postgres?host={name}"
        finally:
            server.send_signal(signal.SIGINT)  # without waiting for clients
            server.wait()


def _wait_for(folder: str) -> None:
    for _ in range(200):
        try:
            psycopg.connect(host=folder, user="gradflow", dbname="postgres").close()
        except psycopg.OperationalError:
            threading.Event().wait(0.05)
        else:
            return
    raise RuntimeError("PostgreSQL did not come up.")


def test_links(address: str) -> None:
    links = Links(connect(address), Bounds(per_day=2, most=0, days=1))
    name = names_of("x=1")[0]
    assert links.store("x=1", "a") == Stored(name, True)
    assert links.store("x=1", "b") == Stored(name, False)
    assert links.find(name) == "x=1"
    links.store("x=2", "a")
    with pytest.raises(TooMany):
        links.store("x=3", "a")
    with links._engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    links.close()


def test_many_may_come_up_and_store_at_once(address: str) -> None:
    found: list[object] = []

    def work() -> None:
        try:
            links = Links(connect(address), FREE)
            found.append(links.store("y=1", "a").new)
            links.close()
        except BaseException as error:
            found.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found, key=repr) == [False] * 7 + [True]
