"""What the engine keeps in its objects, and what NumPy trusts, is written by no library on behalf of a program."""

from __future__ import annotations

from textwrap import indent
from typing import Final

import numpy as np
import pytest

from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.torch import modules
from gradflow.engine.run import run
from gradflow.engine.sandbox.classes.array_marks import refuse_objects

PRELUDE: Final = """
import abc, collections, contextlib, copy, dataclasses, enum, functools, json, threading, types, typing, unittest
import numpy as np
import torch
from torch import nn
"""
REFUSED: Final = """
class P(torch.Tensor, types.SimpleNamespace): pass
---
class P(types.SimpleNamespace, nn.Parameter): pass
---
class P(threading.local, torch.Tensor): pass
---
class P(torch.Tensor, threading.Thread): pass
---
class P(nn.Parameter, torch.futures.Future): pass
---
class P(torch.Tensor, json.JSONEncoder): pass
---
class P(torch.Tensor, collections.UserDict): pass
---
class P(torch.Tensor, contextlib.ContextDecorator): pass
---
class P(torch.Tensor, nn.Module): pass
---
class P(torch.Tensor, Exception): pass
---
@dataclasses.dataclass
class P(torch.Tensor):
    _a: object
---
@dataclasses.dataclass(eq=False, frozen=True)
class P(nn.Parameter):
    _node: object
---
@dataclasses.dataclass
class M(type):
    size: int = 1
---
c = functools.cached_property(lambda self: 'written')
class Z:
    _a = c
class P(torch.Tensor): pass
P.foo = c
P([1.]).foo
---
c = functools.cached_property(lambda self: 'written')
class Z:
    _node = c
class P(nn.Parameter): pass
P.foo = c
P(torch.ones(1)).foo
---
class P(torch.Tensor): pass
P([1.])._held = 1
---
class P(nn.Parameter): pass
vars(P(torch.ones(1)))['_values'] = 1
---
class P(torch.Tensor): pass
P(torch.sparse_coo_tensor([[0]], [1.], (2,)))
---
class P(torch.Tensor): pass
torch.Tensor._make_subclass(P, torch.empty(2, device='meta'))
---
class P(unittest.TestCase): pass
P._callTestMethod = lambda self, method: print(method)
---
class P(unittest.TestCase): pass
setattr(P, '_callTestMethod', property(lambda self: len))
---
P = type('P', (unittest.TestCase,), {'_callTestMethod': lambda self, method: print(method)})
---
class Z:
    def _callTestMethod(self, method): print(method)
class P(Z, unittest.TestCase):
    _callTestMethod = Z._callTestMethod
---
class P(nn.Module):
    @property
    def _set_registered(self): return print
---
from torch.nn.utils import prune
class P(prune.BasePruningMethod):
    def _name(self, module): return '__array_interface__'
---
class P(unittest.TestCase):
    def _callTestMethod(self, method): print(method)
---
import unittest
class P(unittest.TestCase, str):
    def _callTestMethod(self, method): print(method)
---
import unittest
class P(unittest.TestCase, str): pass
P('format')
---
@dataclasses.dataclass
class P(str):
    format: object
---
@dataclasses.dataclass
class P:
    mro: object
---
@dataclasses.dataclass
class P(nn.Module):
    _apply: object
---
@dataclasses.dataclass
class Z:
    format: object
class P(Z, str): pass
---
dataclasses.make_dataclass('P', ['getbuffer'], bases=(__import__('io').BytesIO,))
---
class P(enum.IntEnum):
    _ignore_ = ['__module__', '__array__']
    one = 1
    def __float__(self): return 1.0
---
class P(enum.IntEnum):
    _ignore_ = '__module__ __array__'
    one = 1
---
nn.ParameterDict()['_apply'] = print
---
nn.ParameterDict()['_parameters'] = {}
""".strip().split("\n---\n")
LEFT_ALONE: Final = """
class X(collections.UserDict):
    def __new__(cls, *given): return T
x = object.__new__(X)
x.data, x._a = {}, 'written'
copy.copy(x)
---
class X(collections.UserDict):
    def __new__(cls, *given): return T if hot else super().__new__(cls)
hot = False
x = X()
x._a, hot = 'written', True
x.copy()
---
class X(collections.UserList):
    def __new__(cls, *given): return T if hot else super().__new__(cls)
hot = False
x = X()
x._a, hot = 'written', True
copy.copy(x)
""".strip().split("\n---\n")
FIELDS: Final = "d = np.dtype((np.int64, [('a', '?', (8,))]))\n"
ELEMENTS: Final = """
np.frombuffer(bytes(range(16)), d)
np.loadtxt(["1 2"], d)
np.ones(2, 'i8').view(d)
np.array([1, 2], d)
np.ones(2).astype(d)
np.zeros(2, d)
np.fromiter([1, 2], d)
np.add([1], [2], dtype=d)
""".strip().splitlines()


@pytest.mark.parametrize("program", REFUSED)
def test_names_of_the_engine_are_written_by_nobody(program: str) -> None:
    error = run(PRELUDE + program).error
    assert error is not None
    assert "cannot be used in this playground" in error.message or "read-only" in error.message, error.message


@pytest.mark.parametrize("program", LEFT_ALONE)
def test_a_copy_writes_into_nothing_else(program: str) -> None:
    guarded = f"try:\n{indent(program, '    ')}\nfinally: print(T)"
    trace = run(f"{PRELUDE}T = torch.ones(2)\n{guarded}")
    assert trace.stdout == "tensor([1., 1.])\n"
    assert trace.error is not None
    assert trace.error.message == "a copy of X of another class cannot be used in this playground"


@pytest.mark.parametrize("made", ELEMENTS)
def test_numbers_have_no_fields_of_other_elements(made: str) -> None:
    """A truth value that is neither 0 nor 1 would have NumPy count otherwise than it copies."""
    error = run(f"{PRELUDE}{FIELDS}{made}['a']").error
    assert error is not None
    assert error.message.startswith("NumPy arrays of dtype")


@pytest.mark.parametrize("name", ["__dict__", "__class__", "__reduce_ex__", "__init__", "_apply", "_parameters"])
@pytest.mark.parametrize("take", ["d[n]", "d.pop(n)", "L()[n]", "d.__delitem__(n)", "d.setdefault(n)"])
def test_containers_hand_out_what_was_put_into_them(name: str, take: str) -> None:
    program = f"""
class L(nn.ParameterList):
    pass
d, n = nn.ParameterDict(), {name!r}
try:
    print({take})
except (AttributeError, KeyError, TypeError) as error:
    print('refused')
"""
    trace = run(PRELUDE + program)
    assert trace.error is None
    assert trace.stdout == "refused\n"


def test_what_a_class_gives_when_it_is_called_stays_as_it_is() -> None:
    """``G[int]()`` would write ``__orig_class__`` into it."""
    program = """
T = typing.TypeVar('T')
relu = torch.nn.functional.relu
class G(typing.Generic[T]):
    def __new__(cls): return relu
class Maker(type):
    def __call__(cls): return relu
class H(typing.Generic[T], metaclass=Maker): pass
class L(list):
    def __new__(cls): return relu
print([kind[int]() is relu for kind in (G, H, L)])
"""
    trace = run(PRELUDE + program)
    assert trace.error is None
    assert trace.stdout == "[True, True, True]\n"
    assert "__orig_class__" not in vars(modules()["torch"].find("nn").find("functional").find("relu"))


def test_no_dictionary_of_an_object_says_where_its_memory_is() -> None:
    """The program cannot write there; that NumPy would not ask is a second wall."""

    class Plain:
        pass

    refuse_objects(Plain)
    said = {"shape": (2,), "typestr": "|u1", "version": 3, "data": (4096, False)}
    for held in (Plain(), Module()):
        vars(held)["__array_interface__"] = said
        with pytest.raises((TypeError, RuntimeError), match="not available"):
            np.asarray(held)


def test_a_list_that_asks_the_program_is_no_array() -> None:
    """Or NumPy walks through ``outer`` while ``K`` empties it."""
    program = """
class K:
    def __len__(self): outer.clear(); return 1
    def __getitem__(self, place): outer.clear(); return 1.0
inner = collections.UserList()
inner.data = K()
outer = [inner, *([float(i)] for i in range(100))]
np.ones(2) + outer
"""
    error = run(PRELUDE + program).error
    assert error is not None
    assert error.message.startswith("NumPy arrays of dtype object")


def test_bytes_that_change_are_not_given() -> None:
    """In CPython ``b.find(x)`` searches on where ``x.__index__`` has freed the memory of ``b``."""
    assert run("bytearray(b'a')").error is not None


def test_functions_of_tensors_take_tensors_only() -> None:
    program = """
kept = []
class P(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kept.append(func)
        return super().__torch_function__(func, types, args, kwargs)
class Fake: pass
fake = Fake()
fake._a, fake._st, fake._view = np.ones(2), None, None
p = P([1., 2.])
p.shape; p.grad; p[0]; 1 - p; p == p; p % 2; len(p); p.grad = torch.ones(2); p.data = torch.ones(2)
for each in kept:
    for given in (fake, 5, None, nn.Linear(1, 1)):
        try:
            each(given, torch.ones(2))
        except TypeError:
            continue
        print(each)
"""
    trace = run(PRELUDE + program)
    assert (trace.error, trace.stdout) == (None, "")


def test_a_mode_ends_with_its_run() -> None:
    mode = """
class M(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None): return func(*args, **(kwargs or {}))
M().__enter__()
raise ValueError
"""
    assert run(PRELUDE + mode).error is not None
    trace = run("import torch\nx = torch.ones(2)\nprint(x * 2 + 1, x.shape)")
    assert (trace.error, trace.stdout) == (None, "tensor([3., 3.]) torch.Size([2])\n")


@pytest.mark.parametrize("method", ["", "@staticmethod", "@property"])
def test_torch_function_may_be_anything(method: str) -> None:
    """It is asked, or Python says what is wrong with it: nothing of the engine is told."""
    program = f"class P(torch.Tensor):\n    {method}\n    def __torch_function__(*given): return 5\nprint(P([1.]))"
    error = run(PRELUDE + program).error
    assert error is not None
    assert "__func__" not in error.message


def test_every_operator_asks_an_operand_that_is_no_tensor() -> None:
    program = """
import operator
class X:
    @classmethod
    def __torch_function__(cls, func, types, args, kwargs=None): return func.__name__
for name in ('add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt le gt ge').split():
    for pair in ((torch.ones(2), X()), (X(), torch.ones(2))):
        try:
            getattr(operator, name)(*pair)
        except TypeError as error:
            print(name, error)
"""
    trace = run(PRELUDE + program)
    assert trace.error is None
    assert "has no attribute" not in trace.stdout
