"""How tensors are called in a trace: by the names that the program gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from gradflow.engine.formula import symbol
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.recording import module_paths
from gradflow.engine.recording.entries import CodePosition, TensorEntry
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

    def assign(self) -> None:
        """Give tensors the names they are assigned to, and those under which they stand at the end."""
        if self._named:
            return
        self._named = True
        last = {node.call: node for node in self.recorder.nodes}  # what a call returns is what it makes last
        for entry in self.recorder.entries:
            if entry.place is None or not self._targets(entry.place):
                continue
            # of a write into a view, it is the view that has the name
            through_view = entry.node is not None and entry.node.kind == "copy_slices"
            if (
                entry.pass_index is None
                and not through_view
                and not isinstance(entry.tensor, Parameter)
                and (entry.node is None or entry.node.call is None or last[entry.node.call] is entry.node)
            ):
                self._assign(entry, self._targets(entry.place))
        for name, held in self.namespace.items():
            if (
                isinstance(held, Tensor)
                and held._entry is not None
                and name.isidentifier()
                and not name.startswith("_")
            ):
                self._assign(held._entry, [name])
        for name, held in module_paths.parameter_names(self.namespace):
            if held._entry is not None:
                self._assign(held._entry, [name])
        self._carry_over()

    def _targets(self, place: CodePosition) -> list[str]:
        """The names to which the program assigns what it makes at a place."""
        key = id(place[0]), place[1]
        known = self._known.get(key)
        if known is None:
            span = self.span(place)
            found = self.program.assigned_names(span) if span is not None and self.program is not None else ()
            known = self._known[key] = list(found)
        return known

    def _assign(self, entry: TensorEntry, names: Iterable[str]) -> None:
        for name in names:
            if name not in entry.names:
                entry.names = [*entry.names, name]

    def _carry_over(self) -> None:
        """Versions of a tensor share their names, whichever of them was named; a ``.grad`` is called after its leaf."""
        families: dict[int, list[TensorEntry]] = {}
        for entry in self.recorder.entries:
            families.setdefault(id(entry.tensor), []).append(entry)
        for family in families.values():
            names = list(dict.fromkeys(name for entry in family for name in entry.names))
            for entry in family:
                entry.names = list(names)
        for entry in self.recorder.entries:
            if entry.grad_of is not None and not entry.names and entry.grad_of.names:
                entry.names = [f"{entry.grad_of.names[0]}.grad"]

    def symbol(self, entry: TensorEntry) -> str:
        """The tensor as a mathematical symbol: its name, or ``u`` with its number."""
        if entry.names:
            return symbol(entry.names[0])
        return f"u_{{{entry.number}}}"
