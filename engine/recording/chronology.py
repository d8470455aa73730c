"""What a program does besides calling functions, in its order: passes, writes, zeroing, steps, prints, hooks.

Functions are not noted here: each knows its number, and an event knows how many functions came before it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradflow.engine.autograd.node import AccumulateGrad, Node
from gradflow.engine.recording.entries import CodePosition, NodeEntry, TensorEntry
from gradflow.engine.recording.optimizer_steps import OptimizerSteps
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.recording.places import PlaceEntry
    from gradflow.engine.recording.tensor_notes import TensorNotes


During: TypeAlias = tuple[int, int]


class EventEntry:
    """One event. ``nodes``: how many functions came before it; ``told``: what its kind tells, with entries for ids;
    ``during``: the number of the pass that ran, and how many of its functions had.

    ``number`` is its index among all events, which the trace builder gives.
    """

    __slots__ = ("during", "kind", "nodes", "number", "place", "told", "within")

    def __init__(
        self, kind: str, nodes: int, place: CodePosition | None, within: PlaceEntry | None, told: dict[str, Any]
    ) -> None:
        self.kind, self.nodes, self.place, self.within, self.told = kind, nodes, place, within, told
        self.number: int | None = None
        self.during: During | None = None

    def tensors(self) -> Iterator[TensorEntry]:
        """The tensors that it tells of."""
        waiting = [*self.told.values()]
        while waiting:
            each = waiting.pop()
            if isinstance(each, TensorEntry):
                yield each
            elif isinstance(each, list | tuple):
                waiting += each


class Chronology:
    """The events of one run. A call in the program that does several things of a kind gives one event."""

    def __init__(self, recorder: TensorNotes) -> None:
        self.recorder = recorder
        self.entries: list[EventEntry] = []
        self.called: FrameType | None = None  # the engine's function that the program called for the last event
        self.steps = OptimizerSteps()
        self.fractions: dict[CodePosition, tuple[Tensor, float]] = {}  # what whole numbers were given, where they were

    def note(self, kind: str, place: CodePosition | None, **told: Any) -> EventEntry:
        """Enter an event."""
        entry = EventEntry(kind, len(self.recorder.nodes), place, self.recorder.within, told)
        entry.during = self.recorder.during()
        self.entries.append(entry)
        return entry

    def continued(self, kind: str, called: FrameType | None) -> EventEntry | None:
        """The last event, where the same call in the program gave it and it is of this kind."""
        same = called is not None and called is self.called
        self.called = called
        return self.entries[-1] if same and self.entries and self.entries[-1].kind == kind else None

    # -- what happens ---------------------------------------------------------------------------------------------

    def printed(self, text: str) -> None:
        """The program printed."""
        self.note("print", self.recorder.place(), text=text)

    def passed(self, index: int) -> None:
        """A backward pass began."""
        self.note("pass", self.recorder.place(), index=index)

    def hooked(self, node: Node, number: int | None) -> None:
        """A hook is about to run: of an output of a function or of a leaf, by number; without one, of the function."""
        tensor: TensorEntry | None = None
        made: NodeEntry | None = node.entry
        if isinstance(node, AccumulateGrad):
            tensor = self.recorder.entry(node.variable)
        elif number is not None and made is not None and number < len(made.outputs):
            tensor = made.outputs[number]
        self.note("hook", self.recorder.place(), tensor=tensor, node=made if number is None else None)

    def zeroed(self, leaves: Sequence[Tensor], to: str) -> None:
        """``.grad`` of leaves was set to None or to zeros."""
        if not leaves:
            return
        called, place = self.recorder.caller()
        known = self.continued("zero", called)
        if known is None or known.told["to"] != to:
            known = self.note("zero", place, tensors=[], to=to)
        known.told["tensors"] += [self.recorder.entry(leaf) for leaf in leaves]
        for grad in (leaf._grad for leaf in leaves):
            if grad is not None and grad._entry is not None:
                self.recorder.entry(grad).event = known

    def requires_grad_set(self, tensor: Tensor) -> None:
        """``requires_grad`` was changed; a mark where the program did so."""
        if sys._getframe(3).f_code.co_name in _SETTERS:  # what set the attribute
            self.marked([tensor])

    def marked(self, tensors: Iterable[Tensor] = ()) -> None:
        """Something was called that changes no value."""
        called, place = self.recorder.caller()
        if called is not None and called.f_code.co_name == "__init__":
            return  # a schedule begins
        known = self.continued("mark", called) or self.note("mark", place, tensors=[])
        known.told["tensors"] += [self.recorder.entry(tensor) for tensor in tensors]

    # -- writes ---------------------------------------------------------------------------------------------------

    @contextmanager
    def step(self, optimizer: Any) -> Iterator[None]:
        """An optimizer of the engine takes a step; what it writes meanwhile belongs to it."""
        called, place = self.recorder.caller()
        event = EventEntry("step", 0, place, self.recorder.within, {})
        step = self.steps.begin(optimizer, called, event)
        try:
            yield
        finally:
            if step.written or sys.exception() is None:
                event.told = self.steps.told(step, self.recorder.entry)
                event.nodes, event.during = len(self.recorder.nodes), self.recorder.during()
                self.entries.append(event)
            self.steps.end(step)

    def shown_to_closure(self) -> None:
        """A step calls its closure: what it has written until then is an event of its own."""
        if not self.steps.running:
            return
        step = self.steps.running[-1]
        for tensor in step.unseen:
            if tensor._entry is not None:
                last = tensor._entry.last
                event = self.note("write", step.event.place, before=last, by="no_grad", leaf=None)
                event.told["after"] = self.recorder.revised(last, event)
        step.unseen.clear()

    def wrote(self, tensor: Tensor, by: str | None = None, *, zero: bool = False) -> None:
        """A tensor has new values at its place in the graph. ``zero``: they are all 0."""
        written = tensor._entry
        if written is None or not written.continues(tensor):
            return
        entry, through_data = _owner(written, tensor)
        self.recorder.unchecked_writes |= through_data
        called, place = self.recorder.caller()
        step = self.steps.of(called)
        leaf = None if entry.grad_of is None else entry.grad_of.tensor
        if step is not None:
            step.written[entry.tensor] = step.unseen[entry.tensor] = None
        elif called is not None and called.f_code.co_name == "__init__" and not entry.index:
            self.recorder.rewritten(entry)
        elif zero and leaf is not None and leaf._grad is entry.tensor:
            self.zeroed([leaf], "zeros")
        else:
            way = "data" if through_data else by or ("in_place" if STATE.grad else "no_grad")
            self._note_write(entry, (called, place), way, leaf)

    def _note_write(
        self, entry: TensorEntry, at: tuple[FrameType | None, CodePosition | None], by: str, leaf: Tensor | None
    ) -> None:
        """A write is an event; what one call in the program writes several times over is written once."""
        known = self.continued("write", at[0])
        last = entry.last
        if known is not None and known.told["after"] is last and known.nodes == len(self.recorder.nodes):
            self.recorder.rewritten(last)
            return
        own = None if leaf is None or leaf._grad is not entry.tensor else self.recorder.entry(leaf)
        event = self.note("write", at[1], before=last, by=by, leaf=own)
        event.told["after"] = self.recorder.revised(last, event)

    def cut_off(self, whole: Tensor, value: Any) -> None:
        """A value is about to be written at elements of a tensor of whole numbers: its first fraction is noted, once a place."""
        array = value._a if isinstance(value, Tensor) else value
        if getattr(getattr(array, "dtype", None), "kind", "") != "f" and not isinstance(array, float):
            return
        place = self.recorder.place()
        if place is not None and place not in self.fractions:
            given = np.asarray(array, dtype=np.float64).reshape(-1)[:_LOOKED_AT]
            lost = given[np.isfinite(given) & (given != np.trunc(given))]
            if lost.size:
                self.fractions[place] = whole, float(lost[0])

    def assigned_grad(self, leaf: Tensor, grad: Tensor | None, before: Tensor | None) -> None:
        """``.grad`` became another tensor, or None."""
        if grad is None or (before is not None and not grad._a.any()):
            self.zeroed([leaf], "none" if grad is None else "zeros")
        else:
            told = {"before": None, "after": self.recorder.entry(grad), "leaf": self.recorder.entry(leaf)}
            self.note("write", self.recorder.place(), by="in_place", **told)

    def cause(self, entry: TensorEntry) -> EventEntry | None:
        """The event that gave a tensor the values that it is found with: a step in progress, or a write into its base."""
        for step in self.steps.running:
            if entry.tensor in step.written:
                return step.event
        return None if entry.view_of is None else entry.view_of.last.event


def _owner(entry: TensorEntry, tensor: Tensor) -> tuple[TensorEntry, bool]:
    """The tensor whose memory an alias shows, and whether it is one by ``.data``."""
    through_data, source = False, entry.view_of
    while source is not None and source.tensor._st.memory is tensor._st.memory:
        through_data |= entry.node is not None and entry.node.op is REGISTRY["data"]
        entry, source = source, source.view_of
    return entry.last, through_data


_LOOKED_AT = 64
"""Elements of a value that are looked at for fractions."""
_SETTERS = frozenset({"requires_grad_", "__setattr__", "write_over"})
"""What a program calls to change ``requires_grad``; where it is an argument, the tensor is new."""


def in_order(nodes: Sequence[NodeEntry], events: Sequence[EventEntry]) -> Iterator[NodeEntry | EventEntry]:
    """Functions and events in the order in which the program did them."""
    waiting = iter(events)
    event = next(waiting, None)
    for node in nodes:
        while event is not None and event.nodes <= node.number:
            yield event
            event = next(waiting, None)
        yield node
    while event is not None:
        yield event
        event = next(waiting, None)
