"""Tests of the settings, and of the page that documents them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from gradflow.backend.http.app import create_app
from gradflow.backend.settings import Settings, read_settings

DOCUMENTATION = Path(__file__).resolve().parents[2] / "docs" / "api.md"


def table() -> str:
    """The table of docs/api.md, from the class."""
    rows = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = "" if field.default_factory or field.default is None else f"`{field.default}`"
        rows.append(f"| `GRADFLOW_{name.upper()}` | {default} | {field.description} |")
    return "\n".join(rows)


def test_every_setting_is_documented() -> None:
    assert table() in DOCUMENTATION.read_text(encoding="utf-8")


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADFLOW_TIME_LIMIT", "0.5")
    monkeypatch.setenv("GRADFLOW_PORT", "9000")
    assert (Settings().time_limit, Settings().port) == (0.5, 9000)


@pytest.mark.parametrize(
    ("name", "value"), [("time_limit", 0), ("memory_limit", 1), ("port", 70_000), ("concurrency", 0), ("queue", -1)]
)
def test_senseless_settings_are_refused(name: str, value: int) -> None:
    with pytest.raises(ValidationError):
        Settings(**{name: value})  # type: ignore[arg-type]


def test_short_programs_find_a_place_beside_those_that_spin() -> None:
    assert Settings().concurrency >= 32


def test_misspelt_settings_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADFLOW_TIMELIMIT", "5")
    monkeypatch.setenv("GRADFLOW_COLOUR_OF_THE_SKY", "blue")
    monkeypatch.setenv("gradflow_port", "9000")
    told: list[str] = []
    settings = read_settings(told.append, queue=3)
    assert (settings.port, settings.queue) == (9000, 3)
    assert told == [
        "GRADFLOW_COLOUR_OF_THE_SKY is not a setting",
        "GRADFLOW_TIMELIMIT is not a setting; did you mean GRADFLOW_TIME_LIMIT?",
    ]


def test_the_application_tells_of_them_in_its_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("GRADFLOW_QEUE", "5")
    create_app()
    assert caplog.messages == ["GRADFLOW_QEUE is not a setting; did you mean GRADFLOW_QUEUE?"]
