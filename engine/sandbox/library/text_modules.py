"""Small modules of Python's library that work on texts and numbers: ``fnmatch``, ``shlex``, ``html``, ``colorsys`` and others."""

from __future__ import annotations

import binascii
import colorsys
import difflib
import errno
import fnmatch
import html
import keyword
import shlex
import signal
from collections.abc import Callable
from typing import Any, Final

from gradflow.engine.sandbox.gate import allow

_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGHUP", "SIG_DFL", "SIG_IGN")


def _named(module: Any, names: str) -> dict[str, object]:
    return {name: getattr(module, name) for name in names.split()}


def _as_lists(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of two sequences of texts, which are looked at as they are."""

    def compare(a: Any, b: Any, *settings: Any, **more: Any) -> Any:
        return function([str(each) for each in a], [str(each) for each in b], *settings, **more)

    compare.__name__ = compare.__qualname__ = function.__name__
    return compare


def _split(s: Any, comments: bool = False, posix: bool = True) -> list[str]:
    """``shlex.split``, of a text: of anything else it would read as of a file."""
    if not isinstance(s, str):
        raise TypeError("s argument must be a text")
    return shlex.split(str.__str__(s), comments, posix)


_MATCHER: Final = (
    "find_longest_match get_grouped_opcodes get_matching_blocks get_opcodes quick_ratio ratio real_quick_ratio set_seq1"
    " set_seq2 set_seqs"
)


def members() -> dict[str, dict[str, object]]:
    """The modules by name."""
    signals: dict[str, object] = {name: int(getattr(signal, name)) for name in _SIGNALS}
    return {
        "fnmatch": _named(fnmatch, "filter fnmatch fnmatchcase translate"),
        "shlex": {"split": _split, **_named(shlex, "join quote")},
        "html": _named(html, "escape unescape"),
        "keyword": {"iskeyword": keyword.iskeyword, "kwlist": list(keyword.kwlist)},
        "colorsys": _named(colorsys, "hls_to_rgb hsv_to_rgb rgb_to_hls rgb_to_hsv rgb_to_yiq yiq_to_rgb"),
        "binascii": _named(binascii, "a2b_base64 a2b_hex b2a_base64 b2a_hex crc32 hexlify unhexlify"),
        "difflib": {
            **{name: _as_lists(getattr(difflib, name)) for name in ("ndiff", "unified_diff", "context_diff")},
            "SequenceMatcher": difflib.SequenceMatcher,
            "get_close_matches": difflib.get_close_matches,
        },
        "errno": {name: number for number, name in errno.errorcode.items()},
        "signal": {**signals, "signal": lambda signalnum, handler: None},
    }


def _register() -> None:
    allow(difflib.SequenceMatcher, _MATCHER.split(), shown_as=difflib.SequenceMatcher)
    allow(difflib.Match, ("a", "b", "count", "index", "size"))


_register()
