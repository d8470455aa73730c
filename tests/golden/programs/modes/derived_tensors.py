import torch
import torch.nn as nn
import torch.nn.functional as F


class Tagged(torch.Tensor):
    """A tensor that carries a tag and hands it on."""

    @staticmethod
    def __new__(cls, data, tag="", *args, **kwargs):
        return super().__new__(cls, data, *args, **kwargs)

    def __init__(self, data, tag=""):
        self.tag = tag

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        result = super().__torch_function__(func, types, args, kwargs)
        tags = [a.tag for a in args if isinstance(a, Tagged) and hasattr(a, "tag")]
        if isinstance(result, Tagged) and tags:
            result.tag = "+".join(tags)
        return result

    def shout(self):
        return self.tag.upper()


a, b = Tagged([1.0, 2.0], "a"), Tagged(torch.tensor([3.0, 4.0]), tag="b")
c = a * b + 1
print(c, c.tag, type(c).__name__, c.shout(), isinstance(c, torch.Tensor), issubclass(Tagged, torch.Tensor))
print(torch.ones(2) - a, (2 / b).tag, torch.stack([torch.ones(2), b]), F.relu(a).tag, a[0], a.sum().item(), a.tolist())
print([type(each).__name__ for each in a], a.max(dim=0), a.split(1), a.numpy(), a.shape, len(a), a == b)


class Plain(torch.Tensor):
    pass


leaf = torch.arange(3.0, requires_grad=True)
view = leaf.as_subclass(Plain)
loss = (view**2).sum()
print(view, view.grad_fn, loss, loss.grad_fn)
loss.backward()
print(leaf.grad, type(leaf.grad))
made = torch.Tensor._make_subclass(Plain, torch.ones(2), True)
print(made, made.is_leaf, nn.Linear(2, 1)(made).shape, type(nn.Sequential(nn.Linear(2, 2), nn.Tanh())(made)))
print(type(made.detach()), type(made.data), type(made.clone()), type(made.grad), f"{made.sum().item():.1f}")


class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("called", func.__name__, [t.__name__ for t in types])
        return super().__torch_function__(func, types, args, kwargs or {})


x = torch.tensor([[1.0, -2.0], [3.0, 4.0]]).as_subclass(Logged)
y = torch.matmul(x, x.T) + 1 - torch.ones(2)
z = F.softmax(nn.ReLU()(y), dim=1).mean(dim=0)
print(z)
x[0, 0] = 5
x += 1
print(x.shape, x.dtype, x.requires_grad, 1 - x, -x, x > 2)
del x, y, z


class Meters(torch.Tensor):
    HANDLED = {}

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in cls.HANDLED:
            return cls.HANDLED[func](*args, **(kwargs or {}))
        if func is torch.Tensor.mul:
            raise TypeError("no square meters")
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    def clone(self):
        print("own clone")
        return super().clone()

    def __repr__(self):
        return f"{self.as_subclass(torch.Tensor).tolist()} m"


def mean_of_meters(input):
    return float(sum(input.as_subclass(torch.Tensor))) / len(input)


Meters.HANDLED[torch.mean] = mean_of_meters
m = torch.tensor([1.0, 3.0]).as_subclass(Meters)
print(m, torch.mean(m), m.clone(), type(m + m))
for wrong in (lambda: m * 2, lambda: m.as_subclass(int), lambda: Plain([1.0]) + Tagged([1.0]), lambda: f"{Plain([1.0]):.1f}", lambda: Plain("ab")):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
