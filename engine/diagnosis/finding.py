"""What was found out about an error: the sentences that say it, where its cause stands, and the fixes that follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gradflow.engine.trace import ErrorRecord, Fix, Span, Text

_MOST_READINGS: Final = 2
"""Of a search whose changes all make the program run: with more nothing tells which was meant."""


@dataclass(frozen=True)
class Reading:
    """A fix that was searched for, with the words for it alone, and where the mistake then stands."""

    fix: Fix
    says: Text
    cause: Span


@dataclass(frozen=True)
class Finding:
    """One reading of an error. ``says``: the cause, then one thing to do; where it is None the catalogue has the words.

    Several ``fixes`` are the several things that the program can have meant; without any there is none that is certain,
    and only an ``open`` finding then takes the one that is known for the error. A ``guess`` is told only where one of its
    fixes is proven. ``readings`` are searched for: what is told is said by those that are proven, if these are few. Of a
    ``whole`` finding no fix is offered before all were tried: what is left of them is told as the only one that runs.
    """

    says: Text | None = None
    fixes: Sequence[Fix] = ()
    cause: Span | None = None
    open: bool = False
    guess: bool = False
    readings: Sequence[Reading] = ()
    whole: bool = False

    def chosen(self, proven: Sequence[Fix]) -> Finding | None:
        """The finding with the fixes that are proven; None where a search has come to too many to tell what was meant."""
        if not self.readings:
            return replace(self, fixes=proven)
        held = [one for one in self.readings if any(one.fix is fix for fix in proven)]
        if not 0 < len(held) <= _MOST_READINGS:
            return None
        en, zh = " Or: ".join(one.says.en for one in held), "或者：".join(one.says.zh for one in held)
        return Finding(Text(en, zh), [one.fix for one in held], held[0].cause)


class Diagnosed(ErrorRecord):
    """A record with all findings, the likeliest first: a trial of their fixes decides which of them is told."""

    __slots__ = ("findings", "generic")
    __dataclass_fields__ = ErrorRecord.__dataclass_fields__  # orjson looks for it in the class itself

    findings: Sequence[Finding]
    generic: Text

    def __init__(self, **fields: Any) -> None:
        """Without findings, as a record that is made of this one by `dataclasses.replace`."""
        super().__init__(**fields)
        object.__setattr__(self, "findings", ())
        object.__setattr__(self, "generic", self.explanation)

    @classmethod
    def of(cls, record: ErrorRecord, findings: Sequence[Finding]) -> Diagnosed:
        """The record, with the likeliest finding told."""
        certain = next((one for one in findings if not one.guess), Finding())
        told = told_as(record, certain, record.explanation)
        made = cls(**{name: getattr(told, name) for name in ErrorRecord.__dataclass_fields__})
        object.__setattr__(made, "findings", findings)
        object.__setattr__(made, "generic", record.explanation)
        return made


def told_as(record: ErrorRecord, finding: Finding, generic: Text) -> ErrorRecord:
    """The record in the words of a finding, with its fixes."""
    fixes = list(finding.fixes)
    return replace(
        as_told(record),
        explanation=finding.says or (_with_action(generic, fixes[0]) if fixes else generic),
        fix=fixes[0] if fixes else None,
        choices=fixes if len(fixes) > 1 else [],
        cause=finding.cause if finding.cause != record.span else None,
    )


def _with_action(generic: Text, fix: Fix) -> Text:
    """What the catalogue says in general, and what that means in this program."""
    en, zh = fix.title.en, fix.title.zh
    first, rest = en[:1], en[1:]
    return Text(
        f"{generic.en} Here, write {en}." if first == "`" else f"{generic.en} Here: {first.lower()}{rest}.",
        f"{generic.zh}这里请写成 {zh}。" if zh.startswith("`") else f"{generic.zh}这里：{zh}。",
    )


def as_told(record: ErrorRecord) -> ErrorRecord:
    """The record by itself, without the findings that it was chosen from."""
    return ErrorRecord(**{name: getattr(record, name) for name in ErrorRecord.__dataclass_fields__})


def as_findings(found: Fix | Finding | None) -> Iterable[Finding]:
    """What a fixer gave, as findings."""
    if isinstance(found, Fix):
        yield Finding(fixes=[found])
    elif found is not None:
        yield found
