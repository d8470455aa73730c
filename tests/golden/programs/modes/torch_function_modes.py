import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode, handle_torch_function, has_torch_function, is_tensor_like, resolve_name


class Log(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print("called", func.__name__, resolve_name(func), len(args))
        return func(*args, **(kwargs or {}))


class Count(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.n = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.n += 1
        return func(*args, **(kwargs or {}))


class Halves(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.rand:
            return torch.full(args, 0.5)
        return func(*args, **(kwargs or {}))


x = torch.ones(2, 3)
layer = torch.nn.Linear(3, 2)
with Log():
    y = x + 1
    z = torch.sin(y) * 2
    w = z.sum(dim=0)
    print(w.shape)
    F.relu(torch.zeros(3))
    x[0]
    torch.nn.ReLU()(x)
print(w)
with Count() as count:
    for _ in range(5):
        x = x * 2 + torch.ones(1)
print(count.n, x)
with Log(), Count() as inner:
    y = x.exp()
print(inner.n)
with Halves():
    print(torch.rand(2, 2))


class Symbol:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        print("asked for its text")
        return self.text

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return cls(func.__name__)


s = Symbol("s")
print("operators", torch.ones(2) + s, torch.ones(2) @ s, torch.ones(2) < s, s * torch.ones(2) if hasattr(s, "__mul__") else "no product")
print("functions", F.relu(s), F.linear(s, x), torch.nn.Linear(2, 2)(s), torch.stack([x, s]))
print(is_tensor_like(s), is_tensor_like(3), has_torch_function((s,)), has_torch_function((x,)))


def double(a):
    if has_torch_function((a,)):
        return handle_torch_function(double, (a,), a)
    return a * 2


print(double(s), double(2))
