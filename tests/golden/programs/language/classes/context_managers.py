import contextlib
from contextlib import contextmanager, nullcontext, suppress
@contextmanager
def timer(name):
    print("start", name)
    try:
        yield 5
    finally:
        print("end", name)
with timer("a") as t:
    print(t)
with suppress(ZeroDivisionError):
    1 / 0
with nullcontext():
    print("n")
@contextlib.contextmanager
def freeze(m):
    yield
with freeze(1): print("in")
