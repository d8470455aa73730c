"""Functions of integers alone: common divisors and multiples, shifts of bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.numerics.scalars import ZERO
from gradflow.engine.ops.pointwise.elementwise import (
    WHOLE,
    V,
    W,
    refuse_floats,
)
from gradflow.engine.out_rules import UNASKED
from gradflow.engine.registry import Operand, op

WHOLE_PAIRS = ((WHOLE, [[4, 6, 9], [6, -10, 7]]), (WHOLE, [[6], [0]]))


@op(
    refuses={"b": "gcd_cpu"},
    latex=r"\gcd\left(⟨0⟩, ⟨1⟩\right)",
    promote="common",
    inplace=True,
    edges=WHOLE_PAIRS,
    errors=((V, W, "\"gcd_cpu\" not implemented for 'Float'"),),
    out=UNASKED,
)
def gcd(input: Operand, other: Operand):
    """The greatest common divisor."""
    refuse_floats("gcd", input, other)
    return np.gcd(input, other)


@op(
    refuses={"b": "lcm_cpu"},
    latex=r"\operatorname{lcm}\left(⟨0⟩, ⟨1⟩\right)",
    promote="common",
    inplace=True,
    edges=WHOLE_PAIRS,
    errors=((V, W, "\"lcm_cpu\" not implemented for 'Float'"),),
    out=UNASKED,
)
def lcm(input: Operand, other: Operand):
    """The least common multiple."""
    refuse_floats("lcm", input, other)
    return np.lcm(input, other)


def _shift(name: str, latex: str, *methods: str) -> dict[str, Any]:
    full = f"bitwise_{name}_shift"
    return {
        "latex": latex,
        "promote": "common",
        "inplace": True,
        "functions": (full,),
        "methods": (full, *methods),
        "edges": ((WHOLE, 2), (WHOLE, [[1, 0, 70], [3, -1, 2]]), (np.array([1, 200], "uint8"), 3)),
        "errors": ((V, W, f"\"{name[0]}shift_cpu\" not implemented for 'Float'"),),
    }


@op(refuses={"b": "lshift_cpu"}, **_shift("left", r"⟨0⟩ \ll ⟨1⟩", "__lshift__"))
def bitwise_left_shift(input: Operand, other: Operand):
    """input << other: times a power of two."""
    refuse_floats("lshift", input, other)
    a, places = np.asarray(input), np.asarray(other)
    lost = (places < 0) | (places >= 8 * a.itemsize)
    return np.where(lost, ZERO[a.dtype], np.left_shift(a, np.where(lost, 0, places)))


@op(refuses={"b": "rshift_cpu"}, **_shift("right", r"⟨0⟩ \gg ⟨1⟩", "__rshift__"))
def bitwise_right_shift(input: Operand, other: Operand):
    """input >> other: divided by a power of two and rounded down."""
    refuse_floats("rshift", input, other)
    a, places = np.asarray(input), np.asarray(other)
    most = 8 * a.itemsize - 1
    return np.right_shift(a, np.where((places < 0) | (places > most), most, places))
