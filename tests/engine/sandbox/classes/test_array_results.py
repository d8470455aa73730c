"""Results of NumPy are written into arrays only, and no function of NumPy gives an array of objects."""

from __future__ import annotations

from typing import Final

import pytest

from gradflow.engine.run import run
from gradflow.engine.sandbox.gate import Module
from gradflow.engine.sandbox.library.numpy_module import numpy_modules

PRELUDE: Final = """
import numpy as np
class A:
    def __add__(self, other): return A()
    def __radd__(self, other): return A()
    def __rmul__(self, other): return A()
    def __rand__(self, other): return A()
    def __bool__(self): return True
    def __float__(self): return 1.0
    def __lt__(self, other): return True
x, a = np.ones(3), A()
"""
WRITTEN: Final = """
np.all(x, 0, a)
np.any(x, 0, a)
np.sum(x, 0, None, a)
np.max(x, out=a)
np.add(x, x, a)
np.add(x, x, out=(a,))
np.add.reduce(x, 0, None, a)
np.logical_and.reduce(x, out=a)
np.add.accumulate(x, out=a)
x.sum(out=a)
x.all(0, a)
""".strip().splitlines()
LOOPS: Final = """
np.add(x, x, signature='OO->O')
np.add(x, x, signature=('O', 'O', 'O'))
np.add(x, x, signature=(None, None, object))
np.add(x, x, dtype='O')
np.add.reduce(a)
np.add.outer(a, a)
np.array(['a', 'b']).astype('O')
np.array(['a', 'b']).astype(object)[0]
""".strip().splitlines()
OBJECTS: Final = "[None, None]", "[{}, {}]", "[1, 'a', None]"


@pytest.mark.parametrize("call", WRITTEN)
def test_nothing_is_written_over_an_object(call: str) -> None:
    """NumPy would give back one reference too many for what a reduction writes over: ``None`` would be freed."""
    error = run(f"{PRELUDE}{call}").error
    assert error is not None
    assert error.type == "TypeError"


@pytest.mark.parametrize("call", LOOPS)
def test_no_loop_runs_over_objects(call: str) -> None:
    error = run(f"{PRELUDE}{call}").error
    assert error is not None
    assert error.message.startswith("NumPy arrays of dtype"), error.message


def test_no_function_of_a_module_of_numpy_gives_an_array_of_objects() -> None:
    names = [
        f"{module.removeprefix('numpy').lstrip('.') or 'np'}.{name}"
        for module, found in numpy_modules().items()
        for name in found.names()
        if module in ("numpy.fft", "numpy.linalg") and not isinstance(found.find(name), type | Module)
    ]
    assert len(names) > 40
    source = f"""
import functools
def objects(made):
    if isinstance(made, (list, tuple)): return any(map(objects, made))
    return isinstance(made, np.ndarray) and 'O' in str(made.dtype.str)
for path in {names!r}:
    function = functools.reduce(getattr, [each for each in path.split('.') if each != 'np'], np)
    for given in ({", ".join(OBJECTS)}):
        for more in ((), (given,)):
            try:
                made = function(given, *more)
            except Exception:
                continue
            if objects(made): print(path, given)
"""
    trace = run(PRELUDE + source, operations=1_000_000)
    assert (trace.error, trace.stdout) == (None, "")
