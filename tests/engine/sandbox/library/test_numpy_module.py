"""The part of NumPy that programs have: NumPy's own results and printing, nothing that reaches further."""

from __future__ import annotations

import numpy as np
import pytest

from gradflow.backend.jail import unconfined
from gradflow.engine.run import run
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
    "r = np.random.default_rng(3)\nprint(isinstance(r, np.random.Generator), type(r), type(np.random.RandomState(0)), r.spawn(1)[0].integers(9))",
    "g = np.random.Generator(np.random.PCG64(42))\ns = g.bit_generator.state\na = g.random(3)\ng.bit_generator.state = s\n"
    "print(a, (a == g.random(3)).all(), [np.random.default_rng(k).integers(9) for k in np.random.SeedSequence(12).spawn(2)])",
    "np.random.seed(5)\ns = np.random.get_state()\nx = np.random.randn(3)\nnp.random.set_state(s)\n"
    "print((x == np.random.randn(3)).all(), s[0], s[2], len(np.random.bytes(3)), np.random.sample(2), np.random.zipf(2., 3))",
    "r = np.random.RandomState(np.random.MT19937(7))\ns = r.get_state(legacy=False)\nx = r.rand()\nr.set_state(s)\nprint(x == r.rand())",
    "from numpy.lib.stride_tricks import sliding_window_view as w\n"
    "print(w(np.arange(6), 3), w(np.eye(3), (2, 2)).shape, w(np.eye(4), 2, axis=-1).sum(-1), np.lib.stride_tricks.sliding_window_view(np.ones(3), window_shape=2))\n"
    "for bad in (9, -1):\n    try: w(np.arange(6), bad)\n    except ValueError as error: print(error)",
    "t = np.array(['b', 'ab'])\nprint(np.char.upper(t), np.char.add(t, 'x'), np.char.startswith(t, 'a'), np.strings.str_len(t), np.char.zfill(t, 4))",
    "d = np.datetime64('2020-02-01') + np.timedelta64(3, 'D')\nprint(d, repr(d), np.isnat(d), np.arange('2020-01', '2020-03', dtype='datetime64[M]'))",
    "print(np.unwrap([0, 3.5, 7.]), np.packbits([1, 0, 1]), np.isfortran(np.asfortranarray(np.eye(2))), np.unique_inverse([3, 1, 3]), np.True_)",
    "class L(list):\n    def __radd__(self, other): return 3\nclass V:\n    def __radd__(self, other): return 'v'\n"
    "a = np.ones(2)\na += L([1, 2])\nprint(np.ones(2) + L([1, 2]), a, np.float64(2) + V(), np.ones(2) == V(), sum([1, V()]))",
    "a = np.arange(6.)\nb = np.array([3, 1, 2])\nb.sort()\nb.put([0], [5])\nprint(a.reshape([2, 3]).transpose([1, 0]).max(0), b, b.searchsorted(2), b.take([0, 1]), b.compress([True, False]))\n"
    "b.fill(7)\nprint(b, np.ndarray.reshape(a, [3, 2]), np.float64(3).reshape(1), a.argmax(), a.any(), b.argpartition(1), a.reshape(1, 6).squeeze(0))",
    "r, q = np.random.default_rng(1), np.random.RandomState(1)\nx = [1, 2, 3, 4]\nr.shuffle(x)\nprint(x, r.random([2]), r.integers(0, 5, dtype=np.int32), q.randint(0, 5, dtype=int))\n"
    "q.shuffle(x)\nnp.random.seed(3)\nprint(x, np.random.randint(3, size=[2]), np.random.normal(size=(2,)), np.random.Generator.random(r, 2), r.permuted([3, 1, 2]))",
    "b = bytes(range(16))\na = np.frombuffer(b, np.uint8)\nprint(a, a.base == b, type(a.base), a.flags.writeable, a.flags.owndata, np.frombuffer(b, np.int32, 2, 4))\n"
    "for bad in (lambda: np.frombuffer(b'', np.uint8), lambda: np.frombuffer(b, np.int32, 9), lambda: np.frombuffer(b[1:], np.int32)):\n"
    "    try: print(bad())\n    except ValueError as error: print(error)",
    "x = np.zeros(3, int)\nnp.add.at(x, [0, 0, 1], 1)\nnp.negative.at(x, [0])\nnp.maximum.at(x, np.array([1, 2]), [5, 6])\nprint(x)\n"
    "y = np.zeros((2, 2))\nnp.add.at(y, (slice(None), [0]), 2)\nnp.add.at(y[1], [1, 1], 3.)\nprint(y)",
    "print(np.dtype('f4'), np.dtype([('a', 'f8')]), np.finfo(np.float32), np.iinfo('i4').max, isinstance(np.ones(1).dtype, np.dtype), type(np.dtype(int)) == np.dtype)",
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


@pytest.mark.parametrize("name", ["memmap", "fromfile", "ctypeslib", "f2py"])
def test_what_reaches_further_is_left_out(name: str) -> None:
    numpy = numpy_modules()["numpy"]
    assert isinstance(numpy, Module)
    assert name not in list(numpy.names())


@pytest.mark.parametrize(
    "state", ["('MT19937', s[1], 625)", "('MT19937', s[1], -1)", "('MT19937', s[1][:3], 0)", "('PCG64', s[1], 0)"]
)
@pytest.mark.parametrize("generator", ["np.random", "np.random.RandomState(1)"])
def test_no_generator_gets_a_state_that_none_has(state: str, generator: str) -> None:
    checked = check(f"import numpy as np\ng = {generator}\ns = g.get_state()\ng.set_state({state})")
    with pytest.raises(ValueError, match="state"):
        checked.run(checked.namespace((numpy_modules,), lambda text: None))


def test_the_position_in_the_numbers_of_a_twister_is_not_written() -> None:
    checked = check("import numpy as np\ng = np.random.MT19937(1)\ng.state = g.state")
    with pytest.raises(AttributeError, match=r"numpy\.random\.MT19937"):
        checked.run(checked.namespace((numpy_modules,), lambda text: None))


def test_windows_lie_within_their_array() -> None:
    assert list(numpy_modules()["numpy.lib.stride_tricks"].names()) == ["sliding_window_view"]


@pytest.mark.parametrize(
    "use",
    [
        "a.reshape(sizes)",
        "a.transpose(sizes)",
        "np.ndarray.reshape(a, sizes)",
        "np.random.random(sizes)",
        "np.random.default_rng(1).random(sizes)",
        "np.random.RandomState(1).normal(0, 1, sizes)",
        "np.dtype(('f8', sizes))",
        "np.iinfo(('f8', sizes))",
        "np.frombuffer(b'12345678', ('u1', sizes))",
        "np.vectorize(len, otypes=[('f8', sizes)])",
    ],
)
def test_a_list_of_sizes_is_a_copy_while_numpy_goes_through_it(use: str) -> None:
    """The second number empties the program's list, of which NumPy would go on to read the third: it reads the copy's."""
    program = check(
        "import numpy as np\nasked = []\nclass Size:\n    def __index__(self):\n        asked.append(0)\n"
        "        if len(asked) % 5 == 2: sizes.clear()\n        return 1\n"
        f"sizes, a = [Size() for _ in range(5)], np.arange(1.)\ntry: {use}\nexcept Exception as error: told = error\n"
    )
    namespace = program.namespace((numpy_modules,), lambda text: None)
    program.run(namespace)
    assert len(namespace["asked"]) in (0, 5, 10)  # type: ignore[arg-type]  # it is a list


def test_the_shape_of_a_tensor_is_its_own() -> None:
    """An array that shares its memory gets another one, and so does what ``base`` shows of it: the tensor keeps its own."""
    told = run(
        "import numpy as np, torch\nc = np.arange(6.)\nu = torch.from_numpy(c)\nc.shape = (2, 3)\nc.flags.writeable = False\nu.add_(1)\nprint(u.shape, c[0, 0])\n"
        "t = torch.arange(6.)\na = t.numpy()\nb = a.base\nb.shape = (2, 3)\nb.flags.writeable = False\nt.add_(1)\nprint(t.shape, a[0], b[0, 0], a[1:].base is a)"
    )
    assert told.error is None
    assert told.stdout == "torch.Size([6]) 1.0\ntorch.Size([6]) 1.0 1.0 True\n"


SEEDS = """
import numpy as np
class Nested:
    def __len__(self): return 1
    def __getitem__(self, k):
        if k: raise IndexError
        return self
nested, itself = [1], []
itself.append(itself)
for _ in range(100_000): nested = [nested]
for make in (np.random.SeedSequence, np.random.default_rng, np.random.PCG64, np.random.MT19937, np.random.RandomState, np.random.seed,
             lambda seed: np.random.SeedSequence(1, spawn_key=seed)):
    for seed in (nested, itself, Nested()):
        try: make(seed)
        except (ValueError, TypeError, RecursionError): continue
        print(make, 'took it')
print(np.random.SeedSequence([[1, 2], [3]]).generate_state(2), np.random.default_rng([1, [2, (3,)]]).integers(100))
"""


def test_a_seed_is_nested_to_some_depth() -> None:
    trace = unconfined.run(SEEDS)
    assert trace.error is None
    expected = np.random.SeedSequence([1, 2, 3])
    assert trace.stdout == f"{expected.generate_state(2)} {np.random.default_rng(expected).integers(100)}\n"


WRITING = """
import numpy as np
one = b'a'
for write in (
    lambda: np.add.at(np.frombuffer(one, np.uint8), [0], 1),
    lambda: np.negative.at(np.frombuffer(b'\\n', np.int8), [0]),
    lambda: np.maximum.at(np.frombuffer(one, np.uint8).reshape(1, 1)[0].view(np.int8), 0, 99),
    lambda: np.add.at(np.broadcast_to(np.ones(1), (3,)), [0, 1], 1),
    lambda: np.add.at([1, 2], [0], 1),
    lambda: np.add.at(np.float64(1), [0], 1),
    lambda: setattr(np.frombuffer(one, np.uint8).flags, 'writeable', True),
    lambda: np.frombuffer(one, np.uint8).fill(3),
    lambda: np.frombuffer(np.frombuffer(one, np.uint8), np.uint8).sort() or np.add.at(np.frombuffer(np.frombuffer(one, np.uint8), np.uint8), 0, 1),
):
    try: print(write())
    except Exception as error: print(type(error).__name__, error)
print(one, bytes([97]), 'a'.encode(), b'one\\ntwo'.split(b'\\n'))
"""


def test_no_function_writes_into_what_may_not_be_written() -> None:
    """``at`` does not ask in NumPy, and single bytes are shared by all of a process: so it is one of its own."""
    trace = unconfined.run(WRITING)
    assert trace.error is None
    *refused, last = trace.stdout.splitlines()
    assert last == "b'a' b'a' b'a' [b'one', b'two']"
    assert [line.split()[0] for line in refused] == ["ValueError"] * 4 + ["TypeError"] * 2 + ["ValueError"] * 3
    assert refused[0] == "ValueError assignment destination is read-only"
