"""``globals()``, ``locals()`` and ``vars()``: the names that a program itself has bound, as dictionaries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Final

from gradflow.engine import errors
from gradflow.engine.sandbox.classes.written_through import WrittenThrough
from gradflow.engine.sandbox.gate import allow, exact_name
from gradflow.engine.sandbox.special_names import is_bindable
from gradflow.engine.sandbox.unbound_methods import PROGRAM_FILE

_SHOWN: Final = frozenset({"__name__", "__doc__", "__file__"})
_DICT: Final = "clear copy get items keys pop setdefault update values"


class Globals(WrittenThrough):
    """The names of the module. What is put in becomes a name of the program, as if it had been assigned."""

    def __init__(self, namespace: dict[str, object]) -> None:
        super().__init__(_shown(namespace))
        self._namespace = namespace

    def __setitem__(self, name: str, value: object) -> None:
        _check(name)
        self._namespace[name] = value
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        _check(name)
        del self._namespace[name]

    @contextmanager
    def in_use(self) -> Iterator[dict[str, object]]:
        """The names themselves, for what runs over them; this table shows them anew afterwards."""
        try:
            yield self._namespace
        finally:
            dict.clear(self)
            dict.update(self, _shown(self._namespace))

    def clear(self) -> None:
        for name in list(self):
            if name not in _SHOWN:
                del self[name]


def _shown(namespace: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in namespace.items() if name in _SHOWN or is_bindable(name)}


def _check(name: object) -> None:
    if not is_bindable(name):
        raise errors.CALL_REFUSED(name="another value for this name" if type(name) is str else exact_name(name))


def tables(
    namespace: dict[str, object], shown: Callable[[object], dict[str, object]]
) -> Mapping[str, Callable[..., dict[str, object]]]:
    """The two functions, for a program that runs with these global names, and ``vars``, which for an object is ``shown``."""

    def globals() -> dict[str, object]:
        frame = sys._getframe(1)
        return Globals(frame.f_globals if frame.f_code.co_filename == PROGRAM_FILE else namespace)

    def locals() -> dict[str, object]:
        return _names(sys._getframe(1), namespace)

    def vars(*given: object) -> dict[str, object]:
        return shown(*given) if given else _names(sys._getframe(1), namespace)

    return {"globals": globals, "locals": locals, "vars": vars}


def _names(frame: FrameType, namespace: dict[str, object]) -> dict[str, object]:
    """What ``locals()`` gives to whoever asks from this frame."""
    if frame.f_code.co_filename != PROGRAM_FILE:
        return Globals(namespace)
    if frame.f_locals is frame.f_globals:
        return Globals(frame.f_globals)
    return {name: value for name, value in frame.f_locals.items() if is_bindable(name)}


allow(Globals, _DICT.split(), shown_as=dict)
