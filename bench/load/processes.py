"""A server as a process, and what /proc says of it and of its children."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.server import _Log

_PATIENCE: Final = 30.0
"""Seconds that a server has to end by itself."""


class Server:
    """The service, with a folder for its links. It can be killed and started again on its port."""

    def __init__(self, folder: str, **settings: str | int | float) -> None:
        given = {f"GRADFLOW_{name.upper()}": str(value) for name, value in settings.items()}
        self._environment = {**os.environ, "XDG_DATA_HOME": folder, **given}
        self._port = "0"
        self.url = ""
        self.start()

    def start(self) -> None:
        """Up, and answering."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gradflow", "serve", "--port", self._port],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=self._environment,
        )
        self._log = _Log(self.process)
        self.url = self._log.address()
        self._port = self.url.rpartition(":")[2]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """To the end."""
        self.process.send_signal(how)
        try:
            self.process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()

    def tree(self) -> list[int]:
        """The processes of the service: its own first."""
        found = [self.process.pid]
        for pid in found:
            with contextlib.suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    found += map(int, (task / "children").read_text().split())
        return found

    def zombies(self) -> int:
        """Children that nobody has waited for."""
        return sum(_state(pid) == "Z" for pid in self.tree())

    def resident(self) -> float:
        """MiB that the service itself has in memory, without the processes of runs."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def descriptors(self) -> int:
        """How many are open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


@contextlib.contextmanager
def served(**settings: str | int | float) -> Iterator[Server]:
    """A server for a while."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, **settings)
        try:
            yield server
        finally:
            server.stop()
