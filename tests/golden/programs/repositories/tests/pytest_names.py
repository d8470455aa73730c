import warnings

import numpy as np
import pytest
import torch

print(
    repr(pytest.approx(1.0)),
    repr(pytest.approx([1.0, 2.0])),
    repr(pytest.approx({"a": 1.0})),
    repr(pytest.approx(3, abs=0.2)),
    repr(pytest.approx(float("nan"))),
    repr(pytest.approx(1e-13)),
)


def t(f):
    try:
        f()
    except BaseException as e:
        print(type(e).__name__, repr(str(e)))


def a():
    with pytest.raises(ValueError):
        pass


t(a)


def b():
    with pytest.raises(ValueError, match="zzz"):
        raise ValueError("abc")


t(b)


def b2():
    with pytest.raises((ValueError, TypeError)):
        pass


t(b2)


@pytest.fixture
def fx():
    return 1


t(lambda: fx())

t(lambda: pytest.skip("why"))
t(lambda: pytest.fail("no"))
t(lambda: pytest.xfail("no"))


def c():
    with pytest.raises(ValueError) as ei:
        raise ValueError("abc")
    print(ei.type, ei.value, ei.typename, ei.match("a"), str(ei.value), ei.errisinstance(ValueError))


c()


def w():
    with pytest.warns(UserWarning, match="x") as r:
        warnings.warn("x")
    print(len(r), r[0].message)


w()


def w2():
    with pytest.warns(UserWarning):
        pass


t(w2)
print(pytest.param(1, 2, id="x"))
print(
    torch.tensor([1.0, 2.0]) == pytest.approx(torch.tensor([1.0, 2.0])),
    pytest.approx(torch.tensor([1.0, 2.0])) == [1, 2],
    np.array([1.0, 2]) == pytest.approx([1, 2.0]),
)
t(lambda: print(pytest.raises(ZeroDivisionError, lambda: 1 / 0).type))
t(lambda: 1 < pytest.approx(1))
t(lambda: pytest.approx([[1.0]]))
t(lambda: pytest.approx("a") == "a")
t(
    lambda: print(
        pytest.approx(1) == 1 + 1e-7,
        pytest.approx(1) == 1 + 1e-5,
        pytest.approx(0) == 1e-13,
        pytest.approx(1, rel=0.1) == 1.05,
        pytest.approx(1, abs=0.1) == 1.05,
        pytest.approx(float("inf")) == float("inf"),
        pytest.approx(float("nan")) == float("nan"),
        pytest.approx(float("nan"), nan_ok=True) == float("nan"),
        pytest.approx(1) == "a",
        {"a": 1.0} == pytest.approx({"a": 1.0}),
        (1, 2) == pytest.approx((1, 2)),
        [1] == pytest.approx((1,)),
        [1, 2] == pytest.approx([1]),
        None == pytest.approx(1),
        True == pytest.approx(True),
        pytest.approx(1 + 2j) == 1 + 2j,
        torch.tensor(1.0) == pytest.approx(1.0),
    )
)


def p1():
    with pytest.raises(ValueError):
        raise KeyError("a")


t(p1)
t(lambda: pytest.approx(1, rel=-1) == 1)
