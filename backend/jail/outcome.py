"""From the end of a run to a trace: also a program that had to be stopped is answered with one."""

from __future__ import annotations

import json
import signal
from dataclasses import asdict, dataclass, fields, replace

import orjson

from gradflow.backend.jail.wire import Ending, Killed
from gradflow.engine import errors
from gradflow.engine.errors.error_kind import ErrorKind
from gradflow.engine.trace import ErrorRecord, Text, Trace

_MIB = 1024 * 1024
_OUT_OF_TIME = {signal.SIGXCPU, signal.SIGALRM}
_OUT_OF_MEMORY = {signal.SIGKILL}  # nobody else sends it: the machine ran out of memory


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits that a program can run into: seconds, bytes, a count, bytes. A time or a memory of 0 sets no limit."""

    time_limit: float
    memory_limit: int
    operation_limit: int
    max_response_bytes: int


def _record(error_kind: ErrorKind, **details: object) -> ErrorRecord:
    explanation = Text(error_kind.explain("en", details), error_kind.explain("zh", details))
    return ErrorRecord(error_kind.type.__name__, str(error_kind(**details)), error_kind.code, None, explanation, None)


def _stopped(source: str, error_kind: ErrorKind, **details: object) -> Trace:
    """The trace of a run of which nothing is known but why it was stopped."""
    return Trace(source, "", _record(error_kind, **details), [], [], [], [], [])


def out_of_time(source: str, bounds: Bounds) -> Trace:
    """Stopped by the clock."""
    return _stopped(source, errors.TIME_LIMIT, seconds=f"{bounds.time_limit:g}")


def out_of_memory(source: str, bounds: Bounds) -> Trace:
    """Stopped for want of memory."""
    if not bounds.memory_limit:
        return _stopped(source, errors.python.MEMORY, message="")
    return _stopped(source, errors.MEMORY_LIMIT, megabytes=bounds.memory_limit // _MIB)


def with_limit_told(trace: Trace, bounds: Bounds) -> Trace:
    """A bare MemoryError does not say how much memory there was."""
    if not bounds.memory_limit or trace.error is None or trace.error.code != errors.python.MEMORY.code:
        return trace
    told = _record(errors.MEMORY_LIMIT, megabytes=bounds.memory_limit // _MIB)
    return with_error(trace, replace(told, span=trace.error.span, frames=trace.error.frames))


def with_error(trace: Trace, error: ErrorRecord) -> Trace:
    """The trace with another record of what ended the run."""
    return replace(written_down(trace), error=error)


def written_down(trace: Trace) -> Trace:
    """The trace with all its records, which the engine writes when they are first read."""
    return Trace(**{field.name: getattr(trace, field.name) for field in fields(Trace)})


def too_long(source: str, bounds: Bounds) -> Trace:
    """Ran to its end, and left more than can be sent."""
    return _stopped(source, errors.TRACE_LIMIT, megabytes=bounds.max_response_bytes // _MIB)


def of_killed(source: str, killed: Killed, bounds: Bounds) -> Trace:
    """What ended the process, in the words of the limit in force."""
    match killed.ending:
        case Ending.OVERDUE:
            return out_of_time(source, bounds)
        case Ending.TOO_LONG:
            return too_long(source, bounds)
        case Ending.SIGNALLED if killed.code in _OUT_OF_TIME:
            return out_of_time(source, bounds)
        case Ending.SIGNALLED if killed.code in _OUT_OF_MEMORY:
            return out_of_memory(source, bounds)
        case Ending.SIGNALLED:
            return _stopped(source, errors.PROCESS_DIED, reason=signal.Signals(killed.code).name)
        case _:
            return _stopped(source, errors.PROCESS_DIED, reason=f"exit status {killed.code}")


def to_json(trace: Trace) -> bytes:
    """The trace as JSON. Its records are written first: orjson does not survive an exception in a field."""
    _ = trace.nodes
    try:
        return orjson.dumps(trace)
    except TypeError:  # integers past 64 bits, and surrogates that a program printed
        return json.dumps(asdict(trace), separators=(",", ":")).encode()
