import sys
import traceback

import torch


def product(a, b):
    try:
        return a @ b
    except RuntimeError as error:
        raise ValueError(f"{tuple(a.shape)} and {tuple(b.shape)} do not fit").with_traceback(error.__traceback__) from error


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        print(kind.__name__, value, trace is None)
        return True


try:
    product(torch.ones(2, 3), torch.ones(2, 3))
except ValueError as error:
    kind, value, trace = sys.exc_info()
    print(kind.__name__, value is error, trace is None, error.__traceback__ is None)
    print(type(error.__cause__).__name__, error.__cause__.__traceback__ is None)
    print(traceback.format_exception(type(error), error, error.__traceback__)[-1], end="")
    traceback.print_tb(error.__traceback__)
with Quiet():
    raise RuntimeError("kept quiet")
fresh = KeyError("fresh")
print(fresh.__traceback__ is None, fresh.with_traceback(None) is fresh)
try:
    fresh.with_traceback(3)
except TypeError as error:
    print(error)
x = torch.ones(2, requires_grad=True)
try:
    (x * 2).backward()
except RuntimeError as error:
    lines = traceback.format_exc().splitlines()
    print(lines[0], lines[-1])
