import torch
from torch import Tensor


class Metres(Tensor):
    pass


class Counted(Tensor):
    """Unwraps what it is asked about, and counts."""

    calls = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.calls.append(func.__name__)
        plain = [a.as_subclass(Tensor) if isinstance(a, cls) else a for a in args]
        return func(*plain, **(kwargs or {}))


class Silent(Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl


metres = torch.tensor([1.0, 2.5]).as_subclass(Metres)
print(type(metres.as_subclass(Tensor)), type(metres.as_subclass(Metres)), type(Tensor.as_subclass(metres, Tensor)))
counted = torch.tensor([3.0, -1.0]).as_subclass(Counted)
print(type(counted * 2), torch.relu(counted), counted.sum(), torch.add(counted, 1), Counted.calls)
print(type(counted.as_subclass(Metres)), Counted.calls[3:])
silent = torch.tensor([0.5, 4.0]).as_subclass(Silent)
print(type(silent), silent, type(silent + 1), type(2 * silent), type(silent[0]), type(silent.sum()), type(torch.exp(silent)))
print(type(silent + metres), type(metres * silent), type(silent.clone()), type(silent.detach()))
leaf = torch.ones(2, requires_grad=True)
again = (leaf * 3).as_subclass(Metres).as_subclass(Tensor)
again.sum().backward()
print(again, leaf.grad)
for other in (int, list):
    try:
        metres.as_subclass(other)
    except TypeError as error:
        print(error)


class Watching(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print("seen", func.__name__)
        return func(*args, **(kwargs or {}))


with Watching():
    metres.as_subclass(Tensor)
    torch.zeros(1).as_subclass(Metres)
