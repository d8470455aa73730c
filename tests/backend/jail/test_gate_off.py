"""Hostile programs in the jail with the gate off, which is Python itself, the C library and system calls by number: none leaves.

What is outside is watched: a secret in a file, ports and sockets that nobody has reason to call, a folder, signals, processes;
where there is strace, also each system call. For a longer look: ``GRADFLOW_HOSTILE_SECONDS=1200``, or ``make hostile``.
"""

from __future__ import annotations

import itertools
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from gradflow.backend.helper_process import environment_of_runs
from tests.support.system_call_log import STRACE, Log, traced

ROOT: Final = Path(__file__).parents[3]
SECONDS: Final = float(os.environ.get("GRADFLOW_HOSTILE_SECONDS", "8"))
SEED: Final = int(os.environ.get("GRADFLOW_HOSTILE_SEED", "1"))
SLICE: Final = 60.0
CANARIES: Final = (Path("/dev/shm/gradflow-canary"), Path("/dev/mqueue/gradflow-canary"))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")


class Outside:
    """What programs might reach, and whether one did."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self.token = folder, secrets.token_hex(16)
        (folder / "secret").write_text(self.token)
        self.tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.udp.bind(("127.0.0.1", 0))
        self.unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        self.unix.bind(str(folder / "unix"))
        self.unix.listen()
        for each in (self.tcp, self.udp, self.unix):
            each.setblocking(False)

    def told(self) -> dict[str, Any]:
        """What programs know of it."""
        return {
            "backwards": self.token[::-1],
            "folder": str(self.folder),
            "secret": str(self.folder / "secret"),
            "tcp": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "unix": str(self.folder / "unix"),
        }

    def touched(self) -> list[str]:
        """What happened to it."""
        found = [name for name, each in (("tcp", self.tcp), ("unix", self.unix)) if _is_called(each.accept)]
        found += ["udp"] if _is_called(lambda: self.udp.recv(100)) else []
        found += [str(each) for each in self.folder.iterdir() if each.name not in ("secret", "unix", "log")]
        found += [] if (self.folder / "secret").read_text() == self.token else ["the secret was written"]
        return found + [str(each) for each in CANARIES if each.exists()]


def _is_called(receive: Any) -> bool:
    try:
        found = receive()
    except BlockingIOError:
        return False
    if isinstance(found, tuple):  # of `accept`
        found[0].close()
    return True


@contextmanager
def outside(folder: Path) -> Iterator[Outside]:
    with ExitStack() as stack:
        yield Outside(folder, stack)


def report(
    around: Outside, seconds: float, seed: int, programs: list[str], log: Path | None = None, walls: bool = True
) -> dict[str, Any]:
    """Of `tests.support.raw_jail`."""
    command = [sys.executable, "-P", "-m", "tests.support.raw_jail", str(seconds), str(seed)]
    command += [] if walls else ["--without-walls"]
    environment = environment_of_runs() | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    given = json.dumps(around.told() | {"programs": programs})
    command = traced(command, str(log)) if log else command
    done = subprocess.run(command, input=given, env=environment, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_nothing_leaves_the_jail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts: Counter[str] = Counter()
    log, until = Log(), time.monotonic() + SECONDS
    with outside(tmp_path) as around:
        for turn in itertools.count():
            if turn > 1 and time.monotonic() > until:
                break
            file = tmp_path / "log" if STRACE and turn % 2 else None  # half of them: what is watched runs slower
            told = report(around, min(SLICE, SECONDS / 2), SEED * 1000 + turn, [], file)
            if file:
                with file.open(encoding="utf-8", errors="replace") as lines:
                    log.read(lines)
            assert told["left"] == []
            assert told["signals"] == {}
            assert told["orphans"] == []
            assert around.touched() == []
            counts.update(programs=told["programs"], processes=told["processes"])
            counts.update({f"ended by {each}": number for each, number in told["endings"].items()})
    assert log.carried_out == [], "\n".join(log.carried_out)
    assert counts["programs"] >= 20
    if STRACE:
        assert log.refused.total() > 100
    with capsys.disabled():
        print(f"\n{dict(counts)}; refused: {log.refused.total()} system calls of {len(log.refused)} kinds")


@pytest.mark.parametrize(
    ("program", "seen"),
    [
        ("os.write(sorted(map(int, os.listdir('/proc/self/fd')))[-2], open(secret, 'rb').read())", "left"),
        ("os.kill(os.getppid(), 10)", "signals"),
        ("open(folder + '/made', 'w')", "touched"),
        ("import socket; socket.create_connection(('127.0.0.1', tcp)).send(b'a')", "touched"),
        ("import socket; socket.socket(2, 2).sendto(b'a', ('127.0.0.1', udp))", "touched"),
    ],
)
def test_what_leaves_is_seen(program: str, seen: str, tmp_path: Path) -> None:
    """With the walls left out."""
    with outside(tmp_path) as around:
        told = report(around, 0, 1, [f"import os\n{program}"], walls=False)
        found = around.touched() if seen == "touched" else told[seen]
    assert found


@pytest.mark.skipif(STRACE is None, reason="there is no strace")
def test_the_log_sees_what_is_carried_out(tmp_path: Path) -> None:
    log = Log()
    log.read(
        [
            "7 prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, {len=3, filter=0x1}) = 0",
            '7 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = -1 EPERM (Operation not permitted)',
            "7 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f00",
            '8 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3',
            "7 getdents64(3, ",
            "7 socket(AF_INET, SOCK_STREAM, IPPROTO_IP <unfinished ...>",
            "7 <... socket resumed>) = 4",
            "7 connect(4, {sa_family=AF_INET}, 16) = -1 EINPROGRESS (Operation now in progress)",
            "7 mprotect(0x7f00, 4096, PROT_READ|PROT_EXEC) = 0",
            "7 mmap(NULL, 4096, PROT_READ|0x20, MAP_SHARED|0x200, 5, 0) = -1 EINVAL (Invalid argument)",
            "7 syscall_0x150(0x242, 0x20000) = -1 ENXIO (No such device or address)",
            "7 syscall_0x40000187(0x7f00, 0) = 0x40000187",
            "7 +++ killed by SIGSYS +++",
        ]
    )
    assert log.refused == {"openat": 1, "syscall_0x150": 1, "of another kind (SIGSYS)": 1}
    assert [line.split("(")[0] for line in log.carried_out] == [
        "7 <... socket resumed>) = 4",
        "7 connect",
        "7 mprotect",
    ]
