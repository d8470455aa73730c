"""What a recorder notes of tensors: their values over time, and where in the run each came from."""

from __future__ import annotations

import sys
from types import FrameType
from typing import cast

import numpy as np

from gradflow.engine import errors
from gradflow.engine.errors.stopped import stop
from gradflow.engine.recording.chronology import Chronology, During, EventEntry
from gradflow.engine.recording.entries import CodePosition, NodeEntry, TensorEntry, tensor_entry
from gradflow.engine.recording.made_modules import MadeModules
from gradflow.engine.recording.places import PlaceEntry, Places
from gradflow.engine.tensor import Tensor


class TensorNotes:
    """The tensors of one run, at most ``operations`` of them. ``filename`` is that of the program's code objects."""

    def __init__(self, filename: str, operations: int) -> None:
        self.filename, self.operations = filename, operations
        self.places = Places(filename)
        self.modules = MadeModules(filename)
        self.within: PlaceEntry | None = None  # the place in the run where the last thing was recorded
        self.chronology = Chronology(self)
        self.current: int | None = None  # the recorded pass that is running
        self.entries: list[TensorEntry] = []
        self.nodes: list[NodeEntry] = []
        self.revisions = 0
        self.results = dict[
            tuple[TensorEntry, str], None
        ]()  # what functions of the program returned, with its name there
        self.arguments: list[
            tuple[str, str, object]
        ] = []  # of functions that are differentiated, by name, with its name there
        self.unchecked_writes = False  # whether a saved variable may have been written without an error

    def during(self) -> During | None:
        """The number of the pass in progress, and how many of its functions have run; None outside of passes."""
        return None

    def caller(self) -> tuple[FrameType | None, CodePosition | None]:
        """The engine's function that the program called, and where it did: in its innermost frame.

        ``within`` is from then on the place in the run: the innermost of calls, modules, turns and recorded passes.
        """
        return self.seen_from(sys._getframe(1))

    def seen_from(self, inner: FrameType) -> tuple[FrameType | None, CodePosition | None]:
        """`caller`, of the frame ``inner``."""
        called, frame = None, cast("FrameType | None", inner)
        while frame is not None and frame.f_code.co_filename != self.filename:
            called, frame = frame, frame.f_back
        if frame is None:
            self.within = self.places.at(None, -1, inner)
            return called, None
        lasti = frame.f_lasti
        self.within = self.places.at(frame, lasti, inner)
        return called, self.places.position(frame, lasti)

    def place(self) -> CodePosition | None:
        """Where the program is."""
        return self.caller()[1]

    def new(self, tensor: Tensor, place: CodePosition | None, node: NodeEntry | None = None) -> TensorEntry:
        """Enter the present version of a tensor, which a function made, where one did."""
        if (number := len(self.entries)) >= self.operations:
            stop(errors.OPERATIONS_LIMIT, limit=self.operations)
        entry = tensor._entry = tensor_entry(number, tensor, place, self.current, self.within, node)
        self.entries.append(entry)
        storage = tensor._st
        if storage.version:
            entry.version = storage.version
        if storage.owner is None and storage.entries is None and not storage.exposed:
            storage.entries = (entry,)
        else:
            self.keep(entry)
        return entry

    def returned(self, value: object, name: str) -> None:
        """A function of the program returned this, and the program calls it so."""
        if issubclass(type(value), Tensor) and (entry := value._entry) is not None:  # type: ignore[attr-defined]
            self.results[entry.first, name] = None

    def keep(self, entry: TensorEntry) -> None:
        """Have the values of an entry copied before they are written; at once where NumPy can write them unseen."""
        storage = entry.tensor._st
        if storage.memory.exposed:
            entry.live, entry.array = entry.array, entry.array.copy()
            self.unchecked_writes = True
        else:
            storage.watch(entry)

    def revised(self, known: TensorEntry, event: EventEntry | None = None) -> TensorEntry:
        """Enter another value of a tensor whose place in the graph is the same."""
        first, tensor = known.first, known.tensor
        self.revisions += 1
        if len(self.entries) + self.revisions > self.operations:
            stop(errors.OPERATIONS_LIMIT, limit=self.operations)
        entry = tensor._entry = tensor_entry(
            first.number, tensor, self.place() if event is None else event.place, first.pass_index, node=first.node
        )
        entry.version = tensor._st.version
        entry.origin, entry.view_of, entry.grad_of = first, first.view_of, first.grad_of
        entry.index = known.last.index + 1
        entry.event = event or self.chronology.cause(entry)
        first.later = first.later or []
        first.later.append(entry)
        self.keep(entry)
        return entry

    def rewritten(self, entry: TensorEntry) -> None:
        """Other values in place of those of an entry, which nobody has seen."""
        entry.array, entry.live, entry.frozen = entry.tensor._a, None, False
        self.keep(entry)

    def entry(self, tensor: Tensor) -> TensorEntry:
        """The entry of a tensor as it is now; a new one where it has none or was written since."""
        known = tensor._entry
        if known is not None and not known.frozen and (known.array is tensor._a or self.holds(known, tensor)):
            return known
        if known is not None and known.continues(tensor):
            return self.revised(known)
        entry = self.new(tensor, self.place())
        if known is not None:
            entry.names = list(known.first.names)
            entry.grad_of = known.grad_of
        if tensor._view is not None and tensor._view.base is not tensor:
            entry.view_of = self.entry(tensor._view.base)
        return entry

    def holds(self, entry: TensorEntry, tensor: Tensor) -> bool:
        """Whether an entry with a copy still tells the values of its tensor: NumPy can write without being seen."""
        if not tensor._st.memory.exposed:
            return False
        return bool(np.array_equal(entry.array, tensor._a, equal_nan=tensor._a.dtype.kind in "fcV"))

    def update(self, tensor: Tensor) -> None:
        """``requires_grad`` of a tensor was changed."""
        entry, wanted = tensor._entry, tensor.requires_grad
        if entry is not None and entry.requires_grad != wanted:
            entry.requires_grad = wanted
            self.chronology.requires_grad_set(tensor)

    def assigned_grad(self, leaf: Tensor, grad: Tensor | None, before: Tensor | None) -> None:
        """The program set ``.grad`` itself."""
        if grad is not None:
            self.entry(grad).grad_of = self.entry(leaf)
        if grad is not before:
            self.chronology.assigned_grad(leaf, grad, before)

    def replaced(self, tensor: Tensor) -> None:
        """The program gave the tensor other memory (``x.data = y``)."""
        entry = tensor._entry
        if entry is not None and entry.array is not tensor._a:
            entry.frozen = True
            self.chronology.wrote(tensor, "data")
            if not entry.continues(tensor):
                self.chronology.marked([tensor])

    def forget(self, tensor: Tensor) -> None:
        """The tensor is about to get other memory."""
        if tensor._entry is not None:
            tensor._entry.frozen = True
