"""The size of a trace: how much of a run is written so that its JSON stays within a number of bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, is_dataclass, replace
from functools import cached_property
from typing import Any, Final

import orjson

from gradflow.engine.recording.budget.selection import Selection, chosen, everything
from gradflow.engine.recording.budget.turns import Cuts, Turn
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.recording.recorder import Recorder
from gradflow.engine.recording.values import Detail
from gradflow.engine.trace import Budget, ErrorRecord, Text, WarningRecord

A_NODE, A_TENSOR, A_STEP, A_PASS, A_NUMBER = 480, 330, 330, 600, 2
"""Bytes that a record takes at the least."""
FEWEST: Final = 80
"""Turns that a run has at the least whose size is worth a guess: fewer are soon written."""
SAMPLES: Final = (3, 12)
"""Of so many turns the sizes are taken that tell the size of more of them."""
FEWER: Final = 0.7
"""Where so many turns are still too long, this part of them is tried."""
SUMMARISED: Final = 96
"""Elements that fit into the space of a summary: smaller arrays are not summarised for their size."""
TINY: Final = 4
"""Elements of the arrays that are written whole where room is scarcest."""
SHORTENED: Final = 0.6
"""What short numbers and small summaries leave of a trace, at the least."""
MARGIN: Final = 0.9
"""What a part of a run has of the bytes that another of as many functions had, at the least."""
HOPELESS: Final = 2
"""Where all of a run has so many times the bytes that are allowed, its least detail is tried before those in between."""
LARGE: Final = 0.125
"""The part of the budget that a run takes at the least whose size is guessed: with its numbers it may well take all."""
LONG: Final = 0.5
"""The part of the budget that a long run takes: its turns are alike, and room is left for values that are asked for later."""


def size_of(content: Any) -> int:
    """How long the JSON of a record, or of a list of them, is."""
    try:
        return len(orjson.dumps(content))
    except TypeError:  # surrogates that a program printed
        return len(json.dumps(content, default=_plain))


def written_out(records: dict[str, Any]) -> tuple[dict[str, bytes], int]:
    """The JSON of each field, and how long that of all is; none where `size_of` takes the long way."""
    try:
        written = {name: orjson.dumps(content) for name, content in records.items()}
    except TypeError:
        return {}, size_of(records)
    return written, 2 + sum(len(name) + len(content) + 4 for name, content in written.items())


def _plain(content: Any) -> Any:
    return asdict(content) if is_dataclass(content) and not isinstance(content, type) else str(content)


def fitted(
    recorder: Recorder,
    max_elements: int,
    most: int | None,
    asked: Iterable[TensorEntry],
    write: Callable[[Selection], dict[str, Any]],
) -> tuple[Selection, dict[str, Any], dict[str, bytes]]:
    """The records of the first selection that fits, by its real size; at the worst those of no function at all. With them
    the JSON of each field, where it was written to know how long it is."""
    if most is None:
        whole = everything(recorder, Detail(max_elements))
        return whole, write(whole), {}
    cuts = Cuts(recorder)
    guess = _Guess(recorder, cuts, Detail(min(max_elements, SUMMARISED)), most, write)
    given = list(asked)
    room = int(most * LONG) if guess.is_long else most
    attempts = _Attempts(write)
    for selection in _selections(recorder, cuts, max_elements, most, given, attempts):
        allowed = most if given or selection.training else room
        if selection.training != 1 and max(guess.of(selection), attempts.least_of(selection)) > allowed:
            continue
        if attempts.write(selection) <= allowed:
            break
    assert attempts.last is not None
    return attempts.last


class _Attempts:
    """The parts of a run that have been written, and how long they were: what is as detailed and has as many functions for
    each byte need not be written to know that it is too long."""

    def __init__(self, write: Callable[[Selection], dict[str, Any]]) -> None:
        self._write = write
        self._sizes: dict[Detail, tuple[int, int]] = {}  # bytes and functions of the last part in this detail
        self.last: tuple[Selection, dict[str, Any], dict[str, bytes]] | None = None
        self.size = 0

    def write(self, selection: Selection) -> int:
        """Write a part; how many bytes it has."""
        records = self._write(selection)
        written, self.size = written_out(records)
        self.last = selection, records, written
        self._sizes[selection.detail] = self.size, len(selection.nodes)
        return self.size

    def least_of(self, selection: Selection) -> float:
        """About how many bytes a part has at the least, by the last one in its detail; 0 where none is known."""
        size, nodes = self._sizes.get(selection.detail, (0, 0))
        return MARGIN * size * len(selection.nodes) / nodes if nodes else 0.0


class _Guess:
    """How large the records of a part of a run will be, told from those of few turns: to write them takes long.

    Only the turns of a training loop are alike enough for it, and only those of a long one are worth it.
    """

    def __init__(
        self, recorder: Recorder, cuts: Cuts, detail: Detail, most: int, write: Callable[[Selection], dict[str, Any]]
    ) -> None:
        self._recorder, self._detail, self._write = recorder, detail, write
        is_large = recorder.passes and _least(recorder) > most * LARGE
        turns = next((cut for cut in cuts.of_loops() if len(cut) >= FEWEST), []) if is_large else []
        self._turns = turns if len(turns) < len(recorder.nodes) else []

    @property
    def is_long(self) -> bool:
        """Whether the run has many turns, so that its size is told from some of them."""
        return bool(self._turns)

    def of(self, selection: Selection) -> float:
        """About how many bytes; 0 of what is soon written: a short run, or no function of it."""
        if not self.is_long or not selection.nodes:
            return 0.0
        apart, a_node = self._sampled
        return (apart + a_node * len(selection.nodes)) * (SHORTENED if selection.detail.short else 1)

    @cached_property
    def _sampled(self) -> tuple[float, float]:
        """The bytes of what is told of any part, and of a function."""
        samples = [chosen(self._recorder, self._turns, kept, self._detail, []) for kept in SAMPLES]
        (few, size), (more, larger) = [(len(each.nodes), size_of(self._write(each))) for each in samples]
        a_node = (larger - size) / max(1, more - few)
        return size - few * a_node, a_node


def _selections(
    recorder: Recorder, cuts: Cuts, max_elements: int, most: int, asked: list[TensorEntry], attempts: _Attempts
) -> Iterator[Selection]:
    """Ever less of a run: first of its digits, then of its arrays, then of its turns. Of every loop that trains some turns are
    there, as long as they fit: what is done once before and after them is small, and is not what the program is about."""
    least = _least(recorder)
    small = min(max_elements, SUMMARISED)
    detail, less = Detail(small), Detail(small // 4, True, 4)
    details = dict.fromkeys([Detail(max_elements), Detail(max_elements, True), Detail(small, True), less])
    yield from _whole(recorder, [d for d in details if _least_in(recorder, d, least) <= most], most, attempts)
    trained, tried = cuts.repeated_passes(), list[list[Turn]]()
    for turns in cuts.of_long_loops() if trained else ():
        tried.append(turns)
        for selection in _of_turns(recorder, turns, detail, least, most, asked):
            if selection.has_of_each(trained):
                yield selection
    few = [(2, detail), (2, less), (1, detail), (1, less), (1, Detail(min(small, TINY), True, 2))]
    for turns in cuts:
        again = any(turns is each for each in tried)
        for selection in _of_turns(recorder, turns, detail, least, most, asked):
            if not (again and selection.has_of_each(trained)):
                yield selection
        if any(turn.passes for turn in turns):
            yield from _few_turns(recorder, turns, few, most, asked)
    yield chosen(recorder, turns, 1, detail, asked)
    yield chosen(recorder, turns, 0, detail, asked)
    yield chosen(recorder, turns, 0, detail, [])


def _whole(recorder: Recorder, details: list[Detail], most: int, attempts: _Attempts) -> Iterator[Selection]:
    """All of a run, in ever less detail."""
    for k, detail in enumerate(details):
        yield everything(recorder, detail)
        if k == 0 and len(details) > 1 and attempts.size > HOPELESS * most:
            attempts.write(everything(recorder, details[-1]))
            if attempts.size > most:
                return


def _least_in(recorder: Recorder, detail: Detail, least: int) -> int:
    """How many bytes all of a run takes in a detail, at the least. least: without numbers."""
    return least + _elements(recorder, detail.max_elements) * A_NUMBER


def _of_turns(
    recorder: Recorder, turns: list[Turn], detail: Detail, least: int, most: int, asked: list[TensorEntry]
) -> Iterator[Selection]:
    """Ever fewer of these turns."""
    kept = min(len(turns) - 1, max(2, len(turns) * most // (6 * max(least, 1))))
    trains = any(turn.passes for turn in turns)
    while kept >= (3 if trains else 2):
        selection = chosen(recorder, turns, kept, detail, asked)
        if _least_of(selection) <= most:
            yield selection
        kept = int(kept * FEWER)


def _few_turns(
    recorder: Recorder, turns: list[Turn], few: list[tuple[int, Detail]], most: int, asked: list[TensorEntry]
) -> Iterator[Selection]:
    """Two whole turns of training in ever less detail, or one, before they are cut into what has no backward pass."""
    for kept, detail in few:
        selection = chosen(recorder, turns, kept, detail, asked)
        if _least_of(selection) <= most:
            yield replace(selection, training=kept)


def _least(recorder: Recorder) -> int:
    """How many bytes the records of all of a run take at the least, without numbers."""
    steps = sum(entry.step_count for entry in recorder.passes)
    return (
        A_NODE * len(recorder.nodes) + A_TENSOR * len(recorder.entries) + A_STEP * steps + A_PASS * len(recorder.passes)
    )


def _least_of(selection: Selection) -> int:
    """The same of a part of it."""
    steps = sum(entry.step_count for _, entry in selection.passes)
    told = A_NODE * len(selection.nodes) + A_TENSOR * len(selection.entries)
    return told + A_STEP * steps + A_PASS * len(selection.passes)


def _elements(recorder: Recorder, most: int) -> int:
    """How many elements the arrays of at most so many have together, without their gradients."""
    return sum(entry.array.size for entry in recorder.entries if entry.array.size <= most)


def budget_of(most: int | None, summarised: int, selection: Selection) -> Budget:
    """What was done to stay within a budget."""
    return Budget(most, summarised, len(selection.left_out))


def cut(text: str, most: int) -> str:
    """A text whose JSON is no longer than about ``most`` bytes: its beginning and its end."""
    own = size_of(text)
    while own > most:
        half = max(0, int(len(text) * most / own * 0.45) - 32)
        left_out = len(text) - 2 * half
        text = f"{text[:half]}\n... {left_out} characters are left out here ...\n{text[len(text) - half :]}"
        own = size_of(text) if half else 0
    return text


def cut_error(error: ErrorRecord, most: int) -> ErrorRecord:
    """An error whose texts are no longer than about ``most`` bytes together."""
    if size_of(error) <= most:
        return error
    part = most // 8
    explanation = Text(cut(error.explanation.en, part), cut(error.explanation.zh, part))
    fix = error.fix if error.fix is not None and size_of(error.fix) <= part else None
    frames = error.frames if size_of(error.frames) <= part else []
    return replace(
        error,
        type=cut(error.type, part),
        message=cut(error.message, part),
        explanation=explanation,
        fix=fix,
        frames=frames,
        choices=[],
    )


def cut_warnings(warnings: list[WarningRecord], most: int) -> list[WarningRecord]:
    """The first of the warnings, as many as go into about ``most`` bytes."""
    if size_of(warnings) <= most:
        return warnings
    return [replace(w, message=cut(w.message, 1000), category=cut(w.category, 200)) for w in warnings[: most // 2500]]
