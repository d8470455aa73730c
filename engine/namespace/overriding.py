"""``__torch_function__``: classes of the program that compute in place of PyTorch's functions what is done with their objects."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox import gate, integer_limits, unbound_methods
from gradflow.engine.sandbox.rules import exact_keywords
from gradflow.engine.sandbox.unbound_methods import PROGRAM_FILE
from gradflow.engine.state import STATE

_LISTS: Final = (list, tuple)
_of_program: Final = {PROGRAM_FILE, gate.__file__, integer_limits.__file__, unbound_methods.__file__}
"""The program's code, and what reads attributes, calls methods of classes and computes powers on its behalf."""


def by_program(depth: int = 2) -> bool:
    """Whether the code that many calls further out is the program's, and ``__torch_function__`` is asked at all."""
    asks = STATE.torch_functions or STATE.function_modes
    return bool(asks) and called_by_program(depth + 1)


def called_by_program(depth: int = 2) -> bool:
    """Whether the code that many calls further out is the program's."""
    return sys._getframe(depth).f_code.co_filename in _of_program


def acts_for_program(file: str) -> None:
    """What the code of this file calls, the program has called."""
    _of_program.add(file)


@contextmanager
def disabled() -> Iterator[None]:
    """Compute with objects of the program's classes as with plain tensors."""
    before, STATE.torch_functions = STATE.torch_functions, False
    try:
        yield
    finally:
        STATE.torch_functions = before


def not_asked(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """``torch._C._disabled_torch_function_impl``, which classes that do not want to be asked have for ``__torch_function__``."""
    with disabled():
        return func(*args, **exact_keywords(kwargs or {}))


def overridden(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    name: str | None = None,
    kinds: tuple[Any, ...] | None = None,
) -> Any:
    """What the innermost mode, else ``__torch_function__`` of the classes of the arguments makes of a call of ``function``.

    Raises TypeError where each of them says that it is not implemented; without ``name``, that is the result.
    """
    if kinds is None:
        kinds = asked_kinds(args, kwargs)
        if not kinds and not STATE.function_modes:  # those of the classes do not want to be asked
            with disabled():
                return function(*args, **kwargs)
    given = (function, kinds, args, dict(kwargs) or None)
    if STATE.function_modes:
        with _without_mode() as mode:
            return _own(mode, *given)
    for kind in kinds:
        result = _own(kind, *given)
        if result is not NotImplemented:
            return result
    if name is None:
        return NotImplemented
    titles = "\n  - tensor subclass ".join(f"<class '__main__.{kind.__qualname__}'>" for kind in kinds)
    raise errors.NOT_OVERRIDDEN(name=name, types=titles)


def _own(asked: Any, *given: Any) -> Any:
    try:
        return asked.__torch_function__(*given)
    except Exception as error:
        errors.mark_own(error)
        raise


@contextmanager
def _without_mode() -> Iterator[Any]:
    """The innermost mode, which does not see what it calls itself."""
    mode = STATE.function_modes.pop()
    try:
        yield mode
    finally:
        STATE.function_modes.append(mode)


def asked_kinds(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """The classes that are asked: as they come, those derived from another one before it."""
    kinds: list[Any] = []
    for value in (*args, *kwargs.values()):
        for kind in dict.fromkeys(map(type, value)) if type(value) in _LISTS else (type(value),):
            asks = getattr(kind, "__torch_function__", not_asked)
            if asks is not not_asked and kind not in kinds:
                place = next((i for i, known in enumerate(kinds) if issubclass(kind, known)), len(kinds))
                kinds.insert(place, kind)
    return tuple(kinds)
