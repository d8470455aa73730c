"""The part of NumPy that programs have: NumPy's own results and printing, nothing that reaches further."""

from __future__ import annotations

import numpy as np
import pytest

from gradflow.engine.sandbox.library.numpy_module import numpy_modules
from gradflow.engine.sandbox.program import check
from gradflow.engine.sandbox.stand_ins import Module

PROGRAMS = [
    "a = np.arange(6.).reshape(2, 3)\nprint(a, a.T, a.shape, a.dtype, a.ndim, repr(a))",
    "a = np.eye(2, dtype=np.float32)\na[0] += 2\na *= 3\nprint(a @ a, a.sum(axis=0), a.tolist(), -a, a > 1)",
    "print(np.exp(1.), np.float64(2), repr(np.float32(3)), np.pi, np.inf, np.nan, np.allclose([1], [1.0]))",
    "print(type(np.zeros(1)), isinstance(np.zeros(1), np.ndarray), type(np.zeros(1)) == np.ndarray, np.float32)",
    "print(np.linalg.norm([3, 4]), np.linalg.inv(np.eye(2)), np.finfo(np.float32).eps, np.dtype('int64').name)",
    "np.random.seed(0)\nprint(np.random.rand(2), np.random.randint(5), np.random.default_rng(1).normal())",
    "from numpy import array, linalg\nfrom numpy.random import RandomState\nprint(array([1]), RandomState(2).rand())",
    "print(np.dot([1, 2], [3, 4]), np.where([True, False], 1, 2), np.concatenate([[1], [2]]), np.stack([[1], [2]]))",
    "print(np.__version__, np.array([[1, 2], [3]], dtype=object).shape, np.add.reduce([1, 2]), np.bool_(1))",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_those_of_numpy(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = "import numpy as np\n" + program
    exec(source, {})
    expected = capsys.readouterr().out
    checked = check(source)
    checked.run(checked.namespace((numpy_modules,), lambda text: print(text, end="")))
    assert capsys.readouterr().out == expected


def test_the_generator_is_not_that_of_the_process() -> None:
    before = np.random.get_state()[1]
    modules = numpy_modules()
    modules["numpy.random"].seed(3)
    assert np.array_equal(before, np.random.get_state()[1])


def test_empty_gives_no_old_memory() -> None:
    assert not numpy_modules()["numpy"].empty((50, 50)).any()


@pytest.mark.parametrize("name", ["load", "save", "memmap", "fromfile", "frombuffer", "ctypeslib", "lib", "f2py"])
def test_what_reaches_further_is_left_out(name: str) -> None:
    numpy = numpy_modules()["numpy"]
    assert isinstance(numpy, Module)
    assert name not in list(numpy.names())
