"""What the documentation points to exists: files, and headings by the addresses that GitHub gives them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`(?=\]\()", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_BARE = re.compile(r"`(\w[\w./-]*\w\.(?:py|ts|svelte|js|txt|toml|json|css|proto))`")
_DECLARATION = re.compile(r"^```python\n(@op\(.*?)^```", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"`((?:engine|backend|frontend|tests|scripts|examples|docs|src)/[\w./-]*\w\.\w+)`")


def headings(page: Path) -> list[str]:
    """The addresses of the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"https?:", target):
            continue
        file, _, heading = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        if not there.exists() or (heading and heading not in headings(there)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_exist(page: Path) -> None:
    named = _FILE.findall(page.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
NOT_OURS = {"ast.py", "numpy.py"}
"""Files that are named as examples of a program's or a user's own."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_without_their_folder_exist(page: Path) -> None:
    known = {"/" + name for name in TRACKED}
    named = {name for name in _BARE.findall(page.read_text(encoding="utf-8")) if name not in NOT_OURS}
    assert sorted(name for name in named if not any(each.endswith("/" + name) for each in known)) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_declarations_that_are_shown_stand_in_the_engine(page: Path) -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "engine" / "ops").rglob("*.py")]
    shown = _DECLARATION.findall(page.read_text(encoding="utf-8"))
    assert [each for each in shown if not any(each in source for source in sources)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_two_headings_have_one_address(page: Path) -> None:
    found = headings(page)
    assert sorted({each for each in found if found.count(each) > 1}) == []
