"""What the process of a run does: one request in, the engine, one answer out.

The request is JSON: ``{"product": "trace" | "dot", "theme": ..., "turn": ..., "most": ..., "arguments": {...}}`` with the arguments of
`gradflow.engine.run.run`.
"""

from __future__ import annotations

import gc
import signal
import sys
import traceback
from collections.abc import Callable
from hashlib import sha256
from math import inf
from time import monotonic
from types import FrameType
from typing import Any

import orjson

from gradflow.backend.arguments import with_numbers
from gradflow.backend.jail import wire
from gradflow.backend.jail.closed_imports import ClosedImports
from gradflow.backend.jail.outcome import (
    Bounds,
    out_of_memory,
    out_of_time,
    to_json,
    too_long,
    with_error,
    with_limit_told,
)
from gradflow.engine import errors
from gradflow.engine.diagnosis.trial import with_proven_fix
from gradflow.engine.dot import to_dot
from gradflow.engine.preload import load_everything
from gradflow.engine.run import InvalidRequest, run
from gradflow.engine.sandbox.program import PROGRAM_FILE
from gradflow.engine.trace import Trace

_REHEARSAL = {
    "source": "c = a.mm(b)\nprint(c)",
    "inputs": {"a": [[1, 2], [3, 4]], "b": [[1, 2], [3, 4]]},
    "gradient": [[1, 1], [1, 1]],
    "max_bytes": 4_000_000,
}
_WARM_UP = {"source": "import torch\nx = torch.ones(2, 2, requires_grad=True)\n(x @ x).sum().backward()\nx.undefined"}

_AGAIN = 0.05
_TRIAL = 0.5
"""Seconds for trying out a fix, beside those that the program itself took."""


class TimeUp(BaseException):
    """The time limit has passed. No ``except Exception`` of a program's stops it; `gradflow.engine.run` says it in the words of
    the catalogue."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.__dict__.update(kind=errors.TIME_LIMIT, details={"seconds": f"{seconds:g}"})


Request = dict[str, Any]  # checked by gradflow.backend.http.schemas before it was sent


def make(options: dict[str, float]) -> Callable[[int], None]:
    """The worker, warm. ``options`` are the fields of `Bounds`."""
    bounds = Bounds(**options)  # type: ignore[arg-type]  # JSON keeps integers and floats apart
    set_alarm(bounds)
    load_everything()  # once, not in every process that is forked: there is no opening of files in these
    _rehearse(_WARM_UP, bounds)
    imports = ClosedImports()

    def work(descriptor: int) -> None:
        imports.close()
        request: Request = orjson.loads(wire.read_request(descriptor, lambda: _rehearse(_REHEARSAL, bounds)))
        answer = answer_to(request, bounds)
        if imports.missed:
            answer = _failed(request, "\n".join(imports.missed))
        wire.write_all(descriptor, wire.frame(*answer))

    return work


def set_alarm(bounds: Bounds) -> None:
    """What happens when the time limit passes; the process of a run inherits it and starts the clock."""

    def stop(number: int, frame: FrameType | None) -> None:
        if _in_program(frame):
            raise TimeUp(bounds.time_limit)

    signal.signal(signal.SIGALRM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # is for the service; what a program raises is its own


def _rehearse(arguments: Request, bounds: Bounds) -> None:
    """Run a program of ours. In a process just forked, this makes the copies of the memory pages that a run writes to,
    which takes longer than a small program does. What it leaves is cleared away: the next run fills the same pages."""
    answer_to(orjson.loads(orjson.dumps({"product": "trace", "arguments": arguments})), bounds)
    gc.collect()


def answer_to(request: Request, bounds: Bounds) -> tuple[bytes, bytes]:
    """Kind and payload of the answer."""
    try:
        return _product(request, trace_of(request["arguments"], bounds), bounds)
    except InvalidRequest as error:
        return wire.INVALID, orjson.dumps({"message": str(error), "location": list(error.location)})
    except TimeUp:
        return wire.ANSWER, to_json(out_of_time(request["arguments"]["source"], bounds))
    except MemoryError:
        return wire.ANSWER, to_json(out_of_memory(request["arguments"]["source"], bounds))
    except Exception:
        return _failed(request, traceback.format_exc())


def _failed(request: Request, reason: str) -> tuple[bytes, bytes]:
    """For the log, which shows no programs: a program can be told from others by its digest."""
    digest = sha256(request["arguments"]["source"].encode(errors="replace")).hexdigest()
    return wire.FAILED, f"program {digest[:12]}: {reason}".encode(errors="replace")


def trace_of(arguments: Request, bounds: Bounds) -> Trace:
    """Run the program, and where it has a fix also the mended one."""
    given = with_numbers(arguments)
    began = monotonic()
    trace = with_limit_told(_run(given, bounds, bounds.time_limit), bounds)
    if trace.error is None:
        return trace
    took = monotonic() - began
    left = bounds.time_limit - took if bounds.time_limit else inf
    seconds = min(_TRIAL + took, left / 2)
    proven = with_proven_fix(trace, lambda source: _tried({**given, "source": source}, bounds, seconds), left / 2)
    return trace if proven is None or proven is trace.error else with_error(trace, proven)


def _tried(arguments: Request, bounds: Bounds, seconds: float) -> Trace | None:
    """The run of a mended program; None where the attempt itself failed: the first run is what is answered."""
    try:
        return _run(arguments, bounds, seconds) if seconds > 0 else None
    except Exception:
        return None


def _run(arguments: Request, bounds: Bounds, seconds: float) -> Trace:
    """Run with the alarm on. It rings again, in case the program swallows it."""
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        return run(**arguments, operations=bounds.operation_limit)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _in_program(frame: FrameType | None) -> bool:
    """Whether the program is at work, and not the engine at the trace of it: that has the grace period."""
    while frame is not None:
        if frame.f_code.co_filename == PROGRAM_FILE:
            return True
        frame = frame.f_back
    return False


def _product(request: Request, trace: Trace, bounds: Bounds) -> tuple[bytes, bytes]:
    if request["product"] == "dot":
        dot = to_dot(trace, request["theme"], request["turn"], request["most"])
        return wire.ANSWER, dot.encode(errors="replace")
    payload = to_json(trace)
    fits = len(payload) <= min(bounds.max_response_bytes, request["arguments"].get("max_bytes") or sys.maxsize)
    return wire.ANSWER, payload if fits else to_json(too_long(trace.source, bounds))
