"""Small modules of which scripts use a function or two: they see what they are given, and nothing of the machine."""

from __future__ import annotations

import calendar
import getopt
import graphlib
import tomllib
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradflow.engine.sandbox.gate import allow, read_attribute
from gradflow.engine.sandbox.library.files.opened import opened

_CALENDAR: Final = "isleap leapdays month monthrange monthcalendar timegm weekday"
_SORTER: Final = "add done get_ready is_active prepare static_order"
_VERSIONS: Final = {"torch": "2.13.0", "numpy": np.__version__}


class PackageNotFoundError(ModuleNotFoundError):
    """A package that is not there."""

    def __str__(self) -> str:
        return f"No package metadata was found for {self.args[0]}"


def _version(distribution_name: str) -> str:
    known = _VERSIONS.get(distribution_name)
    if known is None:
        raise PackageNotFoundError(distribution_name)
    return known


def _texts(words: Any) -> list[str]:
    return [str.__str__(word) for word in words]


def _getopt(function: Callable[..., Any]) -> Callable[..., Any]:
    def parse(args: Any, shortopts: str, longopts: Any = ()) -> Any:
        longer = [longopts] if isinstance(longopts, str) else longopts
        return function(_texts(args), str.__str__(shortopts), _texts(longer))

    return parse


def _toml(s: str, /, *, parse_float: Any = float) -> dict[str, Any]:
    return tomllib.loads(str.__str__(s), parse_float=parse_float)


def _toml_file(fp: Any, /, *, parse_float: Any = float) -> dict[str, Any]:
    content = read_attribute(fp, "read")()
    if not isinstance(content, bytes):
        raise TypeError("File must be opened in binary mode, e.g. use `open('foo.toml', 'rb')`")
    return _toml(bytes(content).decode(), parse_float=parse_float)


def _open(filename: Any, mode: str = "r", encoding: Any = None, errors: str = "strict", buffering: int = -1) -> Any:
    return opened(filename, mode, encoding=encoding)


def members() -> dict[str, dict[str, object]]:
    """The modules by name."""
    names = {
        name: list(getattr(calendar, name)) for name in ("day_name", "day_abbr", "month_name", "month_abbr")
    }  # copies: what Python has there asks for the language of the machine
    return {
        "calendar": {**{name: getattr(calendar, name) for name in _CALENDAR.split()}, **names},
        "codecs": {"open": _open},
        "faulthandler": {
            "enable": lambda *given, **named: None,
            "disable": lambda: None,
            "is_enabled": lambda: False,
        },
        "getopt": {
            "getopt": _getopt(getopt.getopt),
            "gnu_getopt": _getopt(getopt.gnu_getopt),
            "GetoptError": getopt.GetoptError,
            "error": getopt.GetoptError,
        },
        "graphlib": {"TopologicalSorter": graphlib.TopologicalSorter, "CycleError": graphlib.CycleError},
        "importlib.metadata": {"version": _version, "PackageNotFoundError": PackageNotFoundError},
        "tomllib": {"loads": _toml, "load": _toml_file, "TOMLDecodeError": tomllib.TOMLDecodeError},
    }


def _register() -> None:
    PackageNotFoundError.__module__ = "importlib.metadata"
    allow(PackageNotFoundError, ("args", "msg", "name"))
    allow(graphlib.TopologicalSorter, _SORTER.split(), shown_as=graphlib.TopologicalSorter)
    allow(graphlib.CycleError, ("args",))
    allow(getopt.GetoptError, ("args", "msg", "opt"))
    allow(tomllib.TOMLDecodeError, ("args",))


_register()
