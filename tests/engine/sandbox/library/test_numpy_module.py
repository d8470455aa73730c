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
    "print(np.__version__, np.array([[1, 2], [3, 4]]).shape, np.add.reduce([1, 2]), np.bool_(1))",
    "t = np.array(['b', 'a', 'b'])\nprint(t, repr(t), t == 'a', t[1:], np.unique(t), t[np.array([0, 2])].tolist())",
    "t = np.array(['b', 'a'])\nprint(np.where(t == 'a', 1, 0), t + 'x', sorted(t), t.astype('U3').dtype, np.sort(t), list(t))",
    "p = np.poly1d([1, -3, 2])\nprint(p, p(3), p.deriv()(1.), (p * 2).c, p.roots, p + 1, np.polyval(p, [1, 2]), p == p)",
    "print(np.r_[1:4, 5], np.c_[[1, 2], [3, 4]], np.mgrid[0:2, 0:2].shape, np.linalg.eig(np.eye(2)).eigenvalues)",
    "print(np.vectorize(lambda x: x * 2)([1, 2]), np.apply_along_axis(sorted, 0, [[2, 1], [1, 2]]), np.sin, np.add.outer([1], [2]))",
    "print(np.loadtxt(['1 2 # one', '3 4']), np.loadtxt(['a;b', '1;2', '3;4'], int, None, ';', skiprows=1, usecols=1), np.loadtxt(['1 0'], bool, unpack=True, ndmin=2))",
    "print(np.loadtxt(iter(['1,2', '3,4']), delimiter=',', max_rows=1))\n"
    "for bad in (['1 x'], ['1 2', '3'], 3, 'nothing.csv'):\n"
    "    try: np.loadtxt(bad)\n    except (ValueError, OSError) as error: print(type(error), error)",
    "class L(list):\n    def __radd__(self, other): return 3\nclass V:\n    def __radd__(self, other): return 'v'\n"
    "a = np.ones(2)\na += L([1, 2])\nprint(np.ones(2) + L([1, 2]), a, np.float64(2) + V(), np.ones(2) == V(), sum([1, V()]))",
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


@pytest.mark.parametrize("name", ["load", "save", "memmap", "fromfile", "ctypeslib", "lib", "f2py"])
def test_what_reaches_further_is_left_out(name: str) -> None:
    numpy = numpy_modules()["numpy"]
    assert isinstance(numpy, Module)
    assert name not in list(numpy.names())
