"""A trace whose graph is written down when it is first read."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

import orjson

from gradflow.engine import visibility
from gradflow.engine.recording.afterwards import afterwards
from gradflow.engine.recording.budget import budget
from gradflow.engine.recording.trace_builder import TraceBuilder
from gradflow.engine.recording.verify import verify
from gradflow.engine.trace import ErrorRecord, Trace


class RecordedTrace(Trace):
    """Most of its text is never looked at."""

    __slots__ = ("_transcript",)
    __dataclass_fields__ = Trace.__dataclass_fields__  # orjson looks for it in the class itself

    @classmethod
    def later(cls, source: str, stdout: str, error: ErrorRecord | None, trace_builder: TraceBuilder) -> RecordedTrace:
        """A trace with the fields that are known at once."""
        trace = cls.__new__(cls)
        most = trace_builder.max_bytes
        if most is not None:
            stdout = budget.cut(stdout, most // 4)
            error = None if error is None else budget.cut_error(error, most // 8)
            trace_builder.told = budget.size_of(stdout) + (0 if error is None else most // 8)
        told = {"source": source, "stdout": stdout, "error": error, "schema": 2, "_transcript": trace_builder}
        for name, known in told.items():
            object.__setattr__(trace, name, known)
        return trace

    def json(self) -> bytes:
        """The trace as JSON; what was written to know its length is not written again. Raises TypeError as orjson does."""
        _ = self.nodes  # its records are written first: orjson does not survive an exception in a field
        known = self._transcript.json
        told = {name: orjson.Fragment(known[name]) if name in known else getattr(self, name) for name in _FIELDS}
        return orjson.dumps(told)

    def __getattr__(self, name: str) -> Any:
        """Called for a field that is not there yet."""
        if name not in _WRITTEN_LATER:
            raise AttributeError(name)
        with afterwards():
            for field, records in self._transcript.records().items():
                object.__setattr__(self, field, records)
            failed_at = None if self.error is None else self.error.tensor
            failed_call = self._transcript.recorder.failed_call
            shown = visibility.shown(self.tensors, self.nodes, self.passes, failed_at, failed_call)
            object.__setattr__(self, "shown", shown)
            verify(self)
        return getattr(self, name)


_FIELDS: Final = tuple(field.name for field in fields(Trace))
_WRITTEN_LATER: Final = {*_FIELDS} - {"source", "stdout", "error", "schema"}
