"""No program reads memory that is not its own, changes the engine for the next one, or writes into the trace what is no text."""

from __future__ import annotations

import numpy as np
import pytest

from gradflow.engine.numerics.strides import strided
from gradflow.engine.run import InvalidRequest, run

LIAR = """
import torch
class Liar(int):
    def __mul__(self, other): return 0
    __rmul__ = __add__ = __radd__ = __sub__ = __rsub__ = __floordiv__ = __rfloordiv__ = __mul__
    def __gt__(self, other): return False
    __lt__ = __ge__ = __eq__ = __gt__
    def __le__(self, other): return True
    __hash__ = int.__hash__
"""
POINTER = "shape=(8,), typestr='|u1', data=(id(1), True), version=3"


def refusal(source: str) -> str:
    trace = run(source)
    assert trace.error is not None, trace.stdout
    return trace.error.message


@pytest.mark.parametrize(
    "source",
    [
        LIAR + "torch.zeros(3).unfold(0, Liar(1000), 1).sum()",
        LIAR + "torch.as_strided(torch.zeros(3), (Liar(1000),), (Liar(1),)).sum()",
        "import torch\ntorch.nn.functional.unfold(torch.zeros(1, 1, 4, 4), 2, dilation=-1)",
        "import torch\ntorch.nn.functional.unfold(torch.zeros(1, 1, 4, 4), -1)",
        "import torch\ntorch.zeros(100).unfold(0, 50, 1).as_strided((2550,), (1,))",
        "import torch\ntorch.as_strided(torch.zeros(3), (100, -1), (1, 1000))",
        "import torch, numpy as np\ntorch.from_numpy(np.arange(5.)[::-1])",
        "import torch, numpy as np\ntorch.from_numpy(np.zeros(4, np.dtype([('a', 'f4'), ('b', 'f8')]))['b'])",
    ],
)
def test_no_view_reaches_beyond_its_memory(source: str) -> None:
    assert refusal(source)


@pytest.mark.parametrize(
    "put",
    [
        "m.add_module('__array_interface__', Both({POINTER}))",
        "m._modules['__array_interface__'] = Both({POINTER})",
        "m = nn.ParameterDict({'__array_interface__': dict({POINTER})})",
        "m.register_buffer('__array_interface__', torch.zeros(2))\n"
        "parametrize.register_parametrization(m, '__array_interface__', Both({POINTER}), unsafe=True)",
    ],
)
def test_a_module_answers_no_special_name(put: str) -> None:
    source = """
import torch, numpy as np
from torch import nn
from torch.nn.utils import parametrize
class Both(nn.Module, dict):
    def __init__(self, **given):
        nn.Module.__init__(self)
        dict.__init__(self, **given)
    def forward(self, *given): return dict(self)
    def __hash__(self): return 1
    def __len__(self): return 1
    def __getitem__(self, key): raise IndexError
m = Both()
"""
    source += put.replace("{POINTER}", POINTER) + "\nprint(np.array([m, 0], dtype=object).dtype)"
    trace = run(source)
    assert trace.error is not None or trace.stdout == "object\n"


@pytest.mark.parametrize(
    "attack",
    [
        "from dataclasses import dataclass\n@dataclass\nclass D:\n  forward: object\nD.__init__(nn.Linear, None)",
        "import functools\ndef f(): pass\nfunctools.wraps(f)(nn.Linear.forward)",
        "import typing\ntyping.final(nn.Linear)\ntyping.no_type_check(nn.Linear)",
        "torch.Tensor.requires_grad_(nn.Linear)",
    ],
)
def test_nothing_is_left_for_the_next_program(attack: str) -> None:
    from gradflow.engine.namespace.layers.linear import Linear

    before = dict(vars(Linear)), Linear.forward.__name__, dict(vars(Linear.forward))
    run("import torch\nfrom torch import nn\n" + attack)
    assert (dict(vars(Linear)), Linear.forward.__name__, dict(vars(Linear.forward))) == before


def test_only_texts_are_written() -> None:
    assert refusal("import sys\nclass A:\n  def __len__(self): return 0\nsys.stdout.write(A())") == (
        "write() argument must be str, not A"
    )
    liar = "import sys\nclass A(str):\n  def __len__(self): return 0\nfor _ in range(20): sys.stdout.write(A('x' * 10 ** 5))"
    assert refusal(liar).startswith("the program printed more than")


@pytest.mark.parametrize("name", ["KeyboardInterrupt", "GeneratorExit", "BaseException"])
def test_whatever_a_program_raises_is_an_error_of_the_program(name: str) -> None:
    trace = run(f"raise {name}")
    assert trace.error is not None
    assert trace.error.type == name
    trace = run(f"class E(Exception):\n  def __str__(self): raise {name}\nraise E()")
    assert trace.error is not None
    assert trace.error.message == "<exception str() failed>"


def test_a_module_cannot_be_copied() -> None:
    assert refusal("import copy, math\ncopy.deepcopy([math])") == "cannot pickle 'module' object"


def test_methods_of_a_class_are_called_with_its_objects() -> None:
    trace = run(
        "from torch import nn\nclass A(nn.Linear):\n  def __init__(s):\n    nn.Linear.__init__(s, 2, 3)\nprint(A())"
    )
    assert trace.error is None
    assert "in_features=2" in trace.stdout


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\nnp.bincount(np.array([2 ** 63 - 1] * 1000))",
        "import numpy as np\nnp.repeat([1, 1, 1, 1], 2 ** 62)",
        "import numpy as np\nnp.ones(4).repeat(2 ** 62)",
        "import numpy as np\nnp.float32(4).repeat(2 ** 62)",
        "import torch\ntorch.bincount(torch.tensor([2 ** 63 - 1]))",
        "import torch\ntorch.bincount(torch.tensor([1]), minlength=2 ** 62)",
        "import torch\ntorch.repeat_interleave(torch.tensor([1, 1, 1, 1]), 2 ** 62)",
        "import torch\ntorch.repeat_interleave(torch.tensor([2 ** 62] * 4))",
    ],
)
def test_counts_that_fit_no_memory_are_refused(source: str) -> None:
    """NumPy itself writes beyond its memory here."""
    assert refusal(source)


def test_inputs_that_cannot_be_held_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="at most 2 tensors"):
        run("x", inputs={"x": 1.0, "y": 1.0, "z": 1.0}, operations=2)
    for data, dtype in ((1e30, "int64"), (float("nan"), "int64"), (300, "uint8"), (-1, "uint8"), (2**63, "int64")):
        with pytest.raises(InvalidRequest, match="does not fit"):
            run("x", inputs={"x": {"data": data, "dtype": dtype}})
    assert run("print(x)", inputs={"x": {"data": [255, 0], "dtype": "uint8"}}).stdout.startswith("tensor([255,   0]")


def test_names_of_parameters_are_found_without_the_program() -> None:
    source = """
import torch
from torch import nn
class Net(nn.Linear):
    def named_parameters(self, *given, **named): return [("x", 5)]
    def named_modules(self, *given, **named): raise KeyboardInterrupt
m = nn.Sequential(Net(1, 1))
m[0]._modules["wrong"] = None
m[0]._parameters["odd"] = None
y = m(torch.ones(1))
y.backward()
"""
    trace = run(source)
    assert trace.error is None
    assert "m.0.weight" in [name for tensor in trace.tensors for name in tensor.names]


def test_no_array_changes_its_shape_while_numpy_writes_into_it() -> None:
    source = """
import functools, numpy as np
a = np.zeros(30000)
def write(self):
    a.shape = (1, 30000)
    return 1.5
class Statement: __float__ = write
class Builtin: __float__ = functools.partial(setattr, a, 'shape', (1, 30000))
print(a.shape)
"""
    assert run(source).error is None
    for name in ("Statement", "Builtin"):
        assert refusal(f"{source}a[0] = {name}()") == "'numpy.ndarray' object attribute 'shape' is read-only"
    assert run("import numpy as np\na = np.zeros(6)\na.shape = (2, 3)\nprint(a.shape)").stdout == "(2, 3)\n"


def test_a_number_in_the_place_of_an_array_shows_a_copy() -> None:
    """Of a number of NumPy's own the memory is gone as soon as it was shown."""
    number = np.float64(2.5)
    held = strided(number, (1,), (8,), 0)  # type: ignore[arg-type]  # as a foreign object could have it
    assert held.tolist() == [2.5]
    assert held.base.array is not number
    with pytest.raises(ValueError, match="beyond its memory"):
        strided(number, (2,), (8,), 0)  # type: ignore[arg-type]  # as a foreign object could have it
