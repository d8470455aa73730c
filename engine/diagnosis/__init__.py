"""From an exception to what a reader is told: the place, the words, and a fix where there is one."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis import findings as findings
from gradflow.engine.diagnosis.case import Case, Context
from gradflow.engine.diagnosis.case import apply_edits as apply_edits
from gradflow.engine.diagnosis.finding import Diagnosed, Finding
from gradflow.engine.diagnosis.fixers import FINDERS, FIXERS, LAST, found_out
from gradflow.engine.diagnosis.fixes import (
    attributes,
    backward,
    calls,
    changes,
    datasets,
    devices,
    dtypes,
    functions,
    indices,
    modules,
    names,
    origins,
    settings,
    shapes,
    values,
    writes,
)
from gradflow.engine.diagnosis.repairs import closings, colons
from gradflow.engine.diagnosis.repairs.broken_text import Broken
from gradflow.engine.diagnosis.repairs.indentation import missing_block
from gradflow.engine.diagnosis.repairs.repair import REPAIRED
from gradflow.engine.diagnosis.repairs.text import text_fix, text_repair
from gradflow.engine.diagnosis.search import run as search
from gradflow.engine.diagnosis.uses import lost_writes
from gradflow.engine.errors import ErrorKind, details_of, kind_of, recognise
from gradflow.engine.errors.language import python, syntax
from gradflow.engine.errors.language.known_names import details_of_name
from gradflow.engine.namespace.autograd.gradcheck import Difference, GradcheckError
from gradflow.engine.sandbox.library.scripts.arguments import UsageExit
from gradflow.engine.sandbox.program import PROGRAM_FILE, Program, Rejected, check
from gradflow.engine.trace import ErrorRecord, Fix, Span, Text

__all__ = ["Context", "apply_edits", "diagnose", "diagnose_rejection", "search", "unexplained"]


def diagnose(error: BaseException, program: Program, context: Context | None = None) -> ErrorRecord:
    """The record of an exception that ended a run."""
    known = context or Context()
    error_kind, details = _told_apart(error)
    details = _details(error, known) | details
    span, frames = known.span or program.error_span(error), program.frames(error)
    record = ErrorRecord(
        type=_title(type(error)),
        message=message_of(error),
        code=error_kind.code,
        span=program.head(span),
        explanation=_explanation(error_kind, details, known),
        fix=None,
        tensor=known.tensor,
        frames=[replace(frame, span=program.head(frame.span)) for frame in frames],
    )
    if span is None:
        return record
    case = Case(program, _in_short(details), known, span, _variables(error), frames)
    return Diagnosed.of(record, [_readable(each, case) for each in found_out(error_kind.code, case)])


def unexplained(error: BaseException, program: Program, span: Span | None) -> ErrorRecord:
    """The record of an exception that `diagnose` failed to look at."""
    explanation = Text(errors.UNEXPLAINED.explain("en", {}), errors.UNEXPLAINED.explain("zh", {}))
    place = span or program.error_span(error)
    kind = kind_of(error) or errors.UNEXPLAINED
    return ErrorRecord(_title(type(error)), message_of(error), kind.code, place, explanation, None)


def _variables(error: BaseException) -> dict[str, object]:
    """The variables where the error was raised, as far as they are the program's."""
    found: dict[str, object] = {}
    place = error.__traceback__
    while place is not None:
        if place.tb_frame.f_code.co_filename == PROGRAM_FILE:
            found = {**place.tb_frame.f_globals, **place.tb_frame.f_locals}
        place = place.tb_next
    return found


def _title(cls: type[BaseException]) -> str:
    """The name of an exception as Python's last line has it: with its module, but for Python's and the program's own."""
    module = cls.__module__
    return cls.__qualname__ if module in ("builtins", "__main__") else f"{module}.{cls.__qualname__}"


def diagnose_rejection(error: Rejected, source: str) -> ErrorRecord:
    """The record of a text that was rejected before it ran."""
    error_kind, details = _told_apart(error.cause)
    details |= missing_block(source, error.msg or "", error.span)
    fix, said = text_fix(error, source), None
    repair = text_repair(error, source) if fix is None else None
    if repair is None and fix is None and error.span is not None:
        said = colons.told(Broken(source, error.msg or "", error.span))
    elif repair is not None:
        generic = error_kind in (python.SYNTAX, python.INDENTATION, repair.kind) or repair.kind in _TELLING
        error_kind, details = (repair.kind, details | repair.details) if generic else (error_kind, details)
        fix, said = Fix(repair.words, repair.edits), repair.says if generic else None
    record = ErrorRecord(
        type=error.type,
        message=error.msg or "",
        code=error_kind.code,
        span=error.span,
        explanation=said or _explanation(error_kind, details, Context()),
        fix=fix,
    )
    if repair is None or (repair.others is not None and not repair.others) or error.span is None:
        return record
    return Diagnosed.of(replace(record, fix=None), [closings.several(source, repair, error.span)])


_TELLING: Final = (
    syntax.NOTEBOOK, syntax.NO_CODE, syntax.PYTHON_2, syntax.OTHER_LANGUAGE, syntax.MISSPELLED, syntax.RESERVED
)  # fmt: skip
"""Entries that say more than Python's message does."""


def _told_apart(error: BaseException) -> tuple[ErrorKind, dict[str, object]]:
    error_kind = kind_of(error)
    return (error_kind, dict(details_of(error))) if error_kind else recognise(error)


def message_of(error: BaseException) -> str:
    """``str(error)`` as Python prints it; the program's own ``__str__`` may fail."""
    try:
        told = error.msg if isinstance(error, SyntaxError) and error.msg else str(error)
        if isinstance(error, UsageExit) and error.told:
            told = error.told.rstrip()
        return _shortened(str.__str__(told))  # of the program's own kinds of text only the characters
    except BaseException:  # the time limit, too: it has been told of by then
        return "<exception str() failed>"


_LONGEST: Final = 1_000_000
"""Characters of a message that are looked at: what is told is shorter still, and longer ones use up the memory."""


def _shortened(text: str) -> str:
    """The beginning and the end of what is too long."""
    if len(text) <= _LONGEST:
        return text
    left_out = len(text) - _LONGEST
    return f"{text[: _LONGEST // 2]}\n... {left_out} characters are left out here ...\n{text[-_LONGEST // 2 :]}"


def _details(error: BaseException, known: Context) -> dict[str, object]:
    details: dict[str, object] = {} if kind_of(error) else {"type": type(error).__name__, "message": message_of(error)}
    if isinstance(error, NameError | AttributeError) and error.name:
        details.setdefault("name", error.name)
    if isinstance(error, AttributeError) and error.obj is not None:
        details.setdefault("value", error.obj)
    if kind_of(error) in _NOT_HERE:
        given = details_of(error)
        details |= details_of_name(" ".join(str(given[each]) for each in ("name", "argument") if each in given))
    if isinstance(error, GradcheckError) and isinstance(error._difference, Difference):
        details["difference"] = error._difference
    if known.shape is not None:
        details.setdefault("shape", tuple(known.shape))
    return details


_NOT_HERE: Final = (errors.NOT_PROVIDED, errors.MODULE_NOT_PROVIDED, errors.ARGUMENT_NOT_PROVIDED)


_LOOKED_AT: Final = 2000
"""Characters of a text that findings look through: some patterns take time by the square of it."""


def _in_short(details: dict[str, object]) -> dict[str, object]:
    return {name: value[:_LOOKED_AT] if type(value) is str else value for name, value in details.items()}


def _explanation(error_kind: ErrorKind, details: dict[str, object], known: Context) -> Text:
    named = {**details, "tensor": f"`{known.name}`"} if known.name else details
    return Text(error_kind.explain("en", named), error_kind.explain("zh", named))


def _readable(finding: Finding, case: Case) -> Finding:
    """The finding, with the fixes that make a program."""
    source = case.program.source
    lost = lost_writes(source) if finding.fixes else 0
    made = [(fix, apply_edits(source, fix.edits)) for fix in finding.fixes]
    return replace(finding, fixes=[fix for fix, text in made if _is_program(text) and lost_writes(text) <= lost])


def _is_program(source: str) -> bool:
    try:
        check(source)
    except Rejected:
        return False
    return True


def fix_exists(error_kind: ErrorKind) -> bool:
    """Whether a fix is known for some programs with this error."""
    return (
        error_kind.code in FIXERS
        or error_kind.code in FINDERS
        or error_kind.code in LAST
        or error_kind.code == "invalid-character"
        or error_kind in REPAIRED
    )
