"""Workers that send what they like. The fork server imports this module by its name.

The request's program names the function below that is called with the descriptor of the run's socket.
"""

from __future__ import annotations

import json
import os
import random
import struct
import time
from collections.abc import Callable
from typing import Final

from gradflow.backend.jail import wire

TRACE: Final = {
    "schema": 2, "source": "", "stdout": "", "error": None,
    "tensors": [], "nodes": [], "edges": [], "passes": [],
}  # fmt: skip


def make(options: dict[str, float]) -> Callable[[int], None]:
    """The worker."""

    def work(descriptor: int) -> None:
        request = json.loads(wire.read_request(descriptor, lambda: None)[0])
        SCENES[request["arguments"]["source"]](descriptor)

    return work


def _say(kind: bytes, payload: bytes) -> Callable[[int], None]:
    return lambda descriptor: wire.write_all(descriptor, wire.frame(kind, payload))


def _raw(*parts: bytes) -> Callable[[int], None]:
    return lambda descriptor: wire.write_all(descriptor, b"".join(parts))


def _random(descriptor: int) -> None:
    for _ in range(200):
        wire.write_all(descriptor, random.randbytes(random.randrange(1, 3000)))


def _random_frames(descriptor: int) -> None:
    for _ in range(200):
        kind = random.choice([wire.NOTE, wire.ANSWER, wire.INVALID, wire.FAILED, b"E", b"?"])
        wire.write_all(descriptor, wire.frame(kind, random.randbytes(random.randrange(3000))))


def _endless(kind: bytes, part: bytes) -> Callable[[int], None]:
    def work(descriptor: int) -> None:
        wire.write_all(descriptor, wire.HEADER.pack(kind, 1 << 62))
        while True:
            wire.write_all(descriptor, part)

    return work


def _endless_notes(descriptor: int) -> None:
    while True:
        wire.write_all(descriptor, wire.frame(wire.NOTE, b"x" * 1000))


def _drops(descriptor: int) -> None:
    wire.write_all(descriptor, wire.HEADER.pack(wire.ANSWER, 1 << 18))
    for _ in range(1 << 18):
        os.write(descriptor, b"{")
        began = time.monotonic()
        while time.monotonic() < began + 0.0001:  # the walls let nobody sleep
            pass


def _silent(descriptor: int) -> None:
    while True:
        pass


def _big(descriptor: int) -> None:
    wire.write_all(descriptor, wire.frame(wire.ANSWER, json.dumps({**TRACE, "stdout": "x" * 3_000_000}).encode()))


_forged = struct.Struct("!cBB")
_good = json.dumps(TRACE).encode()

SCENES: Final[dict[str, Callable[[int], None]]] = {
    "random": _random,
    "random frames": _random_frames,
    "endless answer": _endless(wire.ANSWER, b"x" * 65536),
    "endless note": _endless(wire.NOTE, b"x" * 65536),
    "endless E": _endless(b"E", b"E" * 65536),
    "endless notes": _endless_notes,
    "drops": _drops,
    "silent": _silent,
    "longest answer": _big,
    "nothing": _raw(b""),
    "half a header": _raw(wire.ANSWER, b"\0\0"),
    "half a frame": _raw(wire.HEADER.pack(wire.ANSWER, 1000), b"{}"),
    "huge length": _raw(wire.HEADER.pack(wire.ANSWER, (1 << 64) - 1)),
    "huge reason": _raw(wire.HEADER.pack(wire.INVALID, (1 << 64) - 1)),
    "forged ending": _raw(_forged.pack(b"E", 3, 0) * 100),
    "forged ending of no kind": _raw(_forged.pack(b"E", 200, 200)),
    "forged report": _raw(wire.REPORT.pack(0, 3, 0, 1.0) * 10),
    "two notes": _raw(wire.frame(wire.NOTE, b"a") * 2, wire.frame(wire.ANSWER, _good)),
    "no JSON": _say(wire.ANSWER, b"<html>"),
    "half JSON": _say(wire.ANSWER, _good[:-5]),
    "a list": _say(wire.ANSWER, b"[1, 2]"),
    "other fields": _say(wire.ANSWER, b'{"a": 1}'),
    "many fields": _say(wire.ANSWER, json.dumps({**TRACE, **{str(k): 0 for k in range(1000)}}).encode()),
    "deep JSON": _say(wire.ANSWER, _good[:-1] + b', "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "Latin-1": _say(wire.ANSWER, json.dumps({**TRACE, "stdout": "é"}, ensure_ascii=False).encode("latin-1")),
    "UTF-16": _say(wire.ANSWER, _good.decode().encode("utf-16")),
    "NaN": _say(wire.ANSWER, _good[:-1] + b', "x": NaN}'),
    "an empty answer": _say(wire.ANSWER, b""),
    "a reason of no kind": _say(wire.INVALID, b"{}"),
    "a reason that is no JSON": _say(wire.INVALID, b"\xff\xfe"),
    "a reason with a wrong place": _say(wire.INVALID, b'{"message": "m", "location": [{"a": 1}]}'),
    "a reason with a long place": _say(wire.INVALID, json.dumps({"message": "m", "location": ["x"] * 5000}).encode()),
    "a failure with lines": _say(wire.FAILED, b"a\nERROR: forged\x1b[31m\r\n\xff"),
    "a note with lines": _raw(wire.frame(wire.NOTE, b"b\nERROR: forged\x1b[31m"), wire.frame(wire.ANSWER, _good)),
    "a surrogate": _say(wire.INVALID, b'{"message": "\\ud800", "location": ["source"]}'),
    "exits": lambda descriptor: os._exit(0),
}
