"""Workers that stand in for the engine in tests of the jail. The fork server imports this module by its name.

The request names a function below; its result, as text, is the answer. What it does, it does inside the walls.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import os
import resource
import signal
import socket
import threading
from collections.abc import Callable
from mmap import PROT_EXEC, PROT_READ, PROT_WRITE, mmap

from gradflow.backend.jail import wire

_visits: list[int] = []
_rehearsals: list[None] = []


_descriptor = -1


def make(options: dict[str, float]) -> Callable[[int], None]:
    """The worker: one frame in, one frame out, and again where another may follow."""

    def work(descriptor: int) -> None:
        global _descriptor
        _descriptor, more = descriptor, True
        while more:
            name, more = wire.read_request(descriptor, lambda: _rehearsals.append(None))
            try:
                answer = str(globals()[name.decode()]())
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
            wire.write_all(descriptor, wire.frame(wire.ANSWER, answer.encode()))

    return work


def greet() -> str:
    return "hello"


def process() -> int:
    return os.getpid()


def talk() -> str:
    return "x" * 4_000_000


def talk_twice() -> str:
    wire.write_all(_descriptor, wire.frame(wire.ANSWER, b"one"))
    return "two"


def recurse() -> str:
    return f"RecursionError at visit {count_visits()}"


def count_rehearsals() -> int:
    return len(_rehearsals)


def count_visits() -> int:
    _visits.append(1)
    return len(_visits)


def spin() -> None:
    while True:
        pass


def allocate() -> int:
    return len(bytearray(1 << 34))


def die() -> None:
    ctypes.CDLL(None).abort()


def fall_silent() -> None:
    os._exit(3)


def open_for_reading() -> object:
    with open("/etc/hostname", encoding="utf-8") as file:
        return file.read()


def open_for_writing() -> object:
    with open("/tmp/gradflow-escape", "w", encoding="utf-8") as file:
        return file.write("x")


def list_folder() -> object:
    return os.listdir("/")


def remove_file() -> None:
    os.unlink("/tmp/gradflow-no-such-file")


def make_socket() -> object:
    return socket.socket()


def make_pair() -> object:
    return socket.socketpair()


def fork() -> object:
    return os.fork()


def start_thread() -> None:
    threading.Thread(target=greet).start()


def execute() -> None:
    os.execv("/bin/true", ["true"])


def kill_parent() -> None:
    os.kill(os.getppid(), signal.SIGKILL)


def raise_limits() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def trace_parent() -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    outcome = libc.ptrace(16, 1, 0, 0)
    return f"{outcome} {os.strerror(ctypes.get_errno())}"


def make_memory_executable() -> object:
    return mmap(-1, 4096, prot=PROT_READ | PROT_WRITE | PROT_EXEC)


def read_standard_input() -> bytes:
    return os.read(0, 10)


def descriptors() -> str:
    """Every descriptor that is open, told by a call that the walls let through."""
    return " ".join(str(number) for number in range(4096) if _is_open(number))


def environment() -> str:
    return " ".join(sorted(os.environ))


def _is_open(number: int) -> bool:
    try:
        os.lseek(number, 0, os.SEEK_CUR)
    except OSError as error:
        return error.errno != errno.EBADF
    return True


def frozen() -> bool:
    return gc.get_freeze_count() > 0
