"""From the recorder's notes of events to those of a `Trace`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gradflow.engine.namespace.optim.rules import SYMBOLS
from gradflow.engine.recording.attributes import plain
from gradflow.engine.recording.chronology import EventEntry, in_order
from gradflow.engine.recording.entries import NodeEntry, TensorEntry, node_id, pass_id, tensor_id
from gradflow.engine.recording.place_records import place_id
from gradflow.engine.trace import Event, TexToken

if TYPE_CHECKING:
    from gradflow.engine.recording.chronology import During
    from gradflow.engine.recording.trace_builder import TraceBuilder

Told = dict[str, Any]


class EventRecords:
    """Writes the events of one run."""

    def __init__(self, builder: TraceBuilder) -> None:
        self.builder = builder
        self.inside: During | None = None
        self.writers: dict[str, Callable[[Told], Told]] = {
            "pass": lambda told: {"pass": pass_id(told["index"])},
            "print": lambda told: {"text": told["text"]},
            "mark": lambda told: {"tensors": _ids(told["tensors"])},
            "zero": lambda told: {"tensors": _ids(told["tensors"]), "to": told["to"]},
            "hook": self.hook,
            "step": self.step,
            "write": self.write,
        }

    def all(self) -> list[Event]:
        """The events in the order in which the program did them."""
        result: list[Any] = []
        selection = self.builder.selection
        for noted in in_order(selection.nodes, self.builder.recorder.chronology.entries):
            if isinstance(noted, EventEntry):
                noted.number = None
                if not selection.has_event(noted):
                    continue
                noted.number = len(result)
                result.append(self.event(noted))
                self.inside = noted.during
            else:
                told = {"kind": "function", "node": node_id(noted), **self.common(noted)}
                result.append(told | self.during(self.inside) if self.is_inside(noted) else told)
        return result

    def is_inside(self, noted: NodeEntry) -> bool:
        """Whether a hook, or a function of the program's own, called a function during a pass."""
        if self.inside is None or noted.pass_index is not None:
            return False
        return noted.number < self.builder.recorder.passes[self.inside[0]].ended

    def during(self, during: During | None) -> Told:
        """Of which pass something is a part, and before which of its steps; nothing outside of passes."""
        if during is None:
            return {}
        number, count = during
        steps = self.builder.recorder.passes[number].steps[:count]
        kept = sum(self.builder.selection.has_node(step.node) for step in steps)
        return {"during": {"pass_id": pass_id(number), "step": kept}}

    def common(self, noted: EventEntry | NodeEntry) -> Told:
        """What all events have: where in the run, and where in the source."""
        return {"place": place_id(noted.within), "span": self.builder.span(noted.place)}

    def event(self, noted: EventEntry) -> Told:
        told = {"kind": noted.kind, **self.writers[noted.kind](noted.told), **self.common(noted)}
        told |= self.during(noted.during)
        if noted.kind in ("write", "mark"):
            told["expression"] = self.builder.statement(noted.place)
        return told

    def hook(self, told: Told) -> Told:
        tensor, node = told["tensor"], told["node"]
        return {
            "tensor": None if tensor is None else tensor_id(tensor),
            "node": node_id(node) if node is not None and self.builder.selection.has_node(node) else None,
        }

    def write(self, told: Told) -> Told:
        before, after, leaf = told["before"], told["after"], told["leaf"]
        return {
            "tensor": tensor_id(after if leaf is None else leaf),
            "of": "value" if leaf is None else "grad",
            "grad": None if leaf is None else tensor_id(after),
            "before": None if before is None else before.index,
            "after": after.index,
            "by": told["by"],
        }

    def step(self, told: Told) -> Told:
        groups, buffers = told["groups"], self.buffers(told["buffers"])
        rule = groups[0][2] if groups else []
        names = {name for _, settings, _ in groups for name in settings} | {
            n for held in buffers.values() for n in held
        }
        return {
            "optimizer": told["optimizer"],
            "tensors": _ids(told["tensors"]),
            "rule": [TexToken(line) for line in rule],
            "state": {
                "symbols": {name: SYMBOLS[name] for name in sorted(names) if name in SYMBOLS},
                "groups": [
                    {
                        "tensors": _ids(changed),
                        "settings": {name: plain(given) for name, given in settings.items()},
                        **({"rule": [TexToken(line) for line in own]} if own != rule else {}),
                    }
                    for changed, settings, own in groups
                ],
                "buffers": buffers,
            },
        }

    def buffers(self, told: Sequence[tuple[TensorEntry, str, Any, Any]]) -> dict[str, Told]:
        found: dict[str, Told] = {}
        for entry, name, before, after in told:
            values = {"before": self.builder.optional(before), "after": self.builder.value(after)}
            found.setdefault(tensor_id(entry), {})[name] = values
        return found


def _ids(entries: Sequence[TensorEntry]) -> list[str]:
    """The ids of tensors, each once."""
    return list(dict.fromkeys(tensor_id(entry) for entry in entries))
