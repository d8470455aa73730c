"""Whether what a run has answered is what it should be. It may be anybody's: its shape is looked at, and nothing is built."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from gradflow.backend.jail.wire import MAX_TEXT

_FIELDS: Final = frozenset(("schema", "source", "stdout", "error", "tensors", "nodes", "edges", "passes"))
_MOST_FIELDS: Final = 64
_PIECE: Final = 1 << 16
_LOG: Final = 4000


class Malformed(Exception):
    """A process answered something else than it was asked for."""


class Reason(msgspec.Struct, forbid_unknown_fields=True):
    """Why a request makes no sense, and the path to what is wrong in it."""

    message: Annotated[str, msgspec.Meta(max_length=4000)]
    location: Annotated[list[str | int], msgspec.Meta(max_length=8)]


_trace: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_reason: Final = msgspec.json.Decoder(Reason)
_FAULTS: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError)


def check_trace(payload: bytes) -> None:
    """Raises Malformed for what is no JSON object, or has not the fields of a trace."""
    check_text(payload)
    try:
        fields = _trace.decode(payload)
    except _FAULTS as error:
        raise Malformed(str(error)) from None
    if not fields.keys() >= _FIELDS or len(fields) > _MOST_FIELDS:
        raise Malformed("fields of a trace are missing")


def check_text(payload: bytes) -> None:
    """Raises Malformed for what is no UTF-8. Looks at it piece by piece."""
    if payload.isascii():
        return
    start = 0
    while start < len(payload):
        end = start + _PIECE
        while end < len(payload) and payload[end] & 0xC0 == 0x80:  # within a character
            end += 1
        try:
            str(memoryview(payload)[start:end], "utf-8")
        except UnicodeDecodeError as error:
            raise Malformed(str(error)) from None
        start = end


def reason_of(payload: bytes) -> Reason:
    """What is said of a request that makes no sense. Raises Malformed."""
    try:
        return _reason.decode(payload)
    except _FAULTS as error:
        raise Malformed(str(error)) from None


def for_the_log(payload: bytes) -> str:
    """One line of ASCII, whatever it was."""
    text = payload[:MAX_TEXT].decode(errors="replace")
    return text.encode("unicode_escape").decode("ascii")[:_LOG]
