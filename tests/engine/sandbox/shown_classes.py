"""Every class that programs are shown, and what reading their attributes on them gives.

As a script, it calls all of that with objects of other classes, in memory that nobody else needs: a function which does not ask
whose object it is given ends the process.
"""

from __future__ import annotations

import contextlib
import faulthandler
import inspect
import io
import signal
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final

import numpy as np

from gradflow.engine import preload
from gradflow.engine.namespace.torch import modules
from gradflow.engine.sandbox import gate, library
from gradflow.engine.sandbox.interpreter.built_in_methods import guard_built_in_methods
from gradflow.engine.sandbox.library.numpy_module import numpy_modules
from gradflow.engine.sandbox.library.scripts.tables import Output
from gradflow.engine.sandbox.rules import READABLE, RULES

CHANGING: Final = (list, dict, set, bytearray, np.ndarray)
_SECONDS: Final = 2


class Other:
    """An object of no library's class, which has whatever it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def module_members() -> Iterator[tuple[str, object]]:
    """What is in the modules that programs can import, with where it is found."""
    for name, module in {**modules(), **numpy_modules()}.items():
        for each in module.names():
            with contextlib.suppress(Exception):
                yield f"{name}.{each}", gate.read_value(module, each)
    for name, members in library.members(Output(lambda text: None)).items():
        yield from ((f"{name}.{each}", value) for each, value in members.items())


@cache
def shown_classes() -> frozenset[type]:
    """The classes among them, all others that the gate knows, and what these derive from."""
    for _ in preload.load_everything():
        pass
    given = {value.kind if isinstance(value, gate.OpaqueType) else value for _, value in _hashable(module_members())}
    known = {each for each in given if isinstance(each, type)} | set(RULES)
    return frozenset(each for kind in known for each in kind.__mro__ if not gate.is_program_class(kind))


def _hashable(members: Iterable[tuple[str, object]]) -> Iterator[tuple[str, Any]]:
    for name, value in members:
        with contextlib.suppress(TypeError):
            hash(value)
            yield name, value


def attributes() -> Iterator[tuple[type, str, Any]]:
    """The classes with the names in them that can be read on them, and what that gives."""
    for kind in sorted(shown_classes(), key=lambda each: f"{each.__module__}.{each.__qualname__}"):
        for name in sorted({*vars(kind), *READABLE.get(kind, ())}):
            with contextlib.suppress(Exception):
                yield kind, name, gate.read_attribute(kind, name)


def _called(function: Any, given: tuple[Any, ...]) -> None:
    """A call, which may take a while and may raise anything."""
    signal.alarm(_SECONDS)
    with contextlib.suppress(BaseException), contextlib.redirect_stdout(io.StringIO()):
        function(*given)
    signal.alarm(0)


def _accessors(found: Any) -> Iterator[Any]:
    """What is called where an attribute of a class of the program is this."""
    if callable(found) and not isinstance(found, type):
        yield found
    if hasattr(type(found), "__get__"):
        yield lambda target, *_: type(found).__get__(found, target, type(target))
    if hasattr(type(found), "__set__"):
        yield lambda target, *_: type(found).__set__(found, target, 1)


def main() -> None:
    """Call everything, and say at the end how much that was."""
    faulthandler.enable()
    guard_built_in_methods()
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    wrong = [Other(), b"\x41" * 600, 3.5, (1, 2), inspect.Parameter("a", inspect.Parameter.KEYWORD_ONLY)]
    count = 0
    for kind, name, found in list(attributes()):
        print(kind, name, file=sys.stderr)
        calls = [(call, target) for call in _accessors(found) for target in wrong if kind not in type(target).__mro__]
        for call, target in calls:
            for others in ((), (1,), ([3, 2, 1],)):
                _called(call, (target, *others))
                count += 1
    print(count)


if __name__ == "__main__":
    main()
