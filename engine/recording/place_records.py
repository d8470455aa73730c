"""The places of a run as the trace tells them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache

from gradflow.engine.recording.entries import CodePosition, pass_id
from gradflow.engine.recording.module_paths import Paths
from gradflow.engine.recording.places import PlaceEntry, Places, variable
from gradflow.engine.sandbox.loops import Loop
from gradflow.engine.sandbox.program import Program
from gradflow.engine.state import Entered
from gradflow.engine.trace import Place, Span

_HEAD = 60


def place_id(entry: PlaceEntry | None) -> str | None:
    """The id of a place; None at the top of the program."""
    return None if entry is None else f"s{entry.number}"


class PlaceRecords:
    """Writes the places of one run. ``span`` tells where in the source a position is."""

    def __init__(
        self,
        places: Places,
        program: Program | None,
        paths: Paths,
        span: Callable[[CodePosition | None], Span | None],
    ) -> None:
        self.places, self.program, self.paths, self.span = places, program, paths, span
        self._span_of_loop = lru_cache(maxsize=None)(self._find_span)
        self._head_of_loop = lru_cache(maxsize=None)(self._find_head)

    def of(self, within: Iterable[PlaceEntry | None]) -> list[Place]:
        """These places and those that they are in, each after its parent."""
        found: dict[int, PlaceEntry] = {}
        for place in within:
            while place is not None and place.number not in found:
                found[place.number] = place
                place = place.parent
        return [self.record(found[number]) for number in sorted(found)]

    def record(self, entry: PlaceEntry) -> Place:
        """One place."""
        looped = entry.what if isinstance(entry.what, Loop) else None
        return Place(
            id=f"s{entry.number}",
            kind=entry.kind,  # type: ignore[arg-type]  # one of the five words
            title=self.title(entry),
            parent=place_id(entry.parent),
            span=self.span(entry.position) if looped is None else self._span_of_loop(looped),
            turn=entry.turn,
            variable=variable(entry),
            turns=None if looped is None or entry.kind != "loop" else self._turns.get(entry.number),
        )

    @cached_property
    def _turns(self) -> dict[int, int]:
        """How many turns each loop had, by its number: turns are noted in their order."""
        entries = self.places.entries
        return {e.parent.number: e.turn + 1 for e in entries if e.turn is not None and e.parent is not None}

    def title(self, entry: PlaceEntry) -> str:
        """The function's name, ``0 · Linear``, the head of a loop, ``epoch = 2`` or the turn's number, or the pass."""
        match entry.kind:
            case "module":
                return self.paths.title(entry.what.modules)
            case "loop":
                return self._head_of_loop(entry.what)
            case "turn":
                return variable(entry) or str(entry.turn)
            case "pass":
                return pass_id(entry.what.what)
        return str(entry.what.what if isinstance(entry.what, Entered) else entry.what)

    def _find_span(self, loop: Loop) -> Span | None:
        return self.program.span_of_loop(loop) if self.program is not None else None

    def _find_head(self, loop: Loop) -> str:
        text = self.program.head_of_loop(loop) if self.program is not None else ""
        line = " ".join(text.split())
        return line if len(line) <= _HEAD else line[: _HEAD - 1] + "…"
