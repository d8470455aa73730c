"""The gallery: the programs in examples/, with their titles from examples/index.toml; and a teacher's own."""

from __future__ import annotations

import re
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


class BadExamples(Exception):
    """A folder of programs that cannot be shown; the message says which file, and what is wrong."""


_OWN = Text("Own programs", "自备程序")


def load_own(directory: Path) -> list[Example]:
    """The programs of a teacher's folder, in the order of their file names. Without an ``index.toml`` a program is called
    what its first comment says, else what its file is called. Raises `BadExamples`."""
    if not directory.is_dir():
        raise BadExamples(f"{directory}: there is no such folder")
    if (directory / "index.toml").is_file():
        try:
            return load_examples(directory)
        except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError, OSError, UnicodeDecodeError) as error:
            raise BadExamples(f"{directory / 'index.toml'}: {type(error).__name__}: {error}") from None
    files = sorted(directory.glob("*.py"))
    if not files:
        raise BadExamples(f"{directory}: there is no program in it: no file that ends in .py")
    return [_own(file) for file in files]


def _own(file: Path) -> Example:
    try:
        source = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadExamples(f"{file}: {error}") from None
    first, _, second = source.partition("\n")
    comment = re.match(r"#+\s*(\S.*)", first)
    title = comment[1].strip() if comment else re.sub(r"^\d+[-_]", "", file.stem).replace("_", " ")
    more = re.match(r"#+\s*(\S.*)", second) if comment else None
    summary = more[1].strip() if more else ""
    name = re.sub(r"[^a-z0-9_-]+", "-", re.sub(r"^\d+[-_]", "", file.stem.lower())).replace("_", "-")[:56]
    return Example(f"own-{name}", Text(title, title), Text(summary, summary), source, _OWN)


def load_examples(directory: Path | None = None) -> list[Example]:
    """All examples in the order of their file names: those of the gallery, or of another folder with an ``index.toml``."""
    directory = directory or examples_directory()
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
