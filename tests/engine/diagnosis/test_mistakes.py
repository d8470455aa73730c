"""What is said of the mistakes of `mistakes.txt`, and that nothing that is said uses a word that is not wanted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gradflow.engine import errors
from gradflow.engine.diagnosis import apply_edits
from gradflow.engine.diagnosis.trial import with_proven_fix
from gradflow.engine.errors import CATALOGUE
from gradflow.engine.run import run
from gradflow.engine.trace import ErrorRecord
from tests.engine.diagnosis.mistakes import MISTAKES, Mistake

UNWANTED = re.compile(r"文本|滤波器|不声不响|静默|叶子(?!张量)|(?<!字)数和列表")
PACKAGE = Path(errors.__file__).parent.parent


def told_of(source: str) -> ErrorRecord:
    """The record that the service gives."""
    record = with_proven_fix(run(source), run)
    assert record is not None
    return record


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: f"{mistake.code}:{mistake.source[-30:]!r}")
def test_a_mistake_is_explained_and_mended(mistake: Mistake) -> None:
    record = told_of(mistake.source)
    place = record.cause or record.span
    assert place is not None
    assert (record.code, place.line) == (mistake.code, mistake.line)
    assert (record.explanation.en, record.explanation.zh) == (mistake.en, mistake.zh)
    fixes = record.choices or ([record.fix] if record.fix else [])
    assert [apply_edits(mistake.source, fix.edits) for fix in fixes] == mistake.mended


def test_there_are_many() -> None:
    assert len(MISTAKES) >= 100
    assert sum(bool(mistake.mended) for mistake in MISTAKES) >= 85


def test_both_languages_speak_of_the_same_names_and_lines() -> None:
    for mistake in MISTAKES:
        codes = [set(re.findall(r"`[^`]*`", text)) for text in (mistake.en, mistake.zh)]
        assert codes[0] == codes[1], mistake.source
        assert (str(mistake.line) in mistake.en) == (str(mistake.line) in mistake.zh), mistake.source


@pytest.mark.parametrize("kind", CATALOGUE.values(), ids=lambda kind: kind.code)
def test_the_catalogue_uses_no_unwanted_word(kind: errors.ErrorKind) -> None:
    assert not UNWANTED.search(kind.zh)


@pytest.mark.parametrize("path", sorted((PACKAGE / "diagnosis").rglob("*.py")), ids=lambda path: path.name)
def test_no_finding_uses_an_unwanted_word(path: Path) -> None:
    assert not UNWANTED.search(path.read_text(encoding="utf-8"))
