"""The golden programs and what is compared of a run. Needs neither PyTorch nor the engine."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
PROGRAMS = GOLDEN / "programs"
RECORDS = GOLDEN / "records"
ERRORS = GOLDEN / "errors.json"
PRELUDE = "import torch\na = torch.ones(2, 3, requires_grad=True)\n"
"""What comes before each statement of `ERRORS`."""


def groups() -> dict[str, Path]:
    """The folders that hold programs, by the path in which they stand; and the examples."""
    folders = sorted({path.parent for path in PROGRAMS.rglob("*.py")})
    return {"examples": ROOT / "examples"} | {folder.relative_to(PROGRAMS).as_posix(): folder for folder in folders}


@dataclass(frozen=True)
class Case:
    """A program of one of the `groups`. A `.prompt` file has the outcome of the `.py` file of its name,
    which prints what the session echoes."""

    group: str
    path: Path

    @property
    def name(self) -> str:
        return self.path.name.partition(".")[0]

    @property
    def source(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def id(self) -> str:
        return f"{self.group}/{self.path.name}"


def cases(suffix: str = ".py") -> list[Case]:
    """All golden programs with this suffix, in a fixed order."""
    return [Case(group, path) for group, home in groups().items() for path in sorted(home.glob(f"*{suffix}"))]


def record_path(group: str) -> Path:
    """Where the outcomes of a group of programs are recorded."""
    return RECORDS / f"{group}.json"


def load_records() -> dict[str, dict[str, Any]]:
    """Group -> name of the program -> record, of the groups that are recorded."""
    paths = {group: record_path(group) for group in groups()}
    return {group: json.loads(path.read_text(encoding="utf-8")) for group, path in paths.items() if path.exists()}


def load_golden() -> dict[str, dict[str, Any]]:
    """Group -> name of the program -> recorded outcome under this version of Python."""
    return {
        group: {name: of_this_python(record) for name, record in records.items()}
        for group, records in load_records().items()
    }


def of_this_python(record: dict[str, Any]) -> dict[str, Any]:
    """The outcome that a record gives for this version of Python.

    Some programs print or raise Python's own words. `python` in their records has the fields that differ from a version
    on; the newest that is not newer than the one at hand counts.
    """
    variants = record.get("python", {})
    fitting = [version for version in variants if _order(version) <= _order(python_version())]
    return {**record, **variants[max(fitting, key=_order)]} if fitting else record


def python_version() -> str:
    """As in `3.12`."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def outcome(
    stdout: str, error: tuple[str, str] | None, warned: list[tuple[str, str]], grads: dict[str, Any]
) -> dict[str, Any]:
    """What is recorded and compared: addresses are blanked, of a warning its first line counts, each once."""
    first_lines = [f"{category}: {_first_line(message)}" for category, message in warned]
    return {
        "stdout": _without_addresses(stdout).split("\n"),
        "error": None if error is None else _without_addresses(f"{error[0]}: {error[1]}"),
        "warnings": list(dict.fromkeys(first_lines)),
        "grads": grads,
    }


def _first_line(message: str) -> str:
    return re.sub(r" \(Triggered internally at .*\)$", "", message.split("\n")[0])


def _without_addresses(text: str) -> str:
    return re.sub(r"0x[0-9a-fA-F]+", "0x...", text)
