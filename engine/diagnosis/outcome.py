"""Whether a mended program does something worth doing: no gradient that goes nowhere, nothing empty, no loss that stays."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.recording.entries import PassEntry, TensorEntry
from gradflow.engine.recording.recorder import Recorder
from gradflow.engine.recording.trace_builder import TraceBuilder

_LATEST: Final = 5000
_TURNS: Final = 3


@dataclass(frozen=True)
class Before:
    """What the failed run did already, and so may be meant: tensors without elements, leaves that no variable holds."""

    empty: bool = False
    unnamed: bool = False

    @classmethod
    def of(cls, builder: TraceBuilder, source: str = "") -> Before:
        """What a run did, or would have done behind its error by what its source writes."""
        builder.naming.assign()
        unnamed = any(map(_is_unnamed, builder.recorder.entries[-_LATEST:])) or _writes_unnamed(source)
        return cls(has_empty(builder.recorder), unnamed)


def _writes_unnamed(source: str) -> bool:
    """Whether a program makes a leaf inside of a larger expression: ``torch.log(torch.rand(3, requires_grad=True))``."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    inner = (part for call in calls for part in (*call.args, getattr(call.func, "value", None)))
    return any(
        one.arg == "requires_grad" and isinstance(one.value, ast.Constant) and one.value.value is True
        for call in inner
        if isinstance(call, ast.Call)
        for one in call.keywords
    )


def _is_unnamed(entry: TensorEntry) -> bool:
    return entry.is_leaf and entry.requires_grad and not _is_kept(entry)


def is_sound(builder: TraceBuilder, before: Before) -> bool:
    """Whether what a mended program did is what somebody can have meant, as far as its record tells."""
    recorder = builder.recorder
    builder.naming.assign()
    backward = [one for one in recorder.passes if one.complete and one.kind == "backward"]
    if any(_leads_nowhere(one, before) for one in backward) or _repeats(backward) or _stays(backward):
        return False
    return not _trains_nothing(recorder) and (before.empty or not has_empty(recorder))


def has_empty(recorder: Recorder) -> bool:
    """Whether a tensor without elements was made, other than one beside what an operation was called for, as by `lstsq`."""
    latest = recorder.entries[-_LATEST:]
    giving = {id(entry.node) for entry in latest if entry.node is not None and entry.array.size}
    return any(not entry.array.size and (entry.names or id(entry.node) not in giving) for entry in latest)


def _leads_nowhere(made: PassEntry, before: Before) -> bool:
    """A pass that begins at a leaf, or reaches none that has a name."""
    if any(root.is_leaf and not isinstance(root.tensor, Parameter) for root, _, _ in made.roots):
        return True
    reached = [entry for entry, *_ in made.accumulations]
    return bool(reached) and not before.unnamed and not any(_is_kept(entry) for entry in reached)


def _is_kept(entry: TensorEntry) -> bool:
    return bool(entry.first.names) or isinstance(entry.tensor, Parameter)


def _repeats(passes: Iterable[PassEntry]) -> bool:
    """The same statement differentiates the same tensor again, with the same gradient."""
    seen = set()
    for one in passes:
        key = (one.place, tuple((id(root.tensor), array.tobytes()) for root, array, _ in one.roots))
        if one.roots and key in seen:
            return True
        seen.add(key)
    return False


def _stays(passes: Iterable[PassEntry]) -> bool:
    """A loss that is the same in every turn, and is no tensor of its own: nothing that it depends on is learned."""
    values: dict[object, list[Sequence[TensorEntry]]] = defaultdict(list)
    for one in passes:
        values[one.place].append([root for root, _, _ in one.roots])
    return any(
        len(turns) >= _TURNS and all(_same(turns[0], turn) for turn in turns[1:]) and not _is_flat(turns[0])
        for turns in values.values()
    )


def _same(first: Sequence[TensorEntry], other: Sequence[TensorEntry]) -> bool:
    return len(first) == len(other) and all(np.array_equal(a.array, b.array) for a, b in zip(first, other, strict=True))


def _is_flat(roots: Sequence[TensorEntry]) -> bool:
    """A loss of exactly 0 has nothing left to learn."""
    return all(not root.array.any() for root in roots)


def _trains_nothing(recorder: Recorder) -> bool:
    """Steps of optimizers, none of which wrote anything."""
    steps = [event for event in recorder.chronology.entries if event.kind == "step"]
    return bool(steps) and not any(event.told.get("tensors") for event in steps)
