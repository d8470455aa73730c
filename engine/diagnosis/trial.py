"""Whether a fix helps: the mended program is run, and must get past the error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gradflow.engine.diagnosis.case import apply_edits
from gradflow.engine.trace import Edit, ErrorRecord


def with_proven_fix(error: ErrorRecord, source: str, error_of: Callable[[str], ErrorRecord | None]) -> ErrorRecord:
    """The record, without its fix where the program that the fix makes fails in the same way at the same place.

    ``error_of`` runs a program and gives the error that ends it.
    """
    if error.fix is None or gets_past(error, error.fix.edits, error_of(apply_edits(source, error.fix.edits))):
        return error
    return replace(error, fix=None)


def gets_past(error: ErrorRecord, edits: list[Edit], after: ErrorRecord | None) -> bool:
    """Whether what comes after the edits is not the same error again."""
    if after is None or (after.code, after.message) != (error.code, error.message):
        return True
    if error.span is None or after.span is None:
        return False
    added = sum(edit.text.count("\n") for edit in edits if edit.span.line <= error.span.line)
    removed = sum(edit.span.end_line - edit.span.line for edit in edits if edit.span.line <= error.span.line)
    return after.span.line > error.span.line + added - removed
