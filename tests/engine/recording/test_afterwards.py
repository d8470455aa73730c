"""What code of a program does while its run is told of is no part of the run."""

from __future__ import annotations

import json

import pytest

from gradflow.engine.run import run

METHODS = (
    "__repr__ __str__ __eq__ __hash__ __len__ __iter__ __getitem__ __contains__ __bool__ __getattr__ extra_repr modules named_modules"
    " children parameters named_parameters keys values items"
)

PROGRAM = """
import torch
from torch import nn
armed = []
def change():
    if armed:
        print("forged")
        with torch.no_grad():
            net.inner.weight.fill_(777.0)
            net.inner.weight.grad.fill_(333.0)
            y.data.fill_(555.0)
        net.inner.weight.requires_grad_(False)
        net.inner.bias.grad = None
        (torch.full((2, 2), 888.0, requires_grad=True) * 2).sum().backward()
        torch.set_default_dtype(torch.float64)
class Told:
    pass
class Items(list):
    pass
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 1)
        self.told = Told()
        self.hidden = Items([nn.Linear(1, 1)])
    def forward(self, x):
        return self.inner(x)
def named(cls, name):
    def method(self, *given):
        change()
        return getattr(super(cls, self), name)(*given)
    setattr(cls, name, method)
for name in METHODS.split():
    for cls in (Told, Items, Net):
        try: named(cls, name)
        except Exception: pass
torch.manual_seed(0)
net, told, items = Net(), Told(), Items([1])
y = net(torch.ones(2, 1))
s = (y * y).sum()
s.backward()
print("honest")
armed.append([1])
""".replace("METHODS", repr(METHODS))

ERRORS = (
    "s.backward()",
    "y.item()",
    "inner(torch.ones(2, 3))",
    "y.missing",
    "netz",
    "raise ValueError('none')",
    "torch.ones(2) @ torch.ones(3)",
    "torch.optim.SGD(5, lr=0.1)",
)


@pytest.mark.parametrize("error", ERRORS)
def test_nothing_is_printed_recorded_or_written_by_the_diagnosis(error: str) -> None:
    runs = [run(PROGRAM.replace("armed.append", append) + error) for append in ("len", "armed.append")]
    assert runs[0].error is not None
    assert [each.stdout for each in runs] == ["honest\n"] * 2
    told = [json.loads(each.json()) for each in runs]  # type: ignore[attr-defined]
    for name in ("tensors", "nodes", "passes", "events"):
        assert told[0][name] == told[1][name]
    assert run("import torch\nprint(torch.ones(1).dtype)").stdout == "torch.float32\n"


def test_what_json_asks_prints_nothing_and_leaves_nothing() -> None:
    source = """
import torch, typing
class Key:
    def __hash__(self): return hash(int)
    def __eq__(self, other): return True
    def __call__(self): pass
class Items(list):
    def __iter__(self):
        typing.List[Key()]
        print("asked")
        return super().__iter__()
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.hidden = torch.nn.Linear(1, 1), Items([torch.nn.Linear(1, 1)])
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net.inner(torch.ones(2, 1)).sum().backward()
optimizer.step()
"""
    trace = run(source)
    assert (trace.error, trace.stdout) == (None, "")
    assert [each for each in trace.events if "asked" in str(each)] == []
    assert run("import typing\nprint(typing.List[int])").stdout == "typing.List[int]\n"
