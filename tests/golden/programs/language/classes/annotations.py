from __future__ import annotations

import typing as t
from dataclasses import dataclass

from torch import Tensor


@dataclass
class Config:
    lr: float = 0.1
    sizes: t.List[int] | None = None


class Attributes(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__


def f(x: Tensor | None = None, *ys: t.List[Tensor], n: "int" = 3) -> Tensor | int:
    y: t.Optional[int] = n
    return y


c = Attributes(a=1)
c.b = 2
print(f(), f.__annotations__, Config(), Config.__annotations__, c.a, c.b, c.missing, c)
