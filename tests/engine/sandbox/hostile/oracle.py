"""Whether a program got hold of something: its own ``out`` is looked at from outside, past the gate."""

from __future__ import annotations

import argparse
import builtins
import enum
import functools
import types
from collections.abc import Iterator
from typing import Any, Final

from gradflow.engine.namespace.torch import modules
from gradflow.engine.recording.recorder import Recorder
from gradflow.engine.run import _fresh_state
from gradflow.engine.sandbox import policy
from gradflow.engine.sandbox.classes.kept_whole import NO_ARRAY, NO_MEMORY
from gradflow.engine.sandbox.gate import is_program_class
from gradflow.engine.sandbox.library.numpy_module import numpy_modules
from gradflow.engine.sandbox.library.plain_modules import SimpleNamespace
from gradflow.engine.sandbox.program import PROGRAM_FILE, Rejected, check

REACH: Final = (
    types.ModuleType,
    types.FrameType,
    types.CodeType,
    types.CellType,
    types.GetSetDescriptorType,
)
"""Types of which no object may come into the hands of a program. Tracebacks and slots do, and show nothing of themselves."""
FORBIDDEN: Final = {
    id(each)
    for each in (
        eval,
        exec,
        open,
        compile,
        __import__,
        getattr,
        setattr,
        delattr,
        vars,
        globals,
        locals,
        input,
        breakpoint,
        type,
        builtins.__dict__,
        object.__reduce_ex__,
        object.__getattribute__,
        type.__getattribute__,
        object.__setattr__,
        object.__delattr__,
        type.__setattr__,
        type.__subclasses__,
        type.__call__,
        type.mro,
    )
}
BUILTINS: Final = frozenset({policy.GETATTR, policy.WRITE, "__import__"})
"""What the builtins of a program and those of Python have, and a dictionary that a program made itself has not."""
DEPTH: Final = 4


class Reached(AssertionError):
    """A program holds what it must not."""


def reached(source: str) -> list[str]:
    """What a program got hold of; nothing where the policy refuses it."""
    try:
        program = check(source)
    except Rejected:
        return []
    recorder = Recorder(PROGRAM_FILE)
    printed: list[str] = []
    raised: list[BaseException] = []
    with _fresh_state(recorder):
        namespace = program.namespace((modules, numpy_modules), printed.append)
        try:
            program.run(namespace)
        except BaseException as error:
            raised.append(error)
        told = [namespace.get("out"), raised]  # the program may have put something else there
        return [f"{type(value).__name__} {value!r:.200}" for value in _found(told, DEPTH + 1)]


def _found(value: Any, depth: int) -> Iterator[Any]:
    """What must not be there, among a value and what it holds."""
    taken = isinstance(value, REACH) or id(value) in FORBIDDEN or _is_namespace(value) or _is_protocol_of_pickle(value)
    if taken or _is_armed(value):
        yield value
        return
    if depth:
        for part in _parts(value):
            yield from _found(part, depth - 1)


def _is_namespace(value: Any) -> bool:
    """Of a module, or, shown as it is, of a class."""
    if type(value) is types.MappingProxyType:
        return "__doc__" in value
    held = value.get("__builtins__") if type(value) is dict else None
    return isinstance(held, types.ModuleType) or (type(held) is dict and not BUILTINS.isdisjoint(held))


def _is_protocol_of_pickle(value: Any) -> bool:
    """``x.__reduce_ex__``, which gives functions that make objects of any class."""
    return isinstance(value, types.BuiltinMethodType) and value.__name__ in ("__reduce_ex__", "__reduce__")


ARMS: Final = frozenset(
    {
        "__array_interface__",
        "__array_struct__",
        "__array__",
        "__reduce_ex__",
        "__reduce__",
        "__prepare__",
    }
    | {"__getattribute__", "__mro_entries__", "__buffer__", "__array_function__", "__signature__", "__builtins__"}
)
"""Names by which Python and NumPy would trust an object or a class of the program."""


def _is_armed(value: Any) -> bool:
    """Whether one of these names has come into a class of the program or into an object of one."""
    cls = value if isinstance(value, type) else type(value)
    if not (is_program_class(cls) or issubclass(cls, SimpleNamespace | argparse.Namespace)):
        return False
    held = () if isinstance(value, type) else getattr(value, "__dict__", ())
    of_library = issubclass(cls, enum.Enum)  # puts `__reduce_ex__` into its classes itself
    written = {name for name, found in vars(cls).items() if found is not NO_ARRAY and found is not NO_MEMORY}
    return not ARMS.isdisjoint(held) or (not of_library and not ARMS.isdisjoint(written))


def _parts(value: Any) -> list[Any]:
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, dict):
        return list(dict.values(value))
    if isinstance(value, types.MethodType | types.BuiltinMethodType):
        return [] if isinstance(value.__self__, types.ModuleType) else [value.__self__]
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, BaseException):
        return list(value.args)
    return []
