"""The parameters of an operation, and what their annotations say of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray
"""A tensor parameter."""
Operand: TypeAlias = np.ndarray
"""A tensor parameter that also takes a Python number."""
Arrays: TypeAlias = Sequence[np.ndarray]
"""A parameter that takes a sequence of tensors."""
Spread: TypeAlias = tuple[int, ...]
"""A setting that can be given as one tuple or spread over the arguments: ``view(2, 3)``."""
Dims: TypeAlias = int | tuple[int, ...] | None
"""A setting that names dimensions: a single one is saved as a tuple of one."""

Kind = Literal["tensor", "operand", "tensors", "setting"]
_KINDS: Final[dict[str, Kind]] = {"Array": "tensor", "Operand": "operand", "Arrays": "tensors"}


@dataclass(frozen=True)
class Param:
    """A parameter of an operation."""

    name: str
    kind: Kind
    optional: bool
    spread: bool
    parameter: inspect.Parameter
    dims: bool = False

    def __str__(self) -> str:
        """As in a signature, without its annotation."""
        return str(self.parameter.replace(annotation=inspect.Parameter.empty))


def names_of(body: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the parameters of a body."""
    code = body.__code__
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
    return code.co_varnames[:count]


def params_of(body: Callable[..., Any]) -> Iterator[Param]:
    """The parameters of a body, in order."""
    for parameter in inspect.signature(body).parameters.values():
        annotation = str(parameter.annotation)
        kind = _KINDS.get(annotation.removesuffix(" | None"), "setting")
        optional, spread, dims = annotation.endswith("| None"), annotation == "Spread", annotation == "Dims"
        yield Param(parameter.name, kind, optional, spread, parameter, dims)


def pytorch_name(name: str) -> str:
    """The name that PyTorch's own tables have for a parameter or result; it goes through formulas sorted by these."""
    return {"input": "self", "out": "result"}.get(name, name)
