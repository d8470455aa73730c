"""What was acknowledged is there after the service was killed at any moment."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Final

import httpx

from tests.support.server import ready_address

ROUNDS: Final = int(os.environ.get("GRADFLOW_KILLS", "2"))
CLIENTS: Final = 4


def start(database: str) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "gradflow", "serve", "--port", "0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "GRADFLOW_DATABASE_URL": database, "GRADFLOW_LINKS_PER_DAY": "0"},
    )
    return process, ready_address(process)


def store_until_it_dies(address: str, who: str, acknowledged: dict[str, str]) -> None:
    with httpx.Client(base_url=address) as client:
        for number in range(100_000):
            fragment = f"code={who}-{number}-" + "x" * (number % 300)
            try:
                answer = client.post("/api/v1/links", json={"fragment": fragment})
            except httpx.HTTPError:
                return
            assert answer.status_code == 201
            acknowledged[answer.json()["id"]] = fragment


def check(address: str, acknowledged: dict[str, str]) -> None:
    with httpx.Client(base_url=address) as client:
        for name, fragment in acknowledged.items():
            assert client.get(f"/l/{name}").headers["location"] == f"/#{fragment}"


def test_every_acknowledged_link_is_readable_after_kill(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'links.sqlite3'}"
    acknowledged: dict[str, str] = {}
    chance = random.Random(9)
    for turn in range(ROUNDS):
        process, address = start(database)
        try:
            check(address, acknowledged)
            before = len(acknowledged)
            threads = [
                threading.Thread(target=store_until_it_dies, args=(address, f"{turn}.{who}", acknowledged))
                for who in range(CLIENTS)
            ]
            for thread in threads:
                thread.start()
            enough = before + chance.randrange(20, 80)
            give_up = time.monotonic() + 30
            while len(acknowledged) < enough and time.monotonic() < give_up:
                threading.Event().wait(chance.random() / 100)
            assert len(acknowledged) >= enough
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        for thread in threads:
            thread.join()
    process, address = start(database)
    try:
        check(address, acknowledged)
    finally:
        process.terminate()
        process.communicate()
