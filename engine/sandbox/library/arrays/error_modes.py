"""``numpy.errstate``, ``seterr`` and ``geterr``: what NumPy does where a result is no number. It says nothing by itself here, nor calls."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradflow.engine.sandbox.gate import allow

KINDS: Final = ("divide", "over", "under", "invalid")
_MODES: Final = ("ignore", "warn", "raise", "call", "print", "log")
_AT_FIRST: Final = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def _carried_out(modes: dict[str, str]) -> dict[str, Any]:
    """What NumPy is told: to raise, or nothing."""
    for mode in modes.values():
        if mode not in _MODES:
            raise ValueError(f"invalid value: {mode!r}")
    return {kind: "raise" if mode == "raise" else "ignore" for kind, mode in modes.items()}


class errstate(contextlib.ContextDecorator):
    """A block in which NumPy raises, or says nothing."""

    def __init__(self, **modes: str) -> None:
        unknown = set(modes) - {"all", *KINDS}
        if unknown:
            raise TypeError(f"errstate.__init__() got an unexpected keyword argument '{min(unknown)}'")
        self._modes = _carried_out(modes)
        self._block = np.errstate(**self._modes)

    def _recreate_cm(self) -> errstate:
        return errstate(**self._modes)  # for each call of what it decorates: it is entered once

    def __enter__(self) -> None:
        self._block.__enter__()

    def __exit__(self, *raised: Any) -> None:
        self._block.__exit__(*raised)


def members() -> dict[str, Callable[..., Any]]:
    """The functions of one run, which know what it has set."""
    told = dict(_AT_FIRST)

    def geterr() -> dict[str, str]:
        raising = np.geterr()
        return {
            kind: "raise" if raising[kind] == "raise" else "ignore" if told[kind] == "raise" else told[kind]
            for kind in KINDS
        }

    def seterr(all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None) -> Any:
        before = geterr()
        given = dict(zip(KINDS, (divide, over, under, invalid), strict=True))
        modes = {kind: all if mode is None else mode for kind, mode in given.items()}
        chosen = {kind: mode for kind, mode in modes.items() if mode is not None}
        np.seterr(**_carried_out(chosen))
        told.update(chosen)
        return before

    return {"errstate": errstate, "geterr": geterr, "seterr": seterr}


allow(errstate, shown_as=errstate)
