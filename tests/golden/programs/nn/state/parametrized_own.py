"""Modules of our own with private names, while something of them is parametrized."""

import copy
import torch, torch.nn as nn
import torch.nn.utils.parametrize as P
from torch.nn.utils.parametrizations import weight_norm, spectral_norm, orthogonal


class Gate(nn.Module):
    _version_of_gate = 3

    def __init__(self, n):
        super().__init__()
        self._scale = 2.0
        self.weight = nn.Parameter(torch.arange(float(n * n)).view(n, n))
        self._inner = nn.Parameter(torch.ones(n))
        self.register_buffer("_seen", torch.zeros(()))
        self._calls = 0

    @property
    def _half(self):
        return self._scale / 2

    @staticmethod
    def _twice(x):
        return 2 * x

    @classmethod
    def _make(cls):
        return cls.__name__

    def _helper(self, x):
        self._calls += 1
        self._last = x.shape
        return self._twice(x) * self._scale * self._half

    def forward(self, x):
        self._seen += 1
        return self._helper(x @ self.weight) + self._inner


class Shift(nn.Module):
    def forward(self, x):
        return x + 1

    def right_inverse(self, x):
        return x - 1


g = Gate(2)
P.register_parametrization(g, "weight", Shift())
print(g(torch.ones(2)), g._calls, g._last, g._seen, g._make(), g._version_of_gate)
print(sorted(g._parameters), sorted(g._buffers), list(g._modules), g._scale)
P.register_parametrization(g, "_inner", nn.Identity())
print(g(torch.ones(2)), P.is_parametrized(g, "_inner"), type(g).__name__, P.type_before_parametrizations(g).__name__)
g._scale = 1.0
del g._last
print(hasattr(g, "_last"), g(torch.ones(2)), "_scale" in vars(g))
g.weight = torch.eye(2)
print(g.weight, g.parametrizations.weight.original)
h = copy.deepcopy(g)
print(h(torch.ones(2)), h._calls, g._calls)
P.register_parametrization(g, "weight", Shift())
print(len(g.parametrizations.weight), g.weight)
P.remove_parametrizations(g, "_inner")
print(type(g).__name__, P.is_parametrized(g), P.is_parametrized(g, "_inner"))
P.remove_parametrizations(g, "weight", leave_parametrized=False)
print(type(g).__name__, g.weight, g._helper(torch.ones(1)), P.is_parametrized(g), list(g.state_dict()))
for wrap in (weight_norm, spectral_norm, orthogonal):
    m = wrap(Gate(2))
    print(m._helper(torch.ones(1)), m(torch.ones(2)).shape, list(m._modules))


class Big(Gate):
    def _helper(self, x):
        return super()._helper(x) + 1


b = weight_norm(Big(2))
print(b(torch.ones(2)).shape, b._calls)


class L(nn.Linear):
    def _w(self):
        return self.weight.sum() * 0


l = spectral_norm(L(2, 2))
print(l._w(), sorted(l._parameters))
with P.cached():
    print(torch.equal(l.weight, l.weight), l.weight is l.weight)
try:
    P.remove_parametrizations(l, "bias")
except ValueError as e:
    print(str(e).splitlines()[0][:30], str(e)[-20:])
