"""Where in the run the program is: the tree of calls, modules, loops, turns and recorded passes, as it grows.

A place is made when something is recorded in it, so an empty turn costs nothing. What is known of a frame is kept in
the frame (``f_trace``, which is only called while a debugger runs), so that it ends with it: of the frames of a program, that is
where the call stands in the tree, and the turns that its loops were last seen in.
"""

from __future__ import annotations

from inspect import CO_GENERATOR, CO_NEWLOCALS, CO_OPTIMIZED
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from gradflow.engine.sandbox.loops import Around, Loop, Loops
from gradflow.engine.state import STATE, Entered
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.recording.entries import CodePosition, TensorEntry

_COMPREHENSIONS: Final = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_PLAIN: Final = frozenset({int, float, str, bool})
_ITEMS: Final = 4
_TEXT: Final = 40
_UNKNOWN: Final[Any] = object()
"""Stands for loops whose turns have to be read."""


Spot: TypeAlias = "tuple[CodePosition, Around]"
"""An instruction that recorded something, and the loops around it."""
NOWHERE: Final[tuple[None, None]] = None, None
"""An instruction that has recorded nothing yet."""


class PlaceEntry:
    """A place. ``what`` is the function's name, the module's call, the `Loop` or the pass; ``position`` is that of the
    call; ``bound`` is what the loop's names were bound to in this turn."""

    __slots__ = ("bound", "kind", "number", "parent", "position", "turn", "what")

    bound: Any
    kind: str
    number: int
    parent: PlaceEntry | None
    position: CodePosition | None
    turn: int | None
    what: Any


def place_entry(
    number: int,
    kind: str,
    what: Any,
    parent: PlaceEntry | None,
    position: CodePosition | None = None,
    turn: int | None = None,
) -> PlaceEntry:
    """A new place. A function and no constructor, which CPython calls at three times the cost."""
    place = PlaceEntry()
    place.number = number
    place.kind = kind
    place.what = what
    place.parent = parent
    place.position = position
    place.turn = turn
    place.bound = None
    return place


class FrameNotes:
    """What is known of a frame, whose caller stays where it is as long as it runs.

    ``base`` is its place outside of its loops, below ``caller``. ``own`` is the place that it was last in by itself, in
    ``loops`` that had the turns that ``cells`` told; ``inside`` the one that was ``entered`` from there. ``optimized``: its
    ``f_locals`` are a copy.
    """

    __slots__ = (
        "base",
        "caller",
        "cells",
        "entered",
        "entered_from",
        "inside",
        "known",
        "looped",
        "loops",
        "optimized",
        "own",
    )

    def __init__(self, known: dict[int, Spot], optimized: bool) -> None:
        self.known, self.optimized = known, optimized
        self.base: PlaceEntry | None = None
        self.caller: PlaceEntry | bool | None = False  # not known yet
        self.loops: Around = _UNKNOWN
        self.cells: list[tuple[list[int], int]] = []
        self.own: PlaceEntry | None = None
        self.looped: dict[Loop, list[Any]] = {}
        self.entered: Entered | None = None
        self.entered_from: PlaceEntry | None = None
        self.inside: PlaceEntry | None = None

    def __call__(self, *event: object) -> FrameNotes:
        """What a debugger calls for each line: nothing to tell."""
        return self


class GeneratorNotes(FrameNotes):
    """What is known of a generator's frame, which is resumed from anywhere."""

    __slots__ = ()


class Places:
    """The places of one run. ``filename`` is that of the program's code objects; its ``loops`` come with the program."""

    def __init__(self, filename: str) -> None:
        self.filename = filename
        self.loops = Loops({})
        self.entries: list[PlaceEntry] = []
        self.elements: list[tuple[TensorEntry, str]] = []  # tensors that loops gave to names, as a turn began
        self._known: dict[int, tuple[CodeType, dict[int, Spot]]] = {}

    def at(self, frame: FrameType | None, lasti: int, inner: FrameType) -> PlaceEntry | None:
        """The place of the program's innermost frame, at its instruction ``lasti``, or of what has been entered since by the
        frames from ``inner`` on; None at the top. Spelled out, for every operation asks.
        """
        try:
            if frame is None:
                return self._inside(None, inner, None)
            notes: Any = frame.f_trace
            if type(notes) is not FrameNotes:
                notes = self._noted(frame)
            own = notes.own
            if (notes.known.get(lasti) or NOWHERE)[1] is not notes.loops:
                own = self._own(frame, notes)
            else:
                for cell, turn in notes.cells:
                    if cell[0] != turn:
                        own = self.turned(frame, notes, cell)
                        break
            entered = STATE.entered
            if entered is None:
                return own  # type: ignore[no-any-return]  # the notes say what it is
            if entered is not notes.entered or own is not notes.entered_from:
                notes.inside = self._inside(own, inner, frame)
                notes.entered, notes.entered_from = entered, own
            return notes.inside  # type: ignore[no-any-return]  # the same
        except RecursionError:  # the program is about to raise it by itself
            return self.entries[-1] if self.entries else None

    def position(self, frame: FrameType, lasti: int) -> CodePosition:
        """An instruction of a frame, the same object each time where `at` has noted it."""
        notes: Any = frame.f_trace
        known = notes.known.get(lasti) if type(notes) is FrameNotes else None
        return (frame.f_code, lasti) if known is None else known[0]

    def turned(self, frame: FrameType, notes: FrameNotes, cell: list[int]) -> PlaceEntry | None:
        """The place of a frame, which is in the loops that it was last in, after ``cell`` counted another turn."""
        try:
            return self._next(frame, notes) if cell is notes.cells[-1][0] else self._own(frame, notes)
        except RecursionError:  # as in `at`
            return self.entries[-1] if self.entries else None

    # -- calls ----------------------------------------------------------------------------------------------------

    def _noted(self, frame: FrameType) -> FrameNotes:
        """The notes on a frame of the program, whose callers are noted first."""
        waiting: list[tuple[FrameType, FrameType | None]] = []
        current: FrameType | None = frame
        while current is not None:
            notes = current.f_trace
            if type(notes) is FrameNotes:
                break
            caller = self._caller(current)
            waiting.append((current, caller))
            current = caller
        for each, caller in reversed(waiting):
            self._note(each, caller)
        return frame.f_trace  # type: ignore[return-value]  # put there by _note

    def _caller(self, frame: FrameType) -> FrameType | None:
        """The next frame of the program outwards."""
        outer = frame.f_back
        while outer is not None and outer.f_code.co_filename != self.filename:
            outer = outer.f_back
        return outer

    def _note(self, frame: FrameType, caller: FrameType | None) -> None:
        notes = frame.f_trace
        if not isinstance(notes, FrameNotes):
            code = frame.f_code
            kind = GeneratorNotes if code.co_flags & CO_GENERATOR else FrameNotes
            notes = kind(self._known.setdefault(id(code), (code, {}))[1], bool(code.co_flags & CO_OPTIMIZED))
            frame.f_trace = notes
        above = None if caller is None else self._own(caller, cast(FrameNotes, caller.f_trace))
        within = above if frame.f_back is caller or frame.f_back is None else self._inside(above, frame.f_back, caller)
        if notes.caller is not within:
            notes.caller, notes.loops = within, _UNKNOWN
            notes.base = self._called(frame, caller, within, within is not above)

    def _called(
        self, frame: FrameType, caller: FrameType | None, parent: PlaceEntry | None, entered: bool
    ) -> PlaceEntry | None:
        """The place of a call, unless it is no call of a function or one that a module's stands for."""
        code = frame.f_code
        is_function = code.co_flags & CO_OPTIMIZED and code.co_flags & CO_NEWLOCALS
        if not is_function or code.co_name in _COMPREHENSIONS:
            return parent
        if entered and parent is not None and parent.kind == "module" and code.co_name == "forward":
            return parent
        return self._new("call", code.co_name, parent, None if caller is None else (caller.f_code, caller.f_lasti))

    def _new(self, kind: str, what: Any, parent: PlaceEntry | None, position: CodePosition | None) -> PlaceEntry:
        place = place_entry(len(self.entries), kind, what, parent, position)
        self.entries.append(place)
        return place

    # -- modules and passes ---------------------------------------------------------------------------------------

    def _inside(self, own: PlaceEntry | None, inner: FrameType, outer: FrameType | None) -> PlaceEntry | None:
        """The place of the innermost module or pass that was entered in the frames from ``inner`` up to ``outer``."""
        entered, between = STATE.entered, set()
        if entered is None:
            return own
        frame: FrameType | None = inner
        while frame is not None and frame is not outer:
            between.add(id(frame))
            frame = frame.f_back
        chain = []
        while entered is not None:
            if entered.frame in between:
                chain.append(entered)
            entered = entered.outer
        position = None if outer is None else (outer.f_code, outer.f_lasti)
        for each in reversed(chain):
            if each.place is None:
                each.place = self._new(each.kind, each, own, position)
            own = each.place
        return own

    # -- loops ----------------------------------------------------------------------------------------------------

    def _own(self, frame: FrameType, notes: FrameNotes) -> PlaceEntry | None:
        """The place of a frame by itself: its call, or the turn of the innermost of its loops."""
        lasti = frame.f_lasti
        loops = (notes.known.get(lasti) or NOWHERE)[1]
        if loops is None:
            loops = self.loops.at(frame.f_code, lasti)
            notes.known[lasti] = (frame.f_code, lasti), loops
        held: Any = frame.f_locals if loops else None
        place = notes.base
        cells: list[tuple[list[int], int]] = []
        for loop, ahead in loops:
            turn = held.get(loop.name)
            if type(turn) is list:
                cells.append((turn, turn[0]))
                turn = turn[0] + ahead
            known = notes.looped.get(loop)
            if known is None or known[0].parent is not place or _begins_again(known[1], turn):
                known = notes.looped[loop] = [self._new("loop", loop, place, None), None]
            place, last = known
            if last is not None and last.turn == turn:
                place = last
            elif turn is not None:
                place = known[1] = self._turn(loop, place, turn, held)
        if notes.optimized and type(held) is dict:
            held.clear()  # a copy that would keep what the program lets go
        notes.own, notes.cells = place, cells
        notes.loops = loops if len(cells) == len(loops) else _UNKNOWN
        return place

    def _next(self, frame: FrameType, notes: FrameNotes) -> PlaceEntry | None:
        """The place of a frame in another turn of the innermost of the loops that it was in."""
        (loop, ahead), cells = notes.loops[-1], notes.cells
        held: Any = frame.f_locals if loop.names else None
        whole, known = notes.looped[loop], cells[-1][0]
        turn = known[0]
        place = notes.own = whole[1] = self._turn(loop, whole[0], turn + ahead, held)
        cells[-1] = known, turn
        if held and notes.optimized and type(held) is dict:
            held.clear()
        return place

    def _turn(self, loop: Loop, whole: PlaceEntry | None, turn: int, held: Any) -> PlaceEntry:
        entries, targets = self.entries, loop.targets
        place = place_entry(len(entries), "turn", loop, whole, None, turn)
        entries.append(place)
        if targets:
            bound = held.get(targets[0])
            place.bound = bound if len(targets) == 1 and type(bound) in _PLAIN else _bound(targets, held)
        for name in loop.names:
            value = held.get(name)
            if isinstance(value, Tensor) and value._entry is not None:
                self.elements.append((value._entry, name))
        return place


def _begins_again(last: PlaceEntry | None, turn: int | None) -> bool:
    """Whether a loop was left and entered anew in the same place: from Python 3.12 on comprehensions have no frame."""
    return last is not None and last.turn is not None and turn is not None and turn < last.turn


def _bound(names: list[str], held: Any) -> Any:
    """What an iterator's element gave to these names, of plain types; nothing else is kept."""
    if len(names) == 1:
        return _plain(held.get(names[0]))
    return [_plain(held.get(name)) for name in names]


def _plain(value: object) -> object:
    """A number, a text, or a small tuple of them; None for all else."""
    if type(value) in _PLAIN:
        return value
    if type(value) is tuple and len(value) <= _ITEMS and all(type(each) in _PLAIN for each in value):
        return value
    return None


def variable(place: PlaceEntry) -> str | None:
    """The names that the element of a turn is bound to, with their values where these are short: ``i = 2, j = 'w'``."""
    if place.kind != "turn":
        return None
    names = place.what.targets
    values = [place.bound] if len(names) == 1 else place.bound or ()
    shown = [f"{name} = {value!r}" for name, value in zip(names, values, strict=True) if _is_short(value)]
    joined = ", ".join(shown)
    return joined if joined and len(joined) <= _TEXT else None


def _is_short(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_short, value))
    return value is not None and (value.bit_length() <= 64 if isinstance(value, int) else True)
