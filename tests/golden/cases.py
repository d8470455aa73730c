"""The golden programs and what is compared of a run. Needs neither PyTorch nor the engine."""

from __future__ import annotations

import json
import re
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
    """A program of one of the `groups`. A `.prompt` file has the outcome of the `.py` file of its name."""

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


def load_golden() -> dict[str, dict[str, Any]]:
    """Group -> name of the program -> recorded outcome."""
    return {group: json.loads(record_path(group).read_text(encoding="utf-8")) for group in groups()}


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
