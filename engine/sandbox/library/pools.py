"""``queue``, ``concurrent.futures`` and ``multiprocessing`` in one thread: calls run at once, one after the other."""

from __future__ import annotations

import heapq
import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import starmap
from typing import Any, Final

from gradflow.engine.sandbox.gate import allow, is_public, read_attribute
from gradflow.engine.sandbox.library.threads import Condition, Event, Lock, RLock, waits
from gradflow.engine.sandbox.rules import exact_keywords

# -- queues ------------------------------------------------------------------------------------------------------------


class Queue:
    """What is put in comes out in the same order. Classes of programs put another order into `_init`, `_put`, `_get`, `_qsize`."""

    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize, self.unfinished_tasks = maxsize, 0
        self.mutex, self.not_empty, self.not_full, self.all_tasks_done = Lock(), Condition(), Condition(), Condition()
        self._init(maxsize)

    def _init(self, maxsize: int) -> None:
        self.queue: Any = deque()

    def _qsize(self) -> int:
        return len(self.queue)

    def _put(self, item: Any) -> None:
        read_attribute(self.queue, "append")(item)  # which may be anything that a program has put there

    def _get(self) -> Any:
        return read_attribute(self.queue, "popleft")()

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Put something in, also where a thread would wait for room."""
        if not block and 0 < self.maxsize <= self._qsize():
            raise queue.Full
        self._put(item)
        self.unfinished_tasks += 1

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Take something out."""
        if not self._qsize():
            if block and timeout is None:
                raise waits("get()")
            raise queue.Empty
        return self._get()

    def put_nowait(self, item: Any) -> None:
        """Put something in where there is room."""
        self.put(item, False)

    def get_nowait(self) -> Any:
        """Take something out where there is something."""
        return self.get(False)

    def qsize(self) -> int:
        """How much there is."""
        return self._qsize()

    def empty(self) -> bool:
        """Whether there is nothing."""
        return not self._qsize()

    def full(self) -> bool:
        """Whether there is as much as may be."""
        return 0 < self.maxsize <= self._qsize()

    def task_done(self) -> None:
        """One task less that somebody could wait for. Raises ValueError where there is none."""
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1

    def join(self) -> None:
        """Wait until all is done."""
        if self._qsize():
            raise waits("join()")


class LifoQueue(Queue):
    """What was put in last comes out first."""

    def _init(self, maxsize: int) -> None:
        self.queue = []

    def _get(self) -> Any:
        return read_attribute(self.queue, "pop")()


class PriorityQueue(Queue):
    """The smallest comes out first."""

    def _init(self, maxsize: int) -> None:
        self.queue = []

    def _put(self, item: Any) -> None:
        heapq.heappush(self.queue, item)

    def _get(self) -> Any:
        return heapq.heappop(self.queue)


_QUEUE: Final = "maxsize mutex not_empty not_full all_tasks_done queue unfinished_tasks"
_ORDER: Final = ("_init", "_put", "_get", "_qsize")
"""What Python's queues ask of the classes derived from them; they are given what is the program's."""


# -- pools -------------------------------------------------------------------------------------------------------------


class Future:
    """The result of a call, or what it raised."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._result: Any = None
        self._error: Exception | None = None
        try:
            self._result = function(*args, **kwargs)
        except Exception as error:  # it is raised where the result is asked for
            self._error = error

    def result(self, timeout: float | None = None) -> Any:
        """The result. Raises what the call raised."""
        if self._error is not None:
            raise self._error
        return self._result

    get = result

    def exception(self, timeout: float | None = None) -> Exception | None:
        """What the call raised."""
        return self._error

    def done(self) -> bool:
        """It has ended."""
        return True

    ready = done

    def cancel(self) -> bool:
        """Too late."""
        return False

    def add_done_callback(self, fn: Callable[[Future], Any]) -> None:
        """Call a function when it has ended."""
        fn(self)


class Executor:
    """A pool of threads or processes: calls run at once, one after the other."""

    def __init__(self, max_workers: int | None = None, *settings: Any, **more: Any) -> None:
        self.max_workers = max_workers

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Call a function."""
        return Future(fn, args, kwargs)

    def map(self, fn: Callable[..., Any], *iterables: Iterable[Any], timeout: Any = None, chunksize: int = 1) -> Any:
        """The results of a function for each of the values."""
        return iter(list(map(fn, *iterables)))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """The end of the pool."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *problem: object) -> None:
        pass


class Pool(Executor):
    """A pool of ``multiprocessing``."""

    def map(self, fn: Callable[..., Any], *iterables: Iterable[Any], timeout: Any = None, chunksize: Any = None) -> Any:
        """The results, as a list."""
        return list(map(fn, *iterables))

    def imap(self, func: Callable[..., Any], iterable: Iterable[Any], chunksize: int = 1) -> Iterator[Any]:
        """The results, one after the other."""
        return map(func, iterable)

    imap_unordered = imap

    def starmap(self, func: Callable[..., Any], iterable: Iterable[Any], chunksize: Any = None) -> list[Any]:
        """The results for each tuple of arguments."""
        return list(starmap(func, iterable))

    def apply(self, func: Callable[..., Any], args: Any = (), kwds: Any = None) -> Any:
        """The result of one call."""
        return func(*args, **exact_keywords(kwds or {}))

    def apply_async(self, func: Callable[..., Any], args: Any = (), kwds: Any = None, callback: Any = None) -> Future:
        """One call."""
        made = Future(func, tuple(args), exact_keywords(kwds or {}))
        if callback is not None:
            callback(made.result())
        return made

    def close(self) -> None:
        """The end of the pool."""

    join = terminate = close


def _wait(fs: Iterable[Future], timeout: Any = None, return_when: str = "ALL_COMPLETED") -> tuple[set[Any], set[Any]]:
    return set(fs), set()


_CLASSES: Final = (Queue, LifoQueue, PriorityQueue, Future, Executor, Pool)


def members() -> dict[str, dict[str, object]]:
    """The modules by name."""
    queues: dict[str, object] = {"Queue": Queue, "SimpleQueue": Queue, "LifoQueue": LifoQueue}
    futures: dict[str, object] = {
        "ThreadPoolExecutor": Executor,
        "ProcessPoolExecutor": Executor,
        "Future": Future,
        "Executor": Executor,
        "as_completed": lambda fs, timeout=None: iter(list(fs)),
        "wait": _wait,
        "ALL_COMPLETED": "ALL_COMPLETED",
        "FIRST_COMPLETED": "FIRST_COMPLETED",
        "FIRST_EXCEPTION": "FIRST_EXCEPTION",
    }
    processes: dict[str, object] = {
        "cpu_count": lambda: 1,
        "Pool": Pool,
        "Lock": Lock,
        "RLock": RLock,
        "Queue": Queue,
        "SimpleQueue": Queue,
        "Event": Event,
        "freeze_support": lambda: None,
        "set_start_method": lambda method, force=False: None,
        "get_start_method": lambda allow_none=False: "fork",
    }
    return {
        "queue": {**queues, "PriorityQueue": PriorityQueue, "Empty": queue.Empty, "Full": queue.Full},
        "concurrent": {},
        "concurrent.futures": futures,
        "multiprocessing": processes,
        "multiprocessing.pool": {"ThreadPool": Pool, "Pool": Pool},
    }


def _register() -> None:
    for cls in _CLASSES:
        cls.__module__ = "queue" if issubclass(cls, Queue) else "concurrent.futures"
        names = [name for name in dir(cls) if is_public(name)]
        is_queue = issubclass(cls, Queue)
        more = (*_QUEUE.split(), *_ORDER) if is_queue else ()
        writable = (*_QUEUE.split(),) if is_queue else ()
        allow(cls, (*names, *more), writable=writable, subclass=is_queue)


_register()
