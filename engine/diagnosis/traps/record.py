"""What traps are read from: the recorder's notes of a run, its text, and its names when it was over."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from types import ModuleType, NoneType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gradflow.engine.diagnosis.case import Case, Context, apply_edits
from gradflow.engine.recording.chronology import EventEntry, in_order
from gradflow.engine.recording.entries import CodePosition, NodeEntry, PassEntry, TensorEntry, tensor_id
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.program import Rejected, check
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Note, Span, Text

if TYPE_CHECKING:
    from gradflow.engine.recording.trace_builder import TraceBuilder
    from gradflow.engine.registry import Op
    from gradflow.engine.sandbox.program import Program


_PLAIN: Final = int | float | str | tuple | NoneType
"""Values that many names may have by chance."""


@dataclass(frozen=True)
class Trap:
    """A mistake that raises no error: its code, and what is said of it, with names in braces to be filled in."""

    code: str
    en: str
    zh: str

    def note(
        self,
        span: Span | None,
        tensors: Iterable[TensorEntry] = (),
        fix: Fix | None = None,
        **words: Any,
    ) -> Note:
        """The note of one place where a program walked into it. Words may differ in the two languages."""
        en = {key: word.en if isinstance(word, Text) else word for key, word in words.items()}
        zh = {key: word.zh if isinstance(word, Text) else word for key, word in words.items()}
        text = Text(self.en.format(**en), self.zh.format(**zh))
        return Note(self.code, span, text, fix, list(dict.fromkeys(tensor_id(entry) for entry in tensors)))


class Record:
    """One run that is over."""

    def __init__(self, builder: TraceBuilder, program: Program) -> None:
        self.builder, self.program, self.recorder = builder, program, builder.recorder
        top = dict(builder.namespace)
        inside = program.kept_locals.names()
        self.namespace: Mapping[str, object] = top | {name: one for name, one in inside.items() if name not in top}
        self._of_op: dict[Op | None, list[NodeEntry]] = {}
        for node in self.recorder.nodes:
            self._of_op.setdefault(node.op, []).append(node)

    def named(self) -> list[tuple[str, object]]:
        """What has a name at the end, each object once: a function may have it under another name than the program."""
        found: dict[int, tuple[str, object]] = {}
        for name, value in self.namespace.items():
            found.setdefault(-1 - len(found) if isinstance(value, _PLAIN) else id(value), (name, value))
        return list(found.values())

    def held(self) -> list[object]:
        """The objects themselves."""
        return [value for _, value in self.named()]

    def calls(self, names: str) -> list[NodeEntry]:
        """The calls of some operations, those of one after those of the other."""
        return [node for op in _operations(names) for node in self._of_op.get(op, ())]

    def alike(self, node: NodeEntry) -> list[NodeEntry]:
        """The calls of the operation that a function is a call of."""
        return self._of_op.get(node.op, [])

    @property
    def passes(self) -> list[PassEntry]:
        """The backward passes, in their order."""
        return self.recorder.passes

    @cached_property
    def steps(self) -> list[EventEntry]:
        """The steps of optimizers, in their order."""
        return [event for event in self.recorder.chronology.entries if event.kind == "step"]

    def events(self) -> Iterator[EventEntry]:
        """What the program did besides calling functions."""
        return iter(self.recorder.chronology.entries)

    def in_order(self) -> Iterator[NodeEntry | EventEntry]:
        """Functions and events in the program's order."""
        return in_order(self.recorder.nodes, self.recorder.chronology.entries)

    @cached_property
    def consumers(self) -> dict[TensorEntry, list[NodeEntry]]:
        """The functions that read a tensor, by its first entry."""
        found: dict[TensorEntry, list[NodeEntry]] = {}
        for node in self.recorder.nodes:
            for entry in node.inputs:
                found.setdefault(entry.first, []).append(node)
        return found

    @cached_property
    def ran_backward(self) -> set[NodeEntry]:
        """The functions that some pass went through."""
        return {step.node for one in self.passes for step in one.steps}

    @cached_property
    def ran_through(self) -> set[TensorEntry]:
        """The results of those functions, by their first entries."""
        return {out.first for node in self.ran_backward for out in node.outputs}

    @cached_property
    def reached(self) -> set[TensorEntry]:
        """The tensors that some pass accumulated a gradient of, by their first entries."""
        return set().union(*self.leaves_of)

    @cached_property
    def leaves_of(self) -> list[frozenset[TensorEntry]]:
        """The tensors that each pass accumulated a gradient of, by their first entries."""
        return [frozenset(entry.first for entry, *_ in one.accumulations) for one in self.passes]

    @cached_property
    def moved(self) -> dict[TensorEntry, int]:
        """The tensors that optimizers moved, by their first entries, with the number of the steps that did."""
        found: dict[TensorEntry, int] = {}
        for step in self.steps:
            for entry in step.told["tensors"]:
                found[entry.first] = found.get(entry.first, 0) + 1
        return found

    def is_of_unmoved(self, event: EventEntry) -> bool:
        """Whether a pass gave gradients, and all to leaves that nothing moves: other parameters than those were meant to be."""
        leaves = self.leaves_of[event.told["index"]]
        return bool(leaves) and not any(one in self.moved for one in leaves)

    @cached_property
    def learned(self) -> set[TensorEntry]:
        """What depends on the tensors that optimizers moved, by first entries."""
        waiting = list(self.moved)
        seen = set(waiting)
        while waiting:
            for node in self.consumers.get(waiting.pop(), ()):
                new = {out.first for out in node.outputs if out.requires_grad} - seen
                seen |= new
                waiting += new
        return seen

    @cached_property
    def _made_at(self) -> dict[Span, list[NodeEntry]]:
        found: dict[Span, list[NodeEntry]] = {}
        for node in self.recorder.nodes:
            if (span := self.span(node.place)) is not None:
                found.setdefault(span, []).append(node)
        return found

    def made_at(self, node: ast.AST) -> list[NodeEntry]:
        """The functions that ran for a piece of the source, which is a call or an operation."""
        span = self.program.span_of(node)
        return self._made_at.get(span, []) if span is not None else []

    def array_of(self, node: ast.expr | None) -> np.ndarray | None:
        """The elements of a tensor of the program, or of what an expression made last."""
        held = self.case.value(node)
        if isinstance(held, Tensor):
            return held._a
        span = self.program.span_of(node) if node is not None else None
        made = [one for one in self.recorder.entries if span is not None and self.span(one.place) == span]
        return made[-1].array if made else None

    @cached_property
    def idle(self) -> list[TensorEntry]:
        """The tensors that optimizers hold and that had no gradient at some step, by their first entries."""
        entries = (leaf._entry for step in self.steps for leaf in step.told["idle"])
        return list(dict.fromkeys(entry.first for entry in entries if entry is not None))

    def is_program(self, edits: Sequence[Edit]) -> bool:
        """Whether the source after these edits is a program that would run."""
        try:
            check(apply_edits(self.program.source, edits))
        except Rejected:
            return False
        return True

    # ---- places and names

    def span(self, place: CodePosition | None) -> Span | None:
        """Where in the source something happened."""
        return self.builder.span(place)

    def name(self, entry: TensorEntry) -> str:
        """What a reader calls a tensor, as code."""
        return f"`{self.builder.naming.label(entry.first)}`"

    def names(self, entries: Iterable[TensorEntry], most: int = 3) -> str:
        """What a reader calls several tensors."""
        told = list(dict.fromkeys(map(self.name, entries)))
        return ", ".join(told[:most]) + (", ..." if len(told) > most else "")

    @cached_property
    def case(self) -> Case:
        """The program as fixes see it."""
        return self.case_at(Span(1, 0, 1, 0))

    @cached_property
    def case_at_end(self) -> Case:
        """The program as fixes see it, when it is over."""
        return self.case_at(Span(10**6, 0, 10**6, 0))

    def case_at(self, span: Span) -> Case:
        """The program as fixes see it, at a place."""
        return Case(self.program, {}, Context(), span, self.namespace)

    def line(self, place: CodePosition | None) -> int:
        """The number of the line in which something happened; 0 where there is none."""
        span = self.span(place)
        return 0 if span is None else span.line

    def call_at(self, span: Span | None) -> ast.Call | None:
        """The call that stands at a span."""
        return None if span is None else self.case.find(ast.Call, span)

    def statement_at(self, span: Span | None) -> ast.stmt | None:
        """The innermost simple statement that a span lies in."""
        if span is None:
            return None
        found: ast.stmt | None = None
        for node in self.case.nodes(ast.stmt):
            own = self.program.span_of(node)
            if own and (own.line, own.column) <= (span.line, span.column) and _end(span) <= _end(own):
                found = node
        return found

    def fix(self, edits: Any, en: str, zh: str) -> Fix | None:
        """A fix of these edits, where there are some."""
        return self.case.fix(edits, words=Text(en, zh))


def _end(span: Span) -> tuple[int, int]:
    return span.end_line, span.end_column


def producer(entry: TensorEntry) -> NodeEntry | None:
    """The function that made a tensor."""
    return entry.first.node


@cache
def _operations(names: str) -> tuple[Op, ...]:
    return tuple(REGISTRY[name] for name in names.split())


def is_call_of(node: NodeEntry, names: str) -> bool:
    """Whether a function is one of these operations."""
    return node.op in _operations(names)


def produced_by(entry: TensorEntry, names: str) -> NodeEntry | None:
    """The function that made a tensor, if it is one of these; what only picks or rearranges is looked through."""
    current = producer(entry)
    while current is not None and is_call_of(current, REARRANGING) and current.inputs:
        current = producer(current.inputs[0])
    return current if current is not None and is_call_of(current, names) else None


REARRANGING: Final = "view unsafe_view reshape_alias squeeze_all squeeze_dim squeeze_dims squeeze_row unsqueeze clone alias index select slice"


def attributes_of(held: object) -> dict[str, object]:
    """The attributes of an object itself, without calling anything of the program's."""
    try:
        own = object.__getattribute__(held, "__dict__")
    except AttributeError:
        return {}
    return own if isinstance(own, dict) else {}


def children_of(own: dict[str, object]) -> dict[str, object]:
    """The modules in a module, by their names, from its attributes."""
    children = own.get("_modules")
    return children if isinstance(children, dict) else {}


def modules_in(held: object, path: str = "", depth: int = 0) -> Iterator[tuple[str, dict[str, object]]]:
    """A module, and those in it: their paths and attributes; nothing for anything else."""
    own = attributes_of(held)
    children = own.get("_modules")
    if not isinstance(own.get("_parameters"), dict) or not isinstance(children, dict) or depth > 50:
        return
    yield path, own
    for name, child in list(children.items()):
        yield from modules_in(child, f"{path}.{name}", depth + 1)


def modules_kept(held: object) -> Iterator[tuple[str, dict[str, object]]]:
    """A module and those in it, or those that another object keeps in its attributes."""
    yield from modules_in(held)
    if not isinstance(attributes_of(held).get("_parameters"), dict) and not isinstance(held, ModuleType):
        for one in list(attributes_of(held).values()):
            yield from modules_in(one)


def parameters_in(attributes: dict[str, object]) -> list[Tensor]:
    """The parameters of one module, without those of the modules in it."""
    own = attributes["_parameters"]
    return [p for p in own.values() if isinstance(p, Tensor)] if isinstance(own, dict) else []


_STAYING: Final = (
    "target",
    "tgt",
    "slow",
    "old",
    "best",
    "teacher",
    "frozen",
    "copy",
    "backup",
    "before",
    "ema",
    "reference",
    "init",
    "saved",
)


def is_to_stay(name: str) -> bool:
    """Whether a name says that what has it is to stay as it is."""
    return any(word in _STAYING for word in name.lower().split("_"))
