"""What the process of a run does: one request in, the engine, one answer out.

The request is JSON: ``{"product": "trace" | "dot" | "svg", "theme": ..., "turn": ..., "step": ..., "most": ..., "arguments": {...}}`` with the arguments of
`gradflow.engine.run.run`.
"""

from __future__ import annotations

import os
import sys
import traceback
from hashlib import sha256
from math import inf
from time import monotonic
from typing import Any, Final

import orjson

from gradflow.backend.arguments import with_numbers
from gradflow.backend.jail import wire
from gradflow.backend.jail.clock import Clock, Late
from gradflow.backend.jail.closed_imports import ClosedImports
from gradflow.backend.jail.outcome import (
    Bounds,
    out_of_memory,
    out_of_time,
    stopped_by,
    to_json,
    too_long,
    untold,
    with_error,
    with_limit_told,
    with_notes,
)
from gradflow.backend.jail.stages import Stages
from gradflow.backend.jail.work import Work
from gradflow.engine import collector
from gradflow.engine.diagnosis.note_trial import proven_notes
from gradflow.engine.diagnosis.trial import Run as Mended
from gradflow.engine.diagnosis.trial import with_proven_fix
from gradflow.engine.errors.stopped import Stopped
from gradflow.engine.picture.dot import to_dot
from gradflow.engine.picture.svg import to_svg
from gradflow.engine.picture.view import View
from gradflow.engine.preload import load_everything
from gradflow.engine.run import InvalidRequest, run
from gradflow.engine.sandbox.interpreter.built_in_methods import guard_built_in_methods as guard_built_in_methods
from gradflow.engine.trace import ErrorRecord, Trace

_REHEARSAL = {
    "source": "c = a.mm(b)\nprint(c)",
    "inputs": {"a": [[1, 2], [3, 4]], "b": [[1, 2], [3, 4]]},
    "gradient": [[1, 1], [1, 1]],
    "max_bytes": 4_000_000,
}
_WARM_UP = {"source": "import torch\nx = torch.ones(2, 2, requires_grad=True)\n(x @ x).sum().backward()\nx.undefined"}

_TRIAL = 0.5
"""Seconds for trying out a fix, beside those that the program itself took."""
_GARBAGE = 20_000
"""Objects that earlier runs may leave behind when a mended program is tried."""
_MOST_OF_A_NAME = 200
_MOST_OF_A_MESSAGE = 2000
_OF_GRACE = 0.6
"""The part of the grace period in which the stages after a program must come to their end."""

CLOCK = Clock()

Request = dict[str, Any]  # checked by gradflow.backend.http.schemas before it was sent


def make(options: dict[str, float]) -> Work:
    """The worker, warm. ``options`` are the fields of `Bounds`."""
    bounds = Bounds(**options)  # type: ignore[arg-type]  # JSON keeps integers and floats apart
    CLOCK.install()
    guard_built_in_methods()
    # once, not in every process that is forked: there is no opening of files in these
    building = load_everything()
    _rehearse(_WARM_UP, bounds)
    imports = ClosedImports()

    def work(descriptor: int) -> None:
        imports.close()
        collector.stop()
        more = True
        while more:
            asked, more = wire.read_request(descriptor, lambda: _rehearse(_REHEARSAL, bounds))
            answer_one(descriptor, orjson.loads(asked))
            if more:
                collector.collect_plain()

    def answer_one(descriptor: int, request: Request) -> None:
        stages = _stages(bounds)
        stages.reserve_memory()
        CLOCK.give_up = lambda stopped: _give_up(descriptor, request, stopped)
        answer = answer_to(request, bounds, stages)
        if imports.missed:
            answer = _failed(request, "\n".join(imports.missed))
        if stages.notes:
            wire.write_all(descriptor, wire.frame(wire.NOTE, _of_program(request, "; ".join(stages.notes))))
        wire.write_all(descriptor, wire.frame(*answer))

    return Work(work, building)


def _stages(bounds: Bounds) -> Stages:
    return Stages(bounds.time_limit + bounds.grace * _OF_GRACE)


def _rehearse(arguments: Request, bounds: Bounds) -> None:
    """Run a program of ours. In a process just forked, this makes the copies of the memory pages that a run writes to,
    which takes longer than a small program does. What it leaves is cleared away: the next run fills the same pages."""
    answer_to(orjson.loads(orjson.dumps({"product": "trace", "arguments": arguments})), bounds)
    collector.collect_plain()


def _give_up(descriptor: int, request: Request, stopped: BaseException) -> None:
    """The program does not let itself be ended: it is left where it stands."""
    answer = _plain(request, stopped_by(request["arguments"]["source"], stopped))
    wire.write_all(descriptor, wire.frame(*answer))
    os._exit(0)


def answer_to(request: Request, bounds: Bounds, stages: Stages | None = None) -> tuple[bytes, bytes]:
    """Kind and payload of the answer."""
    source = request["arguments"]["source"]
    stages = stages or _stages(bounds)
    try:
        trace = trace_of(request["arguments"], bounds, stages, notes=request["product"] == "trace")
        with CLOCK.stage(bounds.time_limit and stages.seconds_left()):
            return _product(request, trace, bounds, stages)
    except InvalidRequest as error:
        return _invalid(str(error), *error.location)
    except Stopped as stopped:
        return _plain(request, stopped_by(source, stopped))
    except Late:
        return _plain(request, out_of_time(source, bounds))
    except MemoryError:
        return _plain(request, out_of_memory(source, bounds))
    except Exception:
        return _failed(request, traceback.format_exc())


def _invalid(message: str, *location: str | int) -> tuple[bytes, bytes]:
    parts = [part[:_MOST_OF_A_NAME] if isinstance(part, str) else part for part in location]
    return wire.INVALID, orjson.dumps({"message": message[:_MOST_OF_A_MESSAGE], "location": parts})


def _plain(request: Request, trace: Trace) -> tuple[bytes, bytes]:
    """The answer where there is no graph to tell of."""
    if request["product"] == "trace":
        return wire.ANSWER, to_json(trace)
    error = trace.error
    return _invalid(f"There is nothing to draw: {error.type}: {error.message}" if error else "", "source")


def _failed(request: Request, reason: str) -> tuple[bytes, bytes]:
    return wire.FAILED, _of_program(request, reason)


def _of_program(request: Request, reason: str) -> bytes:
    """For the log, which shows no programs: a program can be told from others by its digest."""
    digest = sha256(request["arguments"]["source"].encode(errors="replace")).hexdigest()
    return wire.cut(f"program {digest[:12]}: {reason}")


def trace_of(arguments: Request, bounds: Bounds, stages: Stages | None = None, *, notes: bool = True) -> Trace:
    """Run the program, and where there are fixes of its error, or with ``notes`` of its traps, also the mended ones."""
    stages = stages or _stages(bounds)
    given = with_numbers(arguments)
    began = monotonic()
    trace = with_limit_told(_run(given, bounds, bounds.time_limit, stages), bounds)
    took = monotonic() - began
    left = bounds.time_limit - took if bounds.time_limit else inf
    seconds = min(_TRIAL + took, left / 2)

    def mended(source: str) -> Trace | None:
        return _tried({**given, "source": source}, bounds, seconds)

    proven = with_proven_fix(trace, mended, left / 2)
    spent = monotonic() - began - took
    told, error = trace, proven
    if notes:
        told, error = _with_proven_notes(trace, proven, mended, left / 2 - spent, bounds, stages)
    return told if error is None or error is trace.error else with_error(told, error)


def _with_proven_notes(
    trace: Trace, error: ErrorRecord | None, mended: Mended, seconds: float, bounds: Bounds, stages: Stages
) -> tuple[Trace, ErrorRecord | None]:
    """The trace with those fixes of its traps that do not make the program fail; the error, told as the trap where that is
    what it comes from."""
    try:
        with CLOCK.stage(bounds.time_limit and stages.seconds_left()):
            notes = trace.notes
    except (Exception, Stopped, Late):
        return trace, error  # it fails again where the trace is written, and is told of there
    if not any(note.fix for note in notes):
        return trace, error
    told, left = proven_notes(trace, mended, seconds).told_with(error)
    return (trace if left == notes else with_notes(trace, left)), told


def _tried(arguments: Request, bounds: Bounds, seconds: float) -> Trace | None:
    """The run of a mended program; None where the attempt itself failed: the first run is what is answered."""
    collector.collect_harmless(_GARBAGE)
    try:
        return _run(arguments, bounds, seconds, Stages(seconds)) if seconds > 0 else None
    except (Exception, Stopped, Late):
        return None


def _run(arguments: Request, bounds: Bounds, seconds: float, stages: Stages) -> Trace:
    """Run with the alarm on."""
    limit = bounds.time_limit and seconds

    def ended() -> None:
        CLOCK.program_ended()
        stages.free_reserve()

    with CLOCK.program(limit, bounds.time_limit, stages.seconds_left()):
        return run(**arguments, operations=bounds.operation_limit, ended=ended)


_PICTURES: Final = {"dot": to_dot, "svg": to_svg}


def _product(request: Request, trace: Trace, bounds: Bounds, stages: Stages) -> tuple[bytes, bytes]:
    if request["product"] in _PICTURES:
        return stages.attempt(
            "picture", lambda: _picture(request, trace), lambda reason: _plain(request, untold(trace, reason))
        )
    payload = stages.attempt("trace", lambda: to_json(trace), lambda reason: to_json(untold(trace, reason)))
    fits = len(payload) <= min(bounds.max_response_bytes, request["arguments"].get("max_bytes") or sys.maxsize)
    return wire.ANSWER, payload if fits else to_json(too_long(trace.source, bounds))


def _picture(request: Request, trace: Trace) -> tuple[bytes, bytes]:
    view = View(request["theme"], request["turn"], request["step"])
    drawn = _PICTURES[request["product"]](trace, view, request["most"])
    return wire.ANSWER, drawn.encode(errors="replace")
