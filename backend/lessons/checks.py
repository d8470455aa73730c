"""Whether what a step asks for is there: `unmet` reads a trace, and what the reader has done to the page.

The page decides the same in `frontend/src/lib/lessons/check.ts`; every lesson is gone through by both, in
`tests/backend/lessons` and in `tests/e2e/test_lessons.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gradflow.backend.lessons.format import Check, Facts, Playhead, View
from gradflow.engine.trace import NodeRecord, TensorRecord, Trace, Value

TOLERANCE = 1e-3
"""How far a number may be from the one expected, relative to it; the page shows four digits."""


@dataclass(frozen=True, slots=True)
class Reader:
    """What a reader has done to the page."""

    chosen: str | None = None
    view: View = "graph"
    playhead: Playhead | None = None
    answer: float | None = None


def reader_of(check: Check) -> Reader:
    """A reader who has done what a check asks for."""
    return Reader(
        chosen=check.chosen[0] if check.chosen else None,
        view=check.view or "graph",
        playhead=check.playhead,
        answer=check.answer[0] if check.answer else None,
    )


def unmet(check: Check, trace: Trace, reader: Reader) -> list[str]:
    """What is asked for and not there, in words; empty where the step is done."""
    return [message for find in _FINDERS for message in find(check, trace, reader)]


def named(trace: Trace, name: str) -> TensorRecord | None:
    """The tensor that a name stands for at the end of the run."""
    return next((tensor for tensor in reversed(trace.tensors) if name in tensor.names), None)


def functions_named(trace: Trace, name: str) -> list[NodeRecord]:
    """The functions of a name: that of their ``grad_fn``, or of their operation."""
    return [node for node in trace.nodes if name in (node.grad_fn, node.op, _plain(node.op))]


def _plain(op: str) -> str:
    """The engine tells overloads apart by endings."""
    return re.sub(r"_(scalar|tensor|all|dim|list|base)$", "", op)


# -- numbers ------------------------------------------------------------------------------------------------------------


def is_close(found: Any, expected: Any) -> bool:
    """Whether an element is the number expected, as far as a reader can tell."""
    if isinstance(found, str) or isinstance(expected, str):
        return bool(found == expected)
    return math.isclose(found, expected, rel_tol=TOLERANCE, abs_tol=1e-6)


def _shape(numbers: Any) -> list[int]:
    return [len(numbers), *(_shape(numbers[0]) if numbers else [])] if isinstance(numbers, list) else []


def _flat(numbers: Any) -> list[Any]:
    return [x for each in numbers for x in _flat(each)] if isinstance(numbers, list) else [numbers]


def _nested(data: list[Any], shape: list[int]) -> Any:
    if not shape:
        return data[0]
    size = len(data) // shape[0] if shape[0] else 0
    return [_nested(data[k * size : (k + 1) * size], shape[1:]) for k in range(shape[0])]


def _split(path: str) -> tuple[str, list[int] | None]:
    """``a.grad[0, 1]`` as ``a.grad`` and the index."""
    name, _, index = path.partition("[")
    return name.strip(), [int(k) for k in index.rstrip("]").split(",")] if index else None


def _element(value: Value, index: list[int]) -> Any:
    if value.data is None or len(index) != len(value.shape):
        return None
    flat = 0
    for k, size in zip(index, value.shape, strict=True):
        if k >= size:
            return None
        flat = flat * size + k
    return value.data[flat]


def _differs(path: str, value: Value | None, expected: Any) -> str | None:
    """What to say where a value is not as expected."""
    _, index = _split(path)
    if value is None or expected is None:
        return None if value is expected else f"{path} is {'None' if value is None else 'not None'}"
    if index is not None:
        found = _element(value, index)
        same = found is not None and not isinstance(expected, list) and is_close(found, expected)
        return None if same else f"{path} is {found}, not {expected}"
    if value.data is None:
        return f"{path} is too large to be told whole"
    same = value.shape == _shape(expected) and all(map(is_close, value.data, _flat(expected)))
    return None if same else f"{path} is {_nested(value.data, value.shape)}, not {expected}"


# -- what is asked for --------------------------------------------------------------------------------------------------

_Finder = Callable[[Check, Trace, Reader], Iterator[str]]


def _error(check: Check, trace: Trace, _: Reader) -> Iterator[str]:
    code = trace.error.code if trace.error else "none"
    # What is asked of a run is asked of a whole one, but where an error is what is asked for.
    expected = check.error or ("none" if check.is_of_program else None)
    if expected not in (None, code):
        yield f"the error is {code}, not {expected}"


def _value(check: Check, trace: Trace, _: Reader) -> Iterator[str]:
    for path, expected in (check.value or {}).items():
        name, _index = _split(path)
        tensor = named(trace, name.removesuffix(".grad"))
        if tensor is None:
            yield f"there is no tensor {name.removesuffix('.grad')}"
        elif message := _differs(path, tensor.grad if name.endswith(".grad") else tensor.value, expected):
            yield message


def _gradient(check: Check, trace: Trace, _: Reader) -> Iterator[str]:
    for path, expected in (check.gradient or {}).items():
        name, _index = _split(path)
        given = [
            root.gradient
            for each in trace.passes
            for root in each.roots
            if any(tensor.id == root.tensor and name in tensor.names for tensor in trace.tensors)
        ]
        if not given:
            yield f"no pass begins at {name}"
        elif message := _differs(path, given[-1], expected):
            yield f"the gradient given for {message}"


def _passes(check: Check, trace: Trace, _: Reader) -> Iterator[str]:
    if check.passes not in (None, len(trace.passes)):
        yield f"there are {len(trace.passes)} backward passes, not {check.passes}"


def _functions(check: Check, trace: Trace, _: Reader) -> Iterator[str]:
    for name in check.functions or []:
        if not functions_named(trace, name):
            yield f"no function {name} is in the graph"


def _tensor(check: Check, trace: Trace, _: Reader) -> Iterator[str]:
    for name, facts in (check.tensor or {}).items():
        tensor = named(trace, name)
        if tensor is None:
            yield f"there is no tensor {name}"
        else:
            yield from _untrue(name, facts, tensor, trace)


def _untrue(name: str, facts: Facts, tensor: TensorRecord, trace: Trace) -> Iterator[str]:
    grad_fn = next((node.grad_fn for node in trace.nodes if node.id == tensor.node), None)
    if not tensor.requires_grad:
        grad_fn = None
    found: dict[str, Any] = {
        "is_leaf": tensor.is_leaf,
        "requires_grad": tensor.requires_grad,
        "version": tensor.version,
        "shape": tensor.shape,
        "grad_fn": grad_fn or "none",
    }
    for fact, expected in facts.model_dump(exclude_none=True).items():
        if found[fact] != expected:
            yield f"{name}.{fact} is {found[fact]}, not {expected}"


def _events(check: Check, trace: Trace, _: Reader) -> Iterator[str]:
    for kind, times in (check.events or {}).items():
        found = sum(event["kind"] == kind for event in trace.events)
        if found != times:
            yield f"the program does {kind} {found} times, not {times}"


def _texts(check: Check, trace: Trace, _: Reader) -> Iterator[str]:
    for text in check.prints or []:
        if text not in trace.stdout:
            yield f"the output has no {text!r}"
    for text in check.source or []:
        if re.sub(r"\s", "", text) not in re.sub(r"\s", "", trace.source):
            yield f"the program has no {text!r}"


def _notes(check: Check, trace: Trace, _: Reader) -> Iterator[str]:
    codes = {note.code for note in trace.notes}
    for code in check.notes or []:
        if bool(codes) if code == "none" else code not in codes:
            yield f"the traps are {sorted(codes)}, not {code}"


def _page(check: Check, trace: Trace, reader: Reader) -> Iterator[str]:
    if check.chosen and reader.chosen not in check.chosen:
        yield f"chosen is {reader.chosen}, not {' or '.join(check.chosen)}"
    yield from (
        f"{name} cannot be chosen: the run has none" for name in check.chosen or [] if not _is_there(name, trace)
    )
    if check.view not in (None, reader.view):
        yield f"the view is {reader.view}, not {check.view}"
    if check.playhead not in (None, reader.playhead):
        yield f"the playhead is not at {check.playhead}"
    of = check.playhead and check.playhead.of
    if of and not _is_there(of, trace):
        yield f"the playhead cannot get to {of}: the run has none"
    if check.answer and not (reader.answer is not None and any(is_close(reader.answer, each) for each in check.answer)):
        yield f"the answer is {reader.answer}, not {check.answer[0]:g}"


def _is_there(name: str, trace: Trace) -> bool:
    return named(trace, _split(name)[0]) is not None or bool(functions_named(trace, name))


_FINDERS: tuple[_Finder, ...] = (
    _error, _value, _gradient, _passes, _functions, _tensor, _events, _texts, _notes, _page,
)  # fmt: skip
