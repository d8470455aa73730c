"""The mathematics of the functions of a run, stated once: the page puts symbols and numbers in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class TexToken:
    """A piece of mathematics between operands."""

    tex: str
    """The piece in LaTeX; alone it need not be well-formed."""
    kind: Literal["tex"] = "tex"
    """Tells this kind of token from the other."""


@dataclass(frozen=True, slots=True)
class OperandToken:
    """What a function was called with, or what reached it."""

    name: str
    """The operand's name: a place in ``Rule.inputs`` or ``Rule.outputs``, ``g``, ``g_indices``, or an attribute."""
    role: Literal["value", "gradient", "setting"]
    """A ``value`` is the tensor that stands at the place of ``name`` in ``Rule.inputs`` or ``Rule.outputs``; a
    ``gradient`` is the upstream gradient, ``g`` that of the first output and ``g_indices`` that of the output
    ``indices``; a ``setting`` is found under its name in the function's attributes."""
    transposed: bool = False
    """Whether its last two dimensions change places."""
    region: bool = False
    """Whether only the elements are meant that a CopySlices wrote, ``NodeRecord.region``."""
    kind: Literal["operand"] = "operand"
    """Tells this kind of token from the other."""


Token: TypeAlias = TexToken | OperandToken


@dataclass(frozen=True, slots=True)
class Rule:
    """What a function computes, forward and backward, for the arguments that it was given."""

    inputs: list[str]
    """Names of the tensors of ``NodeRecord.inputs``, in their order; those of a list have numbers, ``tensors.0``."""
    outputs: list[str]
    """Names of the tensors of ``NodeRecord.outputs``, in their order; those of a list have numbers."""
    forward: list[Token]
    """The right-hand side of the forward rule."""
    gradients: dict[str, list[Token]]
    """The vector-Jacobian product for each input that has one, by the input's name without its number."""
    expressions: dict[str, list[object]]
    """The same products as nested lists, ``["*", ["name", "g"], ["number", 2]]``, where the rule is one of whole
    arrays."""
