"""From the end of a run to a trace: also a program that had to be stopped is answered with one."""

from __future__ import annotations

import json
import math
import signal
from dataclasses import asdict, fields, replace

import orjson

from gradflow.backend.jail.bounds import Bounds as Bounds
from gradflow.backend.jail.wire import Ending, Killed
from gradflow.engine import errors
from gradflow.engine.errors.error_kind import ErrorKind
from gradflow.engine.recording.recorded_trace import RecordedTrace
from gradflow.engine.trace import ErrorRecord, Note, Text, Trace

_MIB = 1024 * 1024
_OUT_OF_TIME = {signal.SIGXCPU, signal.SIGALRM}
_OUT_OF_MEMORY = {signal.SIGKILL}  # nobody else sends it: the machine ran out of memory


def _record(error_kind: ErrorKind, **details: object) -> ErrorRecord:
    explanation = Text(error_kind.explain("en", details), error_kind.explain("zh", details))
    return ErrorRecord(error_kind.type.__name__, str(error_kind(**details)), error_kind.code, None, explanation, None)


def _stopped(source: str, error_kind: ErrorKind, **details: object) -> Trace:
    """The trace of a run of which nothing is known but why it was stopped."""
    return Trace(source, "", _record(error_kind, **details), [], [], [], [], [])


def stopped_by(source: str, error: BaseException) -> Trace:
    """Ended by a limit outside of the program's own code."""
    error_kind = errors.kind_of(error)
    assert error_kind is not None
    return _stopped(source, error_kind, **errors.details_of(error))


def untold(trace: Trace, reason: str) -> Trace:
    """Of a run that came to its end only what was known at once."""
    error = trace.error or _record(errors.UNTOLD, reason=reason)
    return Trace(trace.source, trace.stdout, error, [], [], [], [], [])


def failed(source: str) -> Trace:
    """The engine failed. Why is for the log alone."""
    return _stopped(source, errors.ENGINE_FAILED)


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


def with_notes(trace: Trace, notes: list[Note]) -> Trace:
    """The trace with other notes of traps."""
    return replace(written_down(trace), notes=notes)


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
            return _stopped(source, errors.PROCESS_DIED, reason=_name_of(killed.code))
        case Ending.MALFORMED:
            return malformed(source)
        case _:
            return _stopped(source, errors.PROCESS_DIED, reason=f"exit status {killed.code}")


def malformed(source: str) -> Trace:
    """The process sent something else than an answer."""
    return _stopped(source, errors.PROCESS_DIED, reason="its answer made no sense")


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # those for real-time use have no names
        return f"signal {number}"


def to_json(trace: Trace) -> bytes:
    """The trace as JSON. Its records are written first: orjson does not survive an exception in a field."""
    _ = trace.nodes
    try:
        return trace.json() if isinstance(trace, RecordedTrace) else orjson.dumps(trace)
    except TypeError:  # integers past 64 bits, and surrogates that a program printed
        text = json.dumps(_plain(asdict(trace)), separators=(",", ":"), ensure_ascii=False)
        return text.encode(errors="replace")


def _plain(value: object) -> object:
    """JSON has no numbers that are none: as orjson writes them."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
