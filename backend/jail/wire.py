"""What goes over the sockets.

Over the socket of one run: the service sends one frame, perhaps after one that says that there is time to rehearse, and
the run answers with one frame, perhaps after a note for the log. Each kind of frame has a length that it may not exceed.
Where the frame is of the kind ONE_OF_MANY, the process then waits for the next (see `gradflow.backend.jail.plain`).

    frame    kind (1 byte), length of the payload (8 bytes), payload

Over the control socket, which no process of a run has, the service orders a process for a run, with the run's socket
attached, and later tells that it sends the request, from when on the clock runs, and who goes first: plain programs before others,
and last those of a client that has used much; or that the answer has come and the process is to wait for another request. The fork server tells how each process
ended, or that it waits again, and what it cost: nothing that a run writes can be taken for that.

    order    PREPARE, BEGIN_FIRST, BEGIN, BEGIN_LAST or REST (1 byte), number of the run (8 bytes)
    report   number of the run (8 bytes), Ending (1 byte), signal or exit status (1 byte), processor time (seconds, 8 bytes)
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

HEADER = struct.Struct("!cQ")
ORDER = struct.Struct("!cQ")
REPORT = struct.Struct("!QBBd")

REQUEST = b"Q"
ONE_OF_MANY = b"M"
REHEARSE = b"R"
NOTE = b"N"
ANSWER = b"A"
INVALID = b"I"
FAILED = b"F"

PREPARE = b"P"
BEGIN_FIRST = b"F"
BEGIN = b"B"
BEGIN_LAST = b"L"
REST = b"S"

MAX_TEXT = 16_384
"""Bytes of a note, of a reason why a request is invalid, of what is said of a failure."""


class Ending(IntEnum):
    """How the process of a run ended, or that it rests."""

    EXITED = 0
    SIGNALLED = 1
    OVERDUE = 2
    NOT_STARTED = 3
    TOO_LONG = 4
    UNUSED = 5
    MALFORMED = 6
    RESTS = 7


@dataclass(frozen=True, slots=True)
class Answer:
    """What the worker wrote: `ANSWER`, `INVALID` or `FAILED`, its payload, and a note for the log."""

    kind: bytes
    payload: bytes
    note: bytes = b""


@dataclass(frozen=True, slots=True)
class Killed:
    """The process ended before it had answered. ``code`` is the signal, or the exit status."""

    ending: Ending
    code: int


@dataclass(frozen=True, slots=True)
class Report:
    """How the process of a run ended, and the processor time, in seconds, that it took since it was reported last. ``code``
    is the signal, or the exit status; of one that rests, whether it had to give way to others, for good."""

    ending: Ending
    code: int
    cpu: float


def frame(kind: bytes, payload: bytes) -> bytes:
    """``payload`` ready to be sent."""
    return HEADER.pack(kind, len(payload)) + payload


def cut(text: str) -> bytes:
    """A text as the payload of a frame that has a length."""
    return text.encode(errors="replace")[:MAX_TEXT]


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


def read_request(descriptor: int, rehearse: Callable[[], object]) -> tuple[bytes, bool]:
    """The payload of the request, and whether another may follow. ``rehearse`` is called where the service says before that
    there is time for it."""
    while True:
        kind, length = HEADER.unpack(read_exactly(descriptor, HEADER.size))
        payload = read_exactly(descriptor, length)
        if kind != REHEARSE:
            return payload, kind == ONE_OF_MANY
        rehearse()


def write_all(descriptor: int, data: bytes) -> None:
    """Send all of ``data``, however long it takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
