"""What goes over the sockets.

Over the socket of one run: the service sends one frame, perhaps after one that says that there is time to rehearse, the
run answers with one frame, and when its process has ended the fork server adds a trailer of a fixed size. A run that was killed may have left its frame unfinished; the trailer is
the end in any case.

    frame    kind (1 byte), length of the payload (8 bytes), payload
    trailer  END (1 byte), Ending (1 byte), signal or exit status (1 byte)

Over the control socket the service orders a process for a run, with the run's socket attached, and later tells that it
sends the request, from when on the clock runs.

    order    PREPARE or BEGIN (1 byte), number of the run (8 bytes)
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

HEADER = struct.Struct("!cQ")
TRAILER = struct.Struct("!cBB")
ORDER = struct.Struct("!cQ")

REQUEST = b"Q"
REHEARSE = b"R"
ANSWER = b"A"
INVALID = b"I"
FAILED = b"F"
END = b"E"

PREPARE = b"P"
BEGIN = b"B"


class Ending(IntEnum):
    """How the process of a run ended."""

    EXITED = 0
    SIGNALLED = 1
    OVERDUE = 2
    NOT_STARTED = 3
    TOO_LONG = 4
    UNUSED = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """What the worker wrote: `ANSWER`, `INVALID` or `FAILED`, and its payload."""

    kind: bytes
    payload: bytes


@dataclass(frozen=True, slots=True)
class Killed:
    """The process ended before it had answered. ``code`` is the signal, or the exit status."""

    ending: Ending
    code: int


def frame(kind: bytes, payload: bytes) -> bytes:
    """``payload`` ready to be sent."""
    return HEADER.pack(kind, len(payload)) + payload


def read_exactly(descriptor: int, length: int) -> bytes:
    """The next ``length`` bytes; EOFError when there are fewer. For the process of a run, which may block."""
    parts = []
    while length:
        part = os.read(descriptor, min(length, 1 << 20))
        if not part:
            raise EOFError("the socket was closed")
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def read_request(descriptor: int, rehearse: Callable[[], object]) -> bytes:
    """The payload of the request. ``rehearse`` is called where the service says before that there is time for it."""
    while True:
        kind, length = HEADER.unpack(read_exactly(descriptor, HEADER.size))
        payload = read_exactly(descriptor, length)
        if kind == REQUEST:
            return payload
        rehearse()


def write_all(descriptor: int, data: bytes) -> None:
    """Send all of ``data``, however long it takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
