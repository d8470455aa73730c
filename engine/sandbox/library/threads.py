"""``threading`` in one thread: what is started runs at once, to its end.

A lock that nobody holds is free. Where a program would wait for what never comes, it is told so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import allow, is_public
from gradflow.engine.sandbox.rules import exact_keywords
from gradflow.engine.sandbox.special_names import is_plain


def waits(what: str) -> Exception:
    """The error for waiting where nobody else is at work."""
    return errors.CALL_REFUSED(name=f"waiting in {what}, while nothing else runs")


_made: Final = [0]
"""How many threads a run has made."""


class Thread:
    """A function that runs when it is started."""

    def __init__(
        self,
        group: None = None,
        target: Callable[..., Any] | None = None,
        name: str | None = None,
        args: Iterable[Any] = (),
        kwargs: dict[str, Any] | None = None,
        *,
        daemon: bool | None = None,
    ) -> None:
        _made[0] += 1
        title = f" ({getattr(target, '__name__', '')})" if hasattr(target, "__name__") else ""
        self.name = name or f"Thread-{_made[0]}{title}"
        self.daemon, self.ident = bool(daemon), None
        self._target, self._args, self._kwargs = target, args, kwargs or {}
        self._kept_begun = False

    def run(self) -> None:
        """What the thread does."""
        if self._target is not None:
            self._target(*self._args, **exact_keywords(self._kwargs))

    def start(self) -> None:
        """Run it, now."""
        if self._kept_begun:
            raise RuntimeError("threads can only be started once")
        self._kept_begun = True
        _running.append(self)
        try:
            self.run()
        except Exception:  # as in Python, where it is written to stderr and the program goes on
            pass
        finally:
            _running.pop()

    def join(self, timeout: float | None = None) -> None:
        """It has ended by now."""
        if not self._kept_begun:
            raise RuntimeError("cannot join thread before it is started")

    def is_alive(self) -> bool:
        """Whether it is running: while it runs itself."""
        return self in _running

    def setDaemon(self, daemonic: bool) -> None:
        """As the attribute of this name."""
        self.daemon = daemonic

    def getName(self) -> str:
        """As the attribute of this name."""
        return self.name


class _Main(Thread):
    def __init__(self) -> None:
        super().__init__(name="MainThread")


_running: Final[list[Thread]] = []


class Timer(Thread):
    """A function that runs later; here at once."""

    def __init__(self, interval: float, function: Callable[..., Any], args: Any = None, kwargs: Any = None) -> None:
        super().__init__(target=function, args=args or (), kwargs=kwargs)

    def cancel(self) -> None:
        """Too late."""


class Lock:
    """A lock, which nobody else holds."""

    def __init__(self) -> None:
        self._held = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take it."""
        if self._held and not self._again():
            if blocking:
                raise waits("acquire()")
            return False
        self._held += 1
        return True

    def _again(self) -> bool:
        return False

    def release(self) -> None:
        """Give it back."""
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held -= 1

    def locked(self) -> bool:
        """Whether it is taken."""
        return bool(self._held)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *problem: object) -> None:
        self.release()


class RLock(Lock):
    """A lock that its holder can take again."""

    def _again(self) -> bool:
        return True


class Condition(RLock):
    """A lock with a condition, for which nobody waits."""

    def __init__(self, lock: Any = None) -> None:
        super().__init__()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for what does not come."""
        if timeout is None:
            raise waits("wait()")
        return False

    def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        """Whether the condition holds already."""
        return predicate() or self.wait(timeout)

    def notify(self, n: int = 1) -> None:
        """Nobody waits."""

    def notify_all(self) -> None:
        """Nobody waits."""


class Semaphore(Lock):
    """A lock that several can hold."""

    def __init__(self, value: int = 1) -> None:
        super().__init__()
        self._free = value

    def _again(self) -> bool:
        return self._held < self._free


class Event:
    """Something that is set, or not."""

    def __init__(self) -> None:
        self._flag = False

    def is_set(self) -> bool:
        """Whether it is set."""
        return self._flag

    def set(self) -> None:
        """Set it."""
        self._flag = True

    def clear(self) -> None:
        """Set it back."""
        self._flag = False

    def wait(self, timeout: float | None = None) -> bool:
        """Whether it is set by now."""
        if not self._flag and timeout is None:
            raise waits("wait()")
        return self._flag


class local:
    """Attributes of a thread's own."""


_CLASSES: Final = (Thread, Timer, Lock, RLock, Condition, Semaphore, Event, local)


def members() -> dict[str, dict[str, object]]:
    """The modules by name, fresh for one run."""
    _made[0] = 0
    main = _Main()
    _made[0] = 0
    _running.clear()
    threads: dict[str, object] = {cls.__name__: cls for cls in _CLASSES}
    threads |= {
        "BoundedSemaphore": Semaphore,
        "current_thread": lambda: _running[-1] if _running else main,
        "main_thread": lambda: main,
        "active_count": lambda: 1 + len(_running),
        "get_ident": lambda: 1,
        "enumerate": lambda: [main, *_running],
    }
    return {"threading": threads}


def _register() -> None:
    for cls in _CLASSES:
        cls.__module__ = "threading"
        names = [name for name in dir(cls) if is_public(name)]
        open_to_all = cls in (Thread, local)
        writable = ("name", "daemon") if cls is Thread else is_plain if cls is local else ()
        readable = (lambda value, name: is_plain(name)) if cls is local else None
        allow(cls, [*names, "name", "daemon", "ident"], readable=readable, writable=writable, subclass=open_to_all)
    allow(_Main, ("name", "daemon", "ident", "is_alive", "join", "getName"))


_register()
