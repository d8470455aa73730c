"""Limits that end a run, whatever the program does about it."""

from __future__ import annotations

from typing import NoReturn

from gradflow.engine.errors.error_kind import ErrorKind
from gradflow.engine.state import STATE


class Stopped(BaseException):
    """A limit of the run was reached. No ``except Exception`` of a program's stops it, and where something else does
    (``finally``, ``__exit__``, ``except BaseException``), the run ends with the limit all the same."""


def stop(error_kind: ErrorKind, **details: object) -> NoReturn:
    """End the run. What is raised is caught by `gradflow.engine.run`, which says it in the words of the catalogue."""
    stopped = Stopped()
    stopped.__dict__.update(kind=error_kind, details=details)
    if STATE.stopped is None:
        STATE.stopped = stopped
    raise stopped
