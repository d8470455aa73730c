"""The mathematics of the functions of a run, stated once: the page puts symbols and numbers in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class TexToken:
    """A piece of mathematics between operands, in LaTeX."""

    tex: str
    kind: Literal["tex"] = "tex"


@dataclass(frozen=True, slots=True)
class OperandToken:
    """What a function was called with, or what reached it.

    ``role``: a ``value`` is the tensor that stands at the place of ``name`` in ``Rule.inputs`` or ``Rule.outputs``; a
    ``gradient`` is the upstream gradient, ``g`` that of the first output and ``g_indices`` that of the output
    ``indices``; a ``setting`` is found under its name in the function's attributes. ``transposed``: the last two
    dimensions change places. ``region``: only the elements that a CopySlices wrote, ``NodeRecord.region``.
    """

    name: str
    role: Literal["value", "gradient", "setting"]
    transposed: bool = False
    region: bool = False
    kind: Literal["operand"] = "operand"


Token: TypeAlias = TexToken | OperandToken


@dataclass(frozen=True, slots=True)
class Rule:
    """What a function computes, forward and backward, for the arguments that it was given.

    ``inputs`` and ``outputs`` name the tensors of ``NodeRecord.inputs`` and ``NodeRecord.outputs``, in their order; the
    tensors of a list have numbers, ``tensors.0``. ``forward`` is the right-hand side of the forward rule;
    ``gradients`` has the vector-Jacobian product for each input that has one, by its name without the number.
    ``expressions`` has the same as nested lists, ``["*", ["name", "g"], ["number", 2]]``, where the rule is one of
    whole arrays.
    """

    inputs: list[str]
    outputs: list[str]
    forward: list[Token]
    gradients: dict[str, list[Token]]
    expressions: dict[str, list[object]]
