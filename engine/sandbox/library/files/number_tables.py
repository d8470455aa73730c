"""``numpy.loadtxt``: a table of numbers out of lines of text, which a program has in a list, in an open file or in a file of its run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.sandbox.array_elements import refusal, short
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.sandbox.library.files.store import files

_NUMBERS: Final = frozenset("biufc")


def loadtxt(
    fname: Any,
    dtype: Any = float,
    comments: Any = "#",
    delimiter: Any = None,
    converters: None = None,
    skiprows: int = 0,
    usecols: Any = None,
    unpack: bool = False,
    ndmin: int = 0,
    max_rows: int | None = None,
) -> np.ndarray:
    """The numbers of each line as a row. Raises what NumPy raises: FileNotFoundError, ValueError; no other dtypes than of numbers."""
    if converters is not None:
        raise errors.CALL_REFUSED(name="loadtxt() with converters")
    kind: np.dtype = np.dtype(dtype)
    if kind.kind not in _NUMBERS or kind.names is not None:
        raise refusal(kind)
    short(kind)
    rows = None if max_rows is None else int(max_rows)
    columns = usecols if usecols is None or type(usecols) is int else [int(one) for one in usecols]
    settings: dict[str, Any] = {"comments": _text(comments), "delimiter": _text(delimiter), "max_rows": rows}
    settings |= {"skiprows": int(skiprows), "usecols": columns, "unpack": bool(unpack), "ndmin": int(ndmin)}
    found: np.ndarray = np.loadtxt(_lines(fname), kind, **settings)
    return found


def _text(value: Any) -> str | None:
    """A word, as plain text. Raises TypeError for anything else."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"expected str, not '{type_name(value)}'")
    return None if value is None else str.__str__(value)


def _lines(source: Any) -> list[str]:
    """The lines of a file that the run has, by its path, or of what gives lines."""
    if isinstance(source, str):
        source = str.__str__(source)
        if not files().is_file(source):
            absent = errors.NO_FILE(path=source)
            absent.args = (f"{source} not found.",)
            raise absent
        return files().read(source).decode().splitlines()
    if not isinstance(source, Iterable):
        got = f"<class '{type_name(source)}'>"
        raise ValueError(f"fname must be a string, filehandle, list of strings,\nor generator. Got {got} instead.")
    return [str(_text(one)) for one in source]
