"""What a class shows of itself, functions and properties, works on objects of that class only, whichever way it is read."""

from __future__ import annotations

from typing import Final

import pytest

from gradflow.engine.namespace.layers.linear import Linear
from gradflow.engine.run import run

PRELUDE: Final = """
import collections, configparser, fractions, statistics
import torch
from torch import nn
class L(nn.Linear): pass
class O(torch.optim.SGD): pass
class P(torch.Tensor): pass
class Q(nn.Parameter): pass
class U(collections.UserDict): pass
class Fake:
    _a = _parser = _mu = _sigma = 'x'
class Z: pass
"""
FUNCTIONS: Final = """
super(L, L).forward(Fake(), torch.ones(2))
super(L, L).train(nn.Linear, True)
super(L, L).register_buffer(Fake(), 'name', torch.ones(1))
super(L, L).load_state_dict(nn.Linear, {})
super(O, O).step(Fake())
super(P, P).add(Fake(), 1)
super(Q, Q).add(Fake(), 1)
super(U, U).update(Fake(), a=1)
super(type('M', (L,), {}), L).forward(Fake(), torch.ones(2))
""".strip().splitlines()
PROPERTIES: Final = """
torch.Tensor.shape
torch.Tensor.data
torch.Tensor.grad
P.shape
super(P, P).shape
super(Q, Q).data
nn.Parameter.data
configparser.ConfigParser.optionxform
statistics.NormalDist.mean
fractions.Fraction.numerator
torch.Tensor.data.deleter(lambda self: None)
""".strip().splitlines()


@pytest.mark.parametrize("call", FUNCTIONS)
def test_a_function_of_a_base_takes_objects_of_its_class_only(call: str) -> None:
    error = run(PRELUDE + call).error
    assert error is not None
    assert error.type == "TypeError"
    assert "training" not in vars(Linear)


@pytest.mark.parametrize("found", PROPERTIES)
@pytest.mark.parametrize("use", ["Z().s", "Z().s = torch.ones(2)"])
def test_a_property_works_in_no_class_of_the_program(found: str, use: str) -> None:
    error = run(f"{PRELUDE}Z.s = {found}\nz = Z()\nz._a = z._parser = z._mu = z._values = 'x'\n{use}").error
    assert error is not None
    assert error.type in ("TypeError", "AttributeError")
    assert "requires a" in error.message or "no setter" in error.message, error.message


def test_where_it_belongs_it_works() -> None:
    program = """
class K:
    @property
    def own(self): return 5
Z.own = K.own
class M(P):
    alias = torch.Tensor.shape
    @property
    def lengths(self): return super().shape
m = M([1., 2.])
l = L(2, 3)
print(Z().own, m.alias, m.lengths, M.alias is M.alias, isinstance(torch.Tensor.shape, property), torch.Tensor.shape.__doc__)
print(super(L, L).forward(l, torch.ones(2)).shape, super(L, L).train(l, False).training)
"""
    trace = run(PRELUDE + program)
    assert trace.error is None
    assert trace.stdout == (
        "5 torch.Size([2]) torch.Size([2]) True True The lengths of the dimensions.\ntorch.Size([3]) False\n"
    )
