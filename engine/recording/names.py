"""How tensors are called in a trace: by the names that the program gives them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cached_property
from itertools import chain

from gradflow.engine.formula import symbol
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.recording import module_paths
from gradflow.engine.recording.entries import CodePosition, TensorEntry, tensor_id
from gradflow.engine.recording.recorder import Recorder
from gradflow.engine.sandbox.program import Program
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Span


class Naming:
    """Names the entries of one run. ``span`` tells where in the source a place is."""

    def __init__(
        self,
        recorder: Recorder,
        program: Program | None,
        namespace: Mapping[str, object],
        span: Callable[[CodePosition | None], Span | None],
    ) -> None:
        self.recorder, self.program, self.namespace, self.span = recorder, program, namespace, span
        self._named = False
        self._known: dict[tuple[int, int], list[str]] = {}
        self._buffers: dict[int, tuple[str, Tensor]] = {}  # of modules that have a name
        self._turns: dict[int, int] = {}  # how many records of the same tensor come before one

    @cached_property
    def paths(self) -> module_paths.Paths:
        """Where in the tree of modules a call is."""
        return module_paths.Paths(self._modules)

    @cached_property
    def _modules(self) -> list[tuple[str, Module]]:
        others = chain(self.recorder.modules.named(self._made_at), self._called())
        return module_paths.roots(self.namespace, others, self._left_by_loops())

    def _left_by_loops(self) -> Set[str]:
        """The variables that hold what a loop went through last: its place in the list says more."""
        if self.program is None or not any(isinstance(held, Module) for held in self.namespace.values()):
            return frozenset()
        targets = [loop.target for loop in self.program.nodes_of(ast.For) if isinstance(loop, ast.For)]
        return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}

    def _made_at(self, positions: list[CodePosition]) -> str:
        """The name that a function, or one that it handed its result to, gave to what it made there; "" for none."""
        for span in map(self.span, positions):
            if span is None or self.program is None:
                return ""
            for name in self.program.made_names(span):
                return name.removeprefix("self.")
            if not self.program.is_returned(span):
                return ""
        return ""

    def _called(self) -> Iterator[tuple[str, Module]]:
        """The modules that the program itself called, with the name that it called each by: ``model``, of ``self.model(x)``."""
        seen = set[int]()
        for place in self.recorder.places.entries:
            if place.kind != "module" or len(modules := place.what.modules) > 1 or id(modules[0]) in seen:
                continue
            seen.add(id(modules[0]))
            span = self.span(place.position)
            call = self.program.call_at(span) if span is not None and self.program is not None else None
            match None if call is None else call.func:
                case ast.Name(id=name) | ast.Attribute(attr=name) if not name.startswith("_"):
                    yield name, modules[0]

    def assign(self) -> None:
        """Give tensors the names they are assigned to, and those under which they stand at the end."""
        if self._named:
            return
        self._named = True
        last = {node.call: node for node in self.recorder.nodes}  # what a call returns is what it makes last
        # what a layer writes into a buffer of its own is not what its call returns
        self._buffers = {id(held): (name, held) for name, held in module_paths.buffer_names(self._modules)}
        layers = {
            _key(e.place) for e in self.recorder.entries if e.place is not None and isinstance(e.tensor, Parameter)
        }
        arguments = [
            (name, held._entry.first)
            for name, held in module_paths.argument_names(self.recorder.arguments, self.namespace)
            if held._entry is not None
        ]
        given = {entry for _, entry in arguments}  # a call does not return what it makes of its arguments
        for entry in self.recorder.entries:
            if entry.place is None or entry in given or not (targets := self._targets(entry.place)):
                continue
            # a call that makes parameters returns a layer, not the memory that it took for them
            if entry.node is None and _key(entry.place) in layers:
                continue
            # a call that failed returned nothing
            if entry.node is not None and entry.node.call == self.recorder.failed_call is not None:
                continue
            # of a write into a view, it is the view that has the name
            through_view = entry.node is not None and entry.node.kind == "copy_slices"
            if (
                entry.pass_index is None
                and not through_view
                and not isinstance(entry.tensor, Parameter)
                and id(entry.tensor) not in self._buffers
                and (entry.node is None or entry.node.call is None or last[entry.node.call] is entry.node)
            ):
                self._assign(entry, targets)
                for each in entry.later or ():
                    if each.place is not None and each.event is not None:
                        self._assign(entry, self._targets(each.place))
        for entry, name in self.recorder.results:
            if not isinstance(entry.tensor, Parameter):
                self._assign(entry, [name])
        # a parameter is called by its path, whatever variable of the program holds it at the end
        for name, held in (*module_paths.parameter_names(self._modules), *self._buffers.values()):
            if held._entry is not None:
                self._assign(held._entry.first, [name])
        for name, held in module_paths.held_names(self.namespace):
            if held._entry is not None and not held._entry.first.names:
                self._assign(held._entry.first, [name])
        for name, held in self.namespace.items():
            if (
                isinstance(held, Tensor)
                and held._entry is not None
                and name.isidentifier()
                and not name.startswith("_")
            ):
                self._assign(held._entry.first, [name])
        # what a loop goes through has the name that it has there, where it has no other
        for entry, name in self.recorder.places.elements:
            if not entry.first.names:
                self._assign(entry.first, [name])
        for name, entry in arguments:
            if not entry.names:
                self._assign(entry, [name])
        self._carry_over()

    def _targets(self, place: CodePosition) -> list[str]:
        """The names to which the program assigns what it makes at a place."""
        key = _key(place)
        known = self._known.get(key)
        if known is None:
            span = self.span(place)
            found = self.program.assigned_names(span) if span is not None and self.program is not None else ()
            known = self._known[key] = list(found)
        return known

    def _assign(self, entry: TensorEntry, names: Iterable[str]) -> None:
        for name in names:
            if name not in ("_", *entry.names) and not isinstance(self.namespace.get(name), Module):
                entry.names = [*entry.names, name]

    def _carry_over(self) -> None:
        """Versions of a tensor share their names, whichever of them was named; a ``.grad`` is called after its leaf."""
        families: dict[int, list[TensorEntry]] = {}
        for entry in self.recorder.entries:
            families.setdefault(id(entry.tensor), []).append(entry)
        for family in families.values():
            if len(family) == 1:
                continue
            self._turns |= {entry.number: turn for turn, entry in enumerate(family) if turn}
            names = list(dict.fromkeys(name for entry in family for name in entry.names))
            for entry in family:
                entry.names = list(names)
        for entry in self.recorder.entries:
            leaf = None if entry.grad_of is None else entry.grad_of.first
            if leaf is not None and not entry.names and leaf.names:
                entry.names = [f"{leaf.names[0]}.grad"]

    def label(self, entry: TensorEntry) -> str:
        """What to call a tensor: by its name, else by the expression that made it, else by its number."""
        first = entry.first
        text = first.names[0] if first.names else self.expression(first.place) or tensor_id(first)
        turn = self._turns.get(first.number, 0)
        return text + ("\N{PRIME}" * turn if turn <= _PRIMES else f" ({turn})")

    def expression(self, place: CodePosition | None) -> str:
        """The source text of what was evaluated at a place."""
        span = self.span(place)
        return self.program.text_at(span) if span is not None and self.program is not None else ""

    def symbol(self, entry: TensorEntry) -> str:
        """The tensor as a mathematical symbol: its name, for a parameter the letter of its role, else one by its kind."""
        first = entry.first
        turn = self._turns.get(first.number, 0)
        return self._base(first) + ("'" * turn if turn <= _PRIMES else f"^{{({turn})}}")

    def _base(self, entry: TensorEntry) -> str:
        name = entry.names[0] if entry.names else ""
        if entry.grad_of is not None and name.endswith(".grad"):
            return self.symbol(entry.grad_of) + r".\text{grad}"
        if not name:
            return _letter(entry)
        if key := re.search(r"\['(\w+)'\]$", name):
            name = key[1]
        if id(entry.tensor) in self._buffers:
            name = name.rpartition(".")[2]
        return ("." in name and _parameter_letter(name, entry.array.ndim)) or symbol(name)


def _key(place: CodePosition) -> tuple[int, int]:
    return id(place[0]), place[1]


_PRIMES = 3
"""Writes that a label counts with primes."""


def _parameter_letter(path: str, dimensions: int) -> str | None:
    """W for a weight, b for a bias, with the rest of the name as a subscript; None for another name."""
    found = re.fullmatch(
        r"(?:(\w*?)_)?(weight|bias)(?:_([a-z]+))?(?:_l\d+(?:_reverse)?)?(\d*)", path.rpartition(".")[2]
    )
    if found is None:
        return None
    letter = "b" if found[2] == "bias" else "W" if dimensions > 1 else "w"
    below = found[1] or found[3] or ""
    return rf"{letter}_{{\text{{{below.replace('_', ' ')}}}}}" if below else letter


def _letter(entry: TensorEntry) -> str:
    """A letter for a tensor without a name: an index, a mask, a gradient, a number, what was computed, what was given."""
    kind = entry.array.dtype.kind
    if kind in "iub":
        return "m" if kind == "b" else "i"
    if entry.pass_index is not None:
        return "g"
    if entry.node is None:
        return "x"
    return "h" if entry.array.ndim else "s"
