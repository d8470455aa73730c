"""Whether what a run has answered is what it should be. It may be anybody's: its shape is looked at, and nothing is built."""

from __future__ import annotations

import re
from typing import Annotated, Final
from xml.parsers.expat import ExpatError, ParserCreate

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

_PROLOG: Final = b'<?xml version="1.0" encoding="UTF-8"?>\n'
_ELEMENTS: Final = rb"(?:svg|g|title|rect|path|text|tspan|defs|pattern)"
_ATTRIBUTES: Final = (
    rb"(?:x|y|d|id|rx|width|height|viewBox|transform|xml:space|fill|stroke|stroke-width|stroke-dasharray|stroke-opacity"
    rb"|font-family|font-size|font-weight|font-style|text-anchor|patternUnits|patternTransform)"
)
_VALUE: Final = rb"(?:translate\([\d .e+-]*+\)|rotate\(45\)|url\(#hatch\)|[\w .,:#%+/-])*+"
_TAG: Final = (
    rb"<(?:/"
    + _ELEMENTS
    + rb"|"
    + _ELEMENTS
    + rb"(?: "
    + _ATTRIBUTES
    + rb'="'
    + _VALUE
    + rb'"| xmlns="http://www\.w3\.org/2000/svg")*+/?)>'
)
_SVG: Final = re.compile(rb"(?=<svg [^<>]*+(?<!/)>)(?:[^<\x00-\x08\x0b\x0c\x0e-\x1f]++|" + _TAG + rb")*+")
"""Each piece can be read in one way only, so that the time is linear."""
_END: Final = b"</svg>\n"
_DEEPEST: Final = 16


class _Depths:
    """A parser that counts how deep it is."""

    def __init__(self) -> None:
        self.depth = 0
        self.parser = ParserCreate()
        self.parser.StartElementHandler, self.parser.EndElementHandler = self.begin, self.end

    def begin(self, name: str, attributes: object) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Malformed("it is too deep")

    def end(self, name: str) -> None:
        self.depth -= 1


def check_trace(payload: bytes) -> None:
    """Raises Malformed for what is no JSON object, or has not the fields of a trace."""
    check_text(payload)
    try:
        fields = _trace.decode(payload)
    except _FAULTS as error:
        raise Malformed(str(error)) from None
    if not fields.keys() >= _FIELDS or len(fields) > _MOST_FIELDS:
        raise Malformed("fields of a trace are missing")


def check_svg(payload: bytes) -> None:
    """Raises Malformed for what is no well-formed XML in UTF-8, or an SVG with other elements or attributes than pictures have:
    nothing in it can run, and nothing leads out of it."""
    check_text(payload)
    start = len(_PROLOG)
    if not payload.startswith(_PROLOG) or not payload.endswith(_END) or _SVG.fullmatch(payload, start) is None:
        raise Malformed("it is no picture")
    try:
        _Depths().parser.Parse(payload, True)  # there is no declaration in it, and so no entity that could grow
    except ExpatError as error:
        raise Malformed(str(error)) from None


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
