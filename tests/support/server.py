"""The server as a process of its own, for tests and measurements."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

GRADFLOW = (sys.executable, "-m", "gradflow")
_ADDRESS = re.compile(r"running on (http://\S+)")


@contextmanager
def serving(*, command: Sequence[str] = GRADFLOW, **settings: str | int | float) -> Iterator[str]:
    """A server on a free port; gives its address. ``settings`` are fields of `gradflow.backend.settings.Settings`."""
    with serving_with_log(command=command, **settings) as (address, _):
        yield address


@contextmanager
def serving_with_log(
    *, command: Sequence[str] = GRADFLOW, **settings: str | int | float
) -> Iterator[tuple[str, list[str]]]:
    """The same, with the lines of its log, which grow; all are there when the server has ended."""
    folder = tempfile.TemporaryDirectory()
    environment = {"XDG_DATA_HOME": folder.name}
    environment |= {f"GRADFLOW_{name.upper()}": str(value) for name, value in settings.items()}
    process = subprocess.Popen(
        [*command, "serve", "--port", "0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    log = _Log(process)
    try:
        yield log.address(), log.lines
    finally:
        process.terminate()
        process.wait()
        log.close()
        folder.cleanup()


def ready_address(process: subprocess.Popen[str]) -> str:
    """Where a server listens that was just started with its stderr as a pipe."""
    assert process.stderr is not None
    for line in process.stderr:
        found = _ADDRESS.search(line)
        if found is not None:
            return found[1]
    raise RuntimeError("The server did not come up.")


class _Log:
    """Reads what the server says, to the end: it must never wait for a full pipe."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        self._stream = process.stderr
        self.lines: list[str] = []
        self._up = threading.Event()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self._stream:
            self.lines.append(line)
            if _ADDRESS.search(line):
                self._up.set()
        self._up.set()

    def address(self) -> str:
        self._up.wait()
        text = "".join(self.lines)
        found = _ADDRESS.search(text)
        if found is None:
            raise RuntimeError(f"The server did not come up:\n{text}")
        return found[1]

    def close(self) -> None:
        self._reader.join()
        self._stream.close()
