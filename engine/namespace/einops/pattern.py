"""Patterns of einops: ``b (h w) c -> b c h w`` read, checked, and turned into steps for tensors of one rank.

Source: A. Rogozhnikov, "Einops: Clear and Reliable Tensor Manipulations with Einstein-like Notation" (ICLR 2022).
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NoReturn, TypeAlias

from gradflow.engine.errors import EINOPS
from gradflow.engine.state import warn

ELLIPSIS: Final = "…"
REDUCTIONS: Final = ("min", "max", "sum", "mean", "prod", "any", "all")


def refuse(message: str) -> NoReturn:
    """Raise EinopsError."""
    raise EINOPS(message=message)


class Anonymous:
    """An axis of a pattern that has a length and no name. Each is an axis of its own."""

    def __init__(self, length: str) -> None:
        self.length = int(length)
        if self.length < 1:
            refuse(f"Anonymous axis should have positive length, not {self.length}")

    def __repr__(self) -> str:
        return f"{self.length}-axis"


Axis: TypeAlias = str | Anonymous


def check_name(name: str, underscore: bool = False) -> str:
    """Why a name is none for an axis; empty where it is one."""
    if not name.isidentifier():
        return "not a valid python identifier"
    if name[0] == "_" or name[-1] == "_":
        return "" if name == "_" and underscore else "axis name should should not start or end with underscore"
    if keyword.iskeyword(name):
        warn(f"It is discouraged to use axes names that are keywords: {name}", "RuntimeWarning")
    if name == "axis":
        warn("It is discouraged to use 'axis' as an axis name and will raise an error in future", "FutureWarning")
    return ""


@dataclass
class Side:
    """One side of a pattern: groups of axes in their order, with ``ELLIPSIS`` for all others."""

    groups: list[list[Axis]] = field(default_factory=list)
    names: dict[Axis, None] = field(default_factory=dict)
    has_ellipsis: bool = False
    ellipsis_in_group: bool = False

    @property
    def anonymous(self) -> bool:
        """Whether there are axes without a name."""
        return any(isinstance(name, Anonymous) for name in self.names)

    def axes(self) -> list[Axis]:
        """All axes in their order."""
        return [axis for group in self.groups for axis in group]

    def expanded(self, others: Sequence[str]) -> list[list[Axis]]:
        """The groups, with the given axes in the place of the ellipsis."""
        found: list[list[Axis]] = []
        for group in self.groups:
            if group == [ELLIPSIS] and not self.ellipsis_in_group:
                found += [[axis] for axis in others]
            else:
                found.append([each for axis in group for each in (others if axis == ELLIPSIS else (axis,))])
        return found


def read(text: str, *, underscore: bool = False, duplicates: bool = False) -> Side:
    """One side of a pattern. Raises EinopsError."""
    side = Side(has_ellipsis="." in text)
    if side.has_ellipsis:
        if "..." not in text:
            refuse("Expression may contain dots only inside ellipsis (...)")
        if text.count("...") != 1 or text.count(".") != 3:
            refuse("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
    group: list[Axis] | None = None
    name = ""
    text = text.replace("...", ELLIPSIS)
    for character in text:
        if character not in "() ":
            if not (character.isalnum() or character in ("_", ELLIPSIS)):
                refuse(f"Unknown character '{character}'")
            name += character
            continue
        if name:
            _add(side, name, group, underscore, duplicates)
            name = ""
        group = _bracket(side, character, group)
    if group is not None:
        refuse(f'Imbalanced parentheses in expression: "{text}"')
    if name:
        _add(side, name, group, underscore, duplicates)
    return side


def _bracket(side: Side, character: str, group: list[Axis] | None) -> list[Axis] | None:
    if character == "(":
        if group is not None:
            refuse("Axis composition is one-level (brackets inside brackets not allowed)")
        return []
    if character == ")":
        if group is None:
            refuse("Brackets are not balanced")
        side.groups.append(group)
        return None
    return group


def _add(side: Side, name: str, group: list[Axis] | None, underscore: bool, duplicates: bool) -> None:
    if name in side.names and not duplicates and not (underscore and name == "_"):
        refuse(f'Indexing expression contains duplicate dimension "{name}"')
    axis: Axis = name
    if name == ELLIPSIS:
        side.ellipsis_in_group = group is not None
    elif name.isdecimal():
        if int(name) == 1:
            if group is None:
                side.groups.append([])
            return
        axis = Anonymous(name)
    elif reason := check_name(name, underscore):
        refuse(f"Invalid axis identifier: {name}\n{reason}")
    side.names[axis] = None
    if group is None:
        side.groups.append([axis])
    else:
        group.append(axis)


# -- steps -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Steps:
    """What a pattern does with tensors of one rank: split axes, reorder them, reduce the last, add new ones, join."""

    left: list[list[Axis]]
    right: list[list[Axis]]
    order: list[int] | None
    """The axes after the split, in the order of the result with the reduced ones last; None where that is theirs."""
    kept: int
    added: dict[int, Axis]


def steps(pattern: str, operation: Any, given: Iterable[str], rank: int) -> Steps:
    """The steps of a pattern. ``operation``: rearrange, repeat, a reduction by name or by function. Raises EinopsError."""
    text, names = str.__str__(pattern), tuple(map(str.__str__, given))  # exact: what is kept must not be the program's
    if isinstance(operation, str):
        return _kept_steps(text, str.__str__(operation), names, rank)
    return _steps(text, operation, names, rank)


def _steps(pattern: str, operation: Any, names: tuple[str, ...], rank: int) -> Steps:
    left_text, right_text = pattern.split("->")
    left, right = read(left_text), read(right_text)
    if right.has_ellipsis and not left.has_ellipsis:
        refuse(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if left.ellipsis_in_group:
        refuse(f"Ellipsis inside parenthesis in the left side is not allowed: {pattern}")
    _check_agreement(left, right, operation, names)
    others = _others(left, rank)
    lefts, rights = left.expanded(others), right.expanded(others)
    inputs, outputs = [a for g in lefts for a in g], [a for g in rights for a in g]
    _check_lengths(lefts, {*inputs, *outputs}, names)
    reduced = [axis for axis in inputs if axis not in outputs]
    order = [inputs.index(axis) for axis in (*(a for a in outputs if a in inputs), *reduced)]
    added = {place: axis for place, axis in enumerate(outputs) if axis not in inputs}
    ordered = order == list(range(len(order)))
    return Steps(lefts, rights, None if ordered else order, len(inputs) - len(reduced), added)


_kept_steps = lru_cache(256)(_steps)


def _check_agreement(left: Side, right: Side, operation: Any, names: tuple[str, ...]) -> None:
    """Axes are new in repeat only, and vanish in reductions only."""
    if operation == "rearrange":
        if left.anonymous or right.anonymous:
            refuse("Non-unitary anonymous axes are not supported in rearrange (exception is length 1)")
        if difference := {*left.names} ^ {*right.names}:
            refuse(f"Identifiers only on one side of expression (should be on both): {difference}")
    elif operation == "repeat":
        if difference := {*left.names} - {*right.names}:
            refuse(f"Unexpected identifiers on the left side of repeat: {difference}")
        named = {axis for axis in right.names if not isinstance(axis, Anonymous)}
        if without := named - {*left.names, *names}:
            refuse(f"Specify sizes for new axes in repeat: {without}")
    elif operation in REDUCTIONS or callable(operation):
        if difference := {*right.names} - {*left.names}:
            refuse(f"Unexpected identifiers on the right side of reduce {operation}: {difference}")
    else:
        refuse(f"Unknown reduction {operation}. Expect one of {REDUCTIONS}.")


def _others(left: Side, rank: int) -> list[str]:
    """The axes that an ellipsis stands for."""
    wanted = len(left.groups) - left.has_ellipsis
    if left.has_ellipsis and rank < wanted:
        refuse(f"Wrong shape: expected >={wanted} dims. Received {rank}-dim tensor.")
    if not left.has_ellipsis and rank != wanted:
        refuse(f"Wrong shape: expected {wanted} dims. Received {rank}-dim tensor.")
    return [f"{ELLIPSIS}{i}" for i in range(rank - wanted)]


def _check_lengths(groups: Iterable[list[Axis]], axes: set[Axis], names: tuple[str, ...]) -> None:
    for name in names:
        if check_name(name):
            refuse(str(("Invalid name for an axis", name)))
        if name not in axes:
            refuse(f"Axis {name} is not used in transform")
    for group in groups:
        unknown = {axis for axis in group if not isinstance(axis, Anonymous) and axis not in names}
        if len(unknown) > 1:
            refuse(f"Could not infer sizes for {unknown}")


def lengths(steps: Steps, shape: Sequence[int], given: Mapping[str, int]) -> dict[Axis, int]:
    """The length of every axis. Raises EinopsError where the shape does not fit."""
    found: dict[Axis, int] = {
        name: int.__index__(length) if isinstance(length, int) else length for name, length in given.items()
    }
    found |= {
        axis: axis.length for group in (*steps.left, *steps.right) for axis in group if isinstance(axis, Anonymous)
    }
    for group, length in zip(steps.left, shape, strict=True):
        unknown = [axis for axis in group if axis not in found]
        known = math.prod(found[axis] for axis in group if axis in found)
        if not unknown:
            if length != known:
                refuse(f"Shape mismatch, {length} != {known}")
        elif known == 0 or length % known:
            refuse(f"Shape mismatch, can't divide axis of length {length} in chunks of {known}")
        else:
            found[unknown[0]] = length // known
    return found
