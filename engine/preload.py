"""Loading at once all that a run may import, for a process that will not be able to open a file later.

The engine imports some of its modules at need, NumPy most of its own, the interpreter a few behind the back of every
program (`unicodedata` for names that are not ASCII, a module of `encodings` for each codec), and Python's own modules
others within their functions, each version others.
"""

from __future__ import annotations

import dis
import encodings
import importlib
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from types import CodeType, FunctionType, ModuleType
from typing import Final

import numpy as np

from gradflow import engine
from gradflow.engine import sandbox
from gradflow.engine.namespace import checked_calls
from gradflow.engine.namespace.torch import modules
from gradflow.engine.registry import REGISTRY

_NO_COMPUTING: Final = frozenset({"core", "ctypeslib", "distutils", "f2py", "test", "testing", "typing"})
"""What NumPy offers to those who build and test with it, and a name of old."""
_IMPORT_NAME: Final = dis.opmap["IMPORT_NAME"]


def load_everything() -> Iterator[None]:
    """Import every module that a run may ask for. The steps of the result build the functions of the operations and what is
    known of their parameters: a run builds what it finds missing, which takes it longer."""
    for name in _modules_of(engine):
        importlib.import_module(name)
    for name in ("unicodedata", "numpy.testing", *_parts_of_numpy(), *_modules_of(encodings)):
        _load(name)
    for name in set(_imported_by_functions()):
        with suppress(ImportError):  # one of another version, or a neighbour in its package, which is loaded
            importlib.import_module(name)
    modules()
    return chain(REGISTRY.building(), checked_calls.building())


def _modules_of(package: ModuleType) -> Iterator[str]:
    return (found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."))


def _parts_of_numpy() -> list[str]:
    """From its own table of what it imports at the first mention."""
    table: set[str] = np.__numpy_submodules__
    return [f"numpy.{name}" for name in sorted(table - _NO_COMPUTING)]


def _imported_by_functions() -> Iterator[str]:
    """What the functions of those of Python's own modules import that the sandbox hands on, or takes something from."""
    for module in _pythons_modules_in_the_sandbox():
        for function in _functions_of(module):
            yield from _imports_of(function.__code__)


def _pythons_modules_in_the_sandbox() -> Iterator[ModuleType]:
    rooms = [room for name, room in sys.modules.items() if name.startswith(sandbox.__name__)]
    held = [value for room in rooms for value in vars(room).values()]
    names = {str(v.__name__ if isinstance(v, ModuleType) else getattr(v, "__module__", "")) for v in held}
    yield from (sys.modules[name] for name in sorted(names & sys.stdlib_module_names))


def _functions_of(module: ModuleType) -> Iterator[FunctionType]:
    """The functions that a module defines, those of its classes too."""
    for value in [*vars(module).values()]:
        for each in (value, *vars(value).values()) if isinstance(value, type) else (value,):
            function = getattr(each, "__func__", each)
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                yield function


def _imports_of(code: CodeType) -> Iterator[str]:
    """The modules that a function, or one within it, imports. Few do: the others are not disassembled."""
    if _IMPORT_NAME in code.co_code[::2]:
        yield from (step.argval for step in dis.get_instructions(code) if step.opcode == _IMPORT_NAME and step.argval)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _imports_of(inner)


def _load(name: str) -> None:
    """Import a module. One of another system (`encodings.mbcs`) is noted as missing, which ends the search for it."""
    try:
        importlib.import_module(name)
    except ImportError:
        sys.modules[name] = None  # type: ignore[assignment]  # the interpreter's own sign for it
