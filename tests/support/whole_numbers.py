"""Calls functions with whole numbers that fit no ``int`` in every place, in a process of its own: which of them ended it.

``python -m tests.support.whole_numbers numpy|torch``. A view that lies outside of the memory behind it counts as such an end.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from gradflow.engine import preload  # noqa: F401  # all that is allowed is entered by then
from gradflow.engine.numerics.strides import memory_of
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.library import numpy_module
from gradflow.engine.tensor import Tensor

Call = tuple[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]]
NUMBERS: Final = (-(2**31), 2**31, 2**31 - 1, 2**62, -(2**63))
ARRAYS: Final = (np.arange(10.0).reshape(5, 2), np.ones((3, 3), np.int8), np.arange(6))
MODULES: Final = ("numpy", "numpy.linalg", "numpy.fft", "numpy.lib.stride_tricks")
LONG: Final = frozenset({"numpy.diff", "numpy.put", "numpy.resize", "array.put", "numpy.pad", "numpy.unwrap"})
"""What only takes long: it counts, or goes round as often as the number says."""
FILES: Final = frozenset({"save", "savez", "savez_compressed", "savetxt", "load", "loadtxt", "nditer"})
NAMES: Final = (
    "axis offset axis1 axis2 k n shift decimals ndmin repeats kth minlength count num start stop ddof initial"
)
SECONDS: Final = 0.2
OUTSIDE: Final = 77


def of_numpy() -> Iterator[Call]:
    for module, members in numpy_module.numpy_modules().items():
        for name, function in members._members().items() if module in MODULES else ():
            if callable(function) and not isinstance(function, type) and name not in FILES:
                yield from _given(f"{module}.{name}", function)
    for name in sorted({*numpy_module._VALUE.split(), *numpy_module._LOOKED_AT}):
        yield from _given(f"array.{name}", lambda a, *rest, name=name, **named: _method(a, name)(*rest, **named))


def _method(array: Any, name: str) -> Any:
    if not isinstance(array, np.ndarray):
        raise TypeError
    return gate.read_attribute(array, name)


def _given(name: str, function: Any) -> Iterator[Call]:
    if name in LONG:
        return
    for n in NUMBERS:
        yield from ((name, function, given, {}) for given in ((n,), (3, n), (3, 3, n)))
        for a in ARRAYS:
            places = (
                (a, n),
                (n, a),
                (a, (n, 1)),
                (a, 0, n),
                (a, n, 0),
                (a, n, 0, 1),
                (a, 0, n, 1),
                (a, a, n),
                (a, a, 0, n),
            )
            yield from ((name, function, given, {}) for given in places)
        yield from ((name, function, (ARRAYS[0],), {each: n}) for each in NAMES.split())


def of_torch() -> Iterator[Call]:
    """Of every operation, its samples with such a number in the place of each whole number, and of settings that are left out."""
    for operation in REGISTRY:
        for sample in operation.samples:
            given = tuple(_tensor(each) for each in sample)
            for n in NUMBERS:
                for place, value in enumerate(given):
                    if type(value) is int:
                        yield operation.name, operation.call, (*given[:place], n, *given[place + 1 :]), {}
                yield operation.name, operation.call, (*given, n), {}
                yield operation.name, operation.call, (*given, 0, n), {}


def _tensor(value: Any) -> Any:
    numbers = isinstance(value, list) and value and all(isinstance(each, float | list) for each in value)
    try:
        return Tensor(np.array(value, np.float32)) if numbers else value
    except (TypeError, ValueError):
        return value


def main(kind: str) -> None:
    """Prints the last call of each process that ended, and how many calls were made."""
    calls = list(of_numpy() if kind == "numpy" else of_torch())
    ended, begun = [], 0
    while begun < len(calls):
        last, status = _in_a_process(calls, begun)
        if status:
            ended.append(f"{calls[last][0]} {calls[last][2]!r} {calls[last][3]!r} {status}")
        begun = last + 1
    print(json.dumps({"ended": ended, "calls": len(calls)}))


def _in_a_process(calls: list[Call], begun: int) -> tuple[int, int]:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _try_each(calls, begun, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        last = told.read()[-8:]  # as long as there are calls: eight bytes for each
    return int.from_bytes(last, "little"), os.waitpid(child, 0)[1]


def _try_each(calls: list[Call], begun: int, writing: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    signal.signal(signal.SIGALRM, _stop)
    warnings.simplefilter("ignore")
    for number in range(begun, len(calls)):
        _, function, given, named = calls[number]
        os.write(writing, number.to_bytes(8, "little"))
        try:
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            found = function(*given, **named)
            signal.setitimer(signal.ITIMER_REAL, 0)
            _look(found)
        except Exception:
            pass
        signal.setitimer(signal.ITIMER_REAL, 0)
    os._exit(0)


def _stop(*_: Any) -> None:
    raise TimeoutError


def _look(found: Any) -> None:
    for each in found if isinstance(found, tuple | list) else (found,):
        array = each._a if isinstance(each, Tensor) else each
        if isinstance(array, np.ndarray) and array.size:
            low, high = np.lib.array_utils.byte_bounds(array)
            start, length = memory_of(array)
            if low < start or high > start + length:
                os._exit(OUTSIDE)
            array[:3].tolist() if array.ndim else array.item()


if __name__ == "__main__":
    main(sys.argv[1])
