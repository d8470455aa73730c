"""The golden programs and what is compared of a run. Needs neither PyTorch nor the engine."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
DIRECTORIES = {
    "examples": ROOT / "examples",
    "articles": GOLDEN / "programs" / "articles",
    "semantics": GOLDEN / "programs" / "semantics",
    "autograd": GOLDEN / "programs" / "autograd",
    "mechanics": GOLDEN / "programs" / "mechanics",
    "nn": GOLDEN / "programs" / "nn",
    "functional": GOLDEN / "programs" / "functional",
    "language": GOLDEN / "programs" / "language",
    "random": GOLDEN / "programs" / "random",
    "rearranging": GOLDEN / "programs" / "rearranging",
}
ERRORS = GOLDEN / "errors.json"
PRELUDE = "import torch\na = torch.ones(2, 3, requires_grad=True)\n"
"""What comes before each statement of `ERRORS`."""


@dataclass(frozen=True)
class Case:
    """A program of one of the `DIRECTORIES`. A `.prompt` file has the outcome of the `.py` file of its name."""

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
    return [Case(group, path) for group, home in DIRECTORIES.items() for path in sorted(home.glob(f"*{suffix}"))]


def load_golden() -> dict[str, dict[str, Any]]:
    """Group -> name of the program -> recorded outcome."""
    return {group: json.loads((GOLDEN / f"{group}.json").read_text(encoding="utf-8")) for group in DIRECTORIES}


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
