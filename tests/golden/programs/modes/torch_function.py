import functools

import torch

HANDLED = {}


def implements(function):
    @functools.wraps(function)
    def decorator(own):
        HANDLED[function] = own
        return own

    return decorator


class Quantity:
    def __init__(self, data, unit):
        self.data, self.unit = torch.as_tensor(data, dtype=torch.float32), unit

    def __repr__(self):
        return f"{self.data.tolist()} {self.unit}"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in HANDLED:
            return HANDLED[func](*args, **(kwargs or {}))
        print(func.__name__, len(types), len(args), kwargs)
        units = {a.unit for a in args if isinstance(a, Quantity)}
        if len(units) > 1:
            return NotImplemented
        return cls(func(*[a.data if isinstance(a, Quantity) else a for a in args], **(kwargs or {})), units.pop())


@implements(torch.exp)
def _exp(x):
    raise ValueError("no exp of " + x.unit)


@implements(torch.cat)
def _cat(tensors, dim=0):
    return Quantity(torch.cat([t.data for t in tensors], dim), tensors[0].unit)


a, b = Quantity([1.0, 2.0], "m"), Quantity([3.0, 4.0], "m")
print(torch.add(a, b), torch.sum(a, dim=0), torch.mul(a, 2.0), torch.add(a, 1, alpha=3), torch.cat([a, b]), torch.cat((a, b), dim=0))
for wrong in (lambda: torch.exp(a), lambda: torch.add(a, Quantity([1.0], "s")), lambda: torch.mean(object())):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, str(error).split(" got")[0].split("; ")[0])
