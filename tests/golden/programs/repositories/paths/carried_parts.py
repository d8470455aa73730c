import base64
import os
import unicodedata
from functools import update_wrapper

import torch
from torch import nn
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear
from torch.optim.optimizer import Optimizer, ParamsT

HANDLED = {}


def implements(function):
    def register(own):
        update_wrapper(own, function)
        HANDLED[function] = own
        return own

    return register


def half(x):
    """Half of it."""
    return x / 2


@implements(half)
def other(x):
    return x * 0.5


print(other.__name__, other.__doc__, HANDLED[half](torch.ones(2)))


def plain(text):
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


print(plain("Ślusàrski"), base64.b64decode(base64.b64encode(b"weights")), list(os.walk("/no/such/place")))


class Sub(nn.Sequential):
    def __init__(self, *layers):
        super().__init__(*layers)
        self._register_load_state_dict_pre_hook(self._before)
        self._register_load_state_dict_pre_hook(
            lambda module, state, *rest: print(type(module).__name__, rest[0]), True
        )

    def __getattr__(self, name):
        if name == "magic":
            return 42
        return super().__getattr__(name)

    def _before(self, state, prefix, *rest):
        if prefix + "old.weight" in state:
            state[prefix + "0.weight"] = state.pop(prefix + "old.weight")

    def __del__(self):
        pass


s = Sub(nn.Linear(2, 1, bias=False))
print(s.magic, getattr(s, "0"), [cls.__name__ for cls in Sub.__mro__], Sub.__bases__)
print(s.load_state_dict({"old.weight": torch.ones(1, 2)}), s[0].weight)
try:
    s.nothing
except AttributeError as error:
    print(error)
print(
    NonDynamicallyQuantizableLinear(2, 2),
    isinstance(nn.MultiheadAttention(2, 1).out_proj, NonDynamicallyQuantizableLinear),
)


class Lookahead(Optimizer):
    def __init__(self, base: ParamsT, k=2):
        self.base, self.k, self.count = base, k, 0
        self.param_groups, self.state = base.param_groups, base.state
        self.slow = [[p.detach().clone() for p in g["params"]] for g in base.param_groups]

    def zero_grad(self):
        self.base.zero_grad()

    def step(self):
        self.base.step()
        self.count += 1
        if self.count % self.k == 0:
            for group, slow in zip(self.param_groups, self.slow):
                for p, q in zip(group["params"], slow):
                    q.add_(p.data - q, alpha=0.5)
                    p.data.copy_(q)


p = nn.Parameter(torch.tensor([1.0, -2.0]))
opt = Lookahead(torch.optim.SGD([p], lr=0.1))
for _ in range(4):
    opt.zero_grad()
    p.square().sum().backward()
    opt.step()
    print(p.data, opt.count)
print(torch.ones(1).is_shared())
