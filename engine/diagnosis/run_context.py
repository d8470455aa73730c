"""What the record of a run knows about the error that ended it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from gradflow.engine.diagnosis.case import UNKNOWN, Context, Origin
from gradflow.engine.errors import details_of
from gradflow.engine.recording.chronology import EventEntry, in_order
from gradflow.engine.recording.entries import NodeEntry, TensorEntry, tensor_id
from gradflow.engine.recording.places import PlaceEntry
from gradflow.engine.tensor import Storage, Tensor
from gradflow.engine.trace import Span, Text

if TYPE_CHECKING:
    from gradflow.engine.recording.recorder import Recorder
    from gradflow.engine.recording.trace_builder import TraceBuilder

_LATEST: Final = 5000
_MOST_ORIGINS: Final = 300


def context_of(error: BaseException, trace_builder: TraceBuilder, recorder: Recorder, span: Span | None) -> Context:
    """What is known of an error. ``span`` is its place, where it is another one than Python's traceback says."""
    details = details_of(error)
    subject, storage = details.get("subject"), details.get("storage")
    entry = subject._entry if isinstance(subject, Tensor) else None
    record = _Record(trace_builder, recorder)
    writes = list(record.writes(storage, details)) if isinstance(storage, Storage) else []
    return Context(
        span=span,
        name=entry.first.names[0] if entry is not None and entry.first.names else None,
        shape=list(entry.array.shape) if entry is not None else None,
        tensor=tensor_id(entry) if entry is not None else None,
        related=writes[0] if writes else record.first_pass(),
        writes=writes,
        made_at=record.made_at,
        within_call=record.within_call,
        span_at=trace_builder.span,
        savers=lambda: list(record.savers(storage, details)) if isinstance(storage, Storage) else [],
        origins=lambda: list(record.origins(entry)) if entry is not None else [],
        first_nan=record.first_nan,
    )


def _written(noted: NodeEntry | EventEntry, storage: Storage) -> int | None:
    """The version of a storage that this function or event made; None where it wrote elsewhere."""
    if isinstance(noted, NodeEntry):
        before = max((one.version for one in noted.inputs if one.tensor._st is storage), default=0)
        made = [out.version for out in noted.outputs if out.tensor._st is storage and out.version > before]
    elif noted.kind == "step":
        made = [one.last.version for one in noted.told.get("tensors", ()) if one.tensor._st is storage]
    else:
        after = noted.told["after"] if noted.kind == "write" else None
        made = [after.version] if after is not None and after.tensor._st is storage else []
    return max(made, default=None)


def _is_within(place: PlaceEntry | None, outer: PlaceEntry) -> bool:
    while place is not None and place is not outer:
        place = place.parent
    return place is not None


class _Record:
    def __init__(self, trace_builder: TraceBuilder, recorder: Recorder) -> None:
        self.trace_builder, self.recorder = trace_builder, recorder
        self._by_span = cache(self._spans)

    def writes(self, storage: Storage, details: Mapping[str, object]) -> Iterator[Span]:
        """Where a storage was written after the version that the pass expected, where it expected one, last first."""
        expected = details.get("expected")
        kept = expected if isinstance(expected, int) else -1
        for noted in reversed(list(in_order(self.recorder.nodes, self.recorder.chronology.entries))):
            version = _written(noted, storage)
            if version is not None and version > kept and (span := self.trace_builder.span(noted.place)):
                yield span

    def savers(self, storage: Storage, details: Mapping[str, object]) -> Iterator[Span]:
        """Which functions saved a tensor of a storage at the version that the pass expected, last first."""
        expected = details.get("expected")
        for noted in reversed(self.recorder.nodes[-_LATEST:]):
            held = [one for _, one in noted.saved if one is not None and one.tensor._st is storage]
            if any(one.version == expected for one in held) and (span := self.trace_builder.span(noted.place)):
                yield span

    def first_pass(self) -> Span | None:
        """The last backward pass that freed its graph."""
        for earlier in reversed(self.recorder.passes):
            if earlier.complete and not earlier.retain_graph:
                return self.trace_builder.span(earlier.place)
        return None

    def made_at(self, span: Span) -> object:
        """The tensor that the expression at a span gave last."""
        return self._by_span().get(span, UNKNOWN)

    def _spans(self) -> dict[Span, Tensor]:
        found: dict[Span, Tensor] = {}
        passes = {self.trace_builder.span(one.place) for one in self.recorder.passes}
        for entry in self.recorder.entries[-_LATEST:]:
            span = self.trace_builder.span(entry.place)
            if span and (entry.pass_index is None or span not in passes):  # else no expression of the program gave it
                found[span] = entry.tensor
        return found

    def within_call(self, span: Span) -> list[TensorEntry]:
        """The tensors that were made while the call at a span ran last."""
        calls = [
            one
            for one in self.recorder.places.entries[-_LATEST:]
            if one.kind in ("call", "module") and self.trace_builder.span(one.position) == span
        ]
        if not calls:
            return []
        last = next(one for one in calls if _is_within(calls[-1], one))  # the layers of a row are called at its place
        return [entry for entry in self.recorder.entries[-_LATEST:] if _is_within(entry.within, last)]

    def first_nan(self, tensor: Tensor | None) -> tuple[Span | None, str, Text] | None:
        """Where the first nan was made, its text, and why; None where no function began it."""
        from gradflow.engine.diagnosis.traps.proven.trails import behind  # traps read the record as this does
        from gradflow.engine.diagnosis.traps.proven.undefined import why_nan

        nodes = self.recorder.nodes
        if tensor is not None:
            before = behind(tensor._entry) if tensor._entry is not None else ()
            nodes = sorted(
                {one.first.node for one in before if one.first.node is not None}, key=lambda node: node.number
            )
        for node in nodes:
            if (why := why_nan(node)) is not None:
                place = self.trace_builder.expression(node.place) or (node.op.name if node.op is not None else "")
                return self.trace_builder.span(node.place), " ".join(str(place).split()), Text(*why)
        return None

    def origins(self, entry: TensorEntry) -> Iterator[Origin]:
        """A tensor, and those that it was computed from, nearest first."""
        seen, waiting = {entry}, [entry]
        for current in waiting:
            yield self._origin(current)
            before = list(current.node.inputs) if current.node is not None else []
            before += [current.view_of] if current.view_of is not None else []
            for one in before:
                if one not in seen and len(seen) < _MOST_ORIGINS:
                    seen.add(one)
                    waiting.append(one)

    def _origin(self, entry: TensorEntry) -> Origin:
        op = entry.node.op.name if entry.node is not None and entry.node.op is not None else ""
        return Origin(
            span=self.trace_builder.span(entry.place),
            names=list(entry.first.names),
            operation=op,
            requires_grad=entry.requires_grad,
            floating=entry.array.dtype.kind in "fcV",
            backward=self._backward(entry),
        )

    def _backward(self, entry: TensorEntry) -> Span | None:
        """The backward pass that made a tensor."""
        for index, made in enumerate(self.recorder.passes):
            if entry.pass_index == index:
                return self.trace_builder.span(made.place)
        if entry.grad_of is not None and self.recorder.passes:
            return self.trace_builder.span(self.recorder.passes[-1].place)
        return None
