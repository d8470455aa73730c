"""The gallery: the programs in examples/, with their titles from examples/index.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from gradflow.engine.trace import Text


@dataclass(frozen=True, slots=True)
class Example:
    """One program of the gallery. `id` is stable and serves in URLs; `group` is the heading it stands under."""

    id: str
    title: Text
    summary: Text
    source: str
    group: Text


def examples_directory() -> Path:
    """Where the programs are: inside an installed package, or at the top of a checkout."""
    installed = Path(__file__).parent / "gallery"
    return installed if installed.is_dir() else Path(__file__).resolve().parents[1] / "examples"


def load_examples() -> list[Example]:
    """All examples in the order of their file names."""
    directory = examples_directory()
    index = tomllib.loads((directory / "index.toml").read_text(encoding="utf-8"))
    groups = {name: Text(**title) for name, title in index["groups"].items()}
    return [
        Example(
            id=_id(entry["file"]),
            title=Text(**entry["title"]),
            summary=Text(**entry["summary"]),
            source=(directory / entry["file"]).read_text(encoding="utf-8"),
            group=groups[entry["group"]],
        )
        for entry in sorted(index["examples"], key=lambda entry: str(entry["file"]))
    ]


def _id(file: str) -> str:
    """``01_matrix_product.py`` -> ``matrix-product``: the number may change, the name stays."""
    return Path(file).stem.partition("_")[2].replace("_", "-")
