"""``contextlib.ExitStack``, of our own: Python's hands ``__exit__`` of whatever enters it to methods that a program can replace."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from gradflow.engine.sandbox.gate import type_name

_HELD: Final = "_exit_callbacks"
Exit = Callable[..., Any]


class ExitStack:
    """Context managers and callbacks that are left in reverse order, as `contextlib.ExitStack` leaves them."""

    def __init__(self) -> None:
        vars(self)[_HELD] = deque()

    def enter_context(self, cm: Any) -> Any:
        """Enter a context manager; what it gives."""
        cls = type(cm)
        enter, leave = getattr(cls, "__enter__", None), getattr(cls, "__exit__", None)
        if enter is None or leave is None:
            more = "" if enter is None else " (missed __exit__ method)"
            name = f"{cls.__module__}.{cls.__qualname__}"
            raise TypeError(f"'{name}' object does not support the context manager protocol{more}")
        given = enter(cm)
        _callbacks(self).append(_leaving(cm, leave))
        return given

    def push(self, exit: Any) -> Any:
        """Have something left, or called as an ``__exit__``; the thing itself."""
        leave = getattr(type(exit), "__exit__", None)
        _callbacks(self).append(exit if leave is None else _leaving(exit, leave))
        return exit

    def callback(self, callback: Any, /, *args: Any, **kwds: Any) -> Any:
        """Have a function called with these arguments; the function itself."""

        def called(*details: object) -> None:
            callback(*args, **kwds)

        _callbacks(self).append(called)
        return callback

    def pop_all(self) -> Any:
        """Another stack with all that is in this one. Raises TypeError where the class gives something else."""
        made = type(self)()
        if not issubclass(type(made), ExitStack):
            raise TypeError(f"pop_all() expects an ExitStack, got {type_name(made)}")
        vars(made)[_HELD], vars(self)[_HELD] = _callbacks(self), deque()
        return made

    def close(self) -> None:
        """Leave everything now."""
        ExitStack.__exit__(self, None, None, None)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> bool:
        waiting, outer = _callbacks(self), sys.exception()
        received: BaseException | None = details[1]
        current, raised = received, False
        while waiting:
            leave = waiting.pop()
            try:
                if leave(*((None, None, None) if current is None else (type(current), current, current.__traceback__))):
                    current, raised = None, False
            except BaseException as error:
                _follow(error, current, outer)
                current, raised = error, True
        if raised and current is not None:
            before = current.__context__
            try:
                raise current
            finally:
                current.__context__ = before
        return received is not None and current is None


def _callbacks(stack: ExitStack) -> deque[Exit]:
    held = vars(stack).get(_HELD)
    if type(held) is not deque:
        raise TypeError("an ExitStack without its callbacks")
    return held


def _leaving(cm: Any, leave: Exit) -> Exit:
    def left(*details: object) -> Any:
        return leave(cm, *details)

    return left


def _follow(error: BaseException, before: BaseException | None, outer: BaseException | None) -> None:
    """Put the error before into the chain of this one where that ends at what the stack itself was left for."""
    while (context := error.__context__) is not None and context is not before:
        if context is outer:
            error.__context__ = before
            return
        error = context


ExitStack.__module__ = "contextlib"
