"""Repairs of words and signs: what a notebook, Python 2 or another language has, words that are misspelled."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

from gradflow.engine.diagnosis.repairs.broken_text import Broken, Proposer, Repair
from gradflow.engine.diagnosis.repairs.lines import Line, numbered
from gradflow.engine.errors.language import syntax
from gradflow.engine.trace import Edit, Text

_COMMENTS: Final = Text("Make the lines comments", "把这些行改成注释")
_PYTHON_3: Final = Text("Write it for Python 3", "改成 Python 3 的写法")
_PYTHON: Final = Text("Write it in Python", "改成 Python 的写法")
_PROMPT: Final = r"(?:>>> |\.\.\. |In ?\[\d*\]: )?"


def _commands(broken: Broken) -> Iterator[Repair]:
    """``%matplotlib inline``, ``!pip install``, ``x?``, ``$ python`` and ``pip install``."""
    pattern = re.compile(
        rf"\s*{_PROMPT}(?=[%!$]|pip3? install|conda install|python3? \S+\.py)|\s*(?=\?*[\w.]+\?{{1,2}}\s*(?:#.*)?$)"
    )
    edits = [
        line.edit(found.end(), found.end(), "# ")
        for line in numbered(broken.source)
        if (found := pattern.match(line.text)) and not line.text.lstrip().startswith("#")
    ]
    yield Repair(syntax.NOTEBOOK, Text("Make the commands of the notebook comments", "把 notebook 命令改成注释"), edits)


def _fences(broken: Broken) -> Iterator[Repair]:
    """Marks around code, numbers of lines, plain words."""
    fences = [line.edit(0, 0, "# ") for line in numbered(broken.source) if re.match(r"\s*(```|~~~)", line.text)]
    yield Repair(syntax.NO_CODE, _COMMENTS, fences)
    lines = [line for line in numbered(broken.source) if line.text.strip()]
    numbers = [re.match(r"\s*(\d+)(?:[ \t]*[.:|)]?[ \t]|$)", line.text) for line in lines]
    if len(lines) > 1 and all(numbers):
        values = [int(found[1]) for found in numbers if found]
        if all(a < b for a, b in pairwise(values)):
            edits = [line.edit(0, found.end(), "") for line, found in zip(lines, numbers, strict=True) if found]
            yield Repair(syntax.NO_CODE, Text("Take off the line numbers", "去掉行号"), edits)
    line = broken.line
    if re.search(r"[\u3400-\u9fff]", line.code) and not re.search(r"[=()\[\]]", line.code):
        yield Repair(syntax.NO_CODE, Text("Make the line a comment", "把这一行改成注释"), [_comment(line)])


def _comment(line: Line) -> Edit:
    return line.edit(len(line.indent), len(line.indent), "# ")


def _python_2(broken: Broken) -> Iterator[Repair]:
    everywhere = [line for line in numbered(broken.source) if line.text.strip()]
    for pattern, text in (
        (r"\bexcept\s+([\w.]+|\([\w., ]+\))\s*,\s*(\w+)\s*:", r"except \1 as \2:"),
        (r"\braise\s+([\w.]+)\s*,\s*([^\n;]+?)\s*$", r"raise \1(\2)"),
        (r"<>", "!="),
        (r"`([^`]+)`", r"repr(\1)"),
        (r"\b0(\d+)\b(?![.\w])", r"0o\1"),
        (r"\b(\d+)[lL]\b", r"\1"),
        (r"\bexec\s+(?!\()([^\n]+?)\s*$", r"exec(\1)"),
        (r"\bprint\s*>>\s*[\w.]+\s*,\s*([^\n]+?)\s*$", r"print(\1)"),
    ):
        edits = [edit for line in everywhere for edit in line.replaced(pattern, text)]
        yield Repair(syntax.PYTHON_2, _PYTHON_3, edits)


def _other_language(broken: Broken) -> Iterator[Repair]:
    line = broken.line
    signs = line.replaced(r"\s*&&\s*", " and ") + line.replaced(r"\s*\|\|\s*", " or ")
    signs += line.replaced(r"!(?!=)\s*(?=[\w(])", "not ")
    yield Repair(syntax.OTHER_LANGUAGE, _PYTHON, signs)
    for pattern, text in (
        (r"(\b[\w.]+)\s*\+\+", r"\1 += 1"),
        (r"(\b[\w.]+)\s*--", r"\1 -= 1"),
        (r"\+\+\s*(\b[\w.]+)", r"\1 += 1"),
        (r"\belse\s+if\b", "elif"),
        (r"\belseif\b", "elif"),
        (r"=\s*([^=?:]+?)\s*\?\s*([^:?]+?)\s*:\s*([^:?]+?)\s*$", r"= \2 if \1 else \3"),
        (r"//(?=[^/]*$)", "#"),
        (r"^(\s*)(?:function|func|fn|fun)\s+(?=\w+\s*\()", r"\1def "),
        (r"^(\s*)(?:var|let|const|auto|int|float|double)\s+(?=\w+\s*=)", r"\1"),
        (r"^(\s*)new\s+|(?<==)\s*new\s+(?=\w)", " "),
        (r"=>", ":"),
    ):
        yield Repair(syntax.OTHER_LANGUAGE, _PYTHON, line.replaced(pattern, text))


def _keywords(broken: Broken) -> Iterator[Repair]:
    """A word that is nearly one of Python's own."""
    line = broken.line
    for found in re.finditer(r"\b[A-Za-z]+\b", line.code):
        word = found[0]
        for meant in _alike(word):
            words = Text(f"`{meant}`", f"`{meant}`")
            yield Repair(syntax.MISSPELLED, words, [line.edit(found.start(), found.end(), meant)], {"word": word})


def _alike(word: str) -> list[str]:
    if keyword.iskeyword(word):
        return []
    rated = sorted(((_likeness(word, one), one) for one in keyword.kwlist), reverse=True)
    return [one for rating, one in rated[:3] if rating >= 0.74]


def _likeness(word: str, other: str) -> float:
    if word.lower() == other.lower():
        return 1.0
    if sorted(word) == sorted(other):
        return 0.9
    return SequenceMatcher(None, word, other).ratio() if len(word) > 2 else 0.0


def _reserved(broken: Broken) -> Iterator[Repair]:
    """``lambda = 0.1``: the name gets an underscore wherever it stands as one."""
    line = broken.line
    if not broken.message.startswith(("invalid syntax", "cannot assign")):
        return
    for word in set(re.findall(r"\b[a-z]+\b", line.code)):
        if word not in _NAMED:
            continue
        pattern = rf"\b{word}\b(?=\s*(?:[-+*/@%|&^]?=(?!=)|[-+*/@,)\]}}]|$))|(?<=\.){word}\b|(?<=[-+*/(,=] ){word}\b(?!\s+\w|:)"
        edits = [edit for one in numbered(broken.source) for edit in one.replaced(pattern, f"{word}_")]
        yield Repair(syntax.RESERVED, Text(f"`{word}_`", f"`{word}_`"), edits, {"word": word})


_NAMED: Final = frozenset({"lambda", "class", "def", "from", "import", "global", "async", "await", "with", "try"})
"""The words of Python's that people give to variables."""


def _numbers(broken: Broken) -> Iterator[Repair]:
    """``2x`` -> ``2*x``; a name with a hyphen."""
    line = broken.line
    product = line.replaced(r"(?<![\w.])(?!0[xob])(\d+(?:\.\d+)?)(?=[A-Za-z(])(?!e\d|j\b)", r"\1*")
    yield Repair(syntax.NUMBER_TEXT, Text("Write the `*`", "补上 `*`"), product)
    if found := re.match(r"\s*([A-Za-z]+(?:-[A-Za-z]+)+)\s*=(?!=)", line.code):
        name = found[1]
        edits = [
            edit for one in numbered(broken.source) for edit in one.replaced(re.escape(name), name.replace("-", "_"))
        ]
        title = f"`{name.replace('-', '_')}`"
        yield Repair(syntax.ASSIGNED_CONDITION, Text(title, title), edits)


def _single_signs(broken: Broken) -> Iterator[Repair]:
    """``=`` for ``==``, one sign too many, a word too many, a part that is missing."""
    line = broken.line
    for found in re.finditer(r"(?<![=!<>:+\-*/%&|^@])=(?!=)", line.code):
        if re.match(r"\s*(?:if|elif|while|assert|return)\b", line.code):
            words = Text("Compare with `==`", "用 `==` 比较")
            yield Repair(syntax.ASSIGNED_CONDITION, words, [line.edit(found.start(), found.end(), "==")])
    if swapped := re.fullmatch(r"(\s*)([\d.]+|\x00+)\s*=\s*([A-Za-z_]\w*)\s*", line.code):
        text = f"{swapped[1]}{swapped[3]} = {line.text[swapped.start(2) : swapped.end(2)]}"
        words = Text(f"`{text.strip()}`", f"`{text.strip()}`")
        yield Repair(syntax.ASSIGNED_CONDITION, words, [line.edit(0, len(line.text), text)])
    once = Text("Write it once", "只写一个")
    yield Repair(syntax.ASSIGNED_CONDITION, once, line.replaced(r"=\s+=", "="))
    yield Repair(syntax.MISSING_COMMA, once, line.replaced(r",\s*,", ","))
    yield Repair(syntax.OTHER_LANGUAGE, once, line.replaced(r";\s*;+", ";"))
    end = len(line.code.rstrip("\x00 "))
    if line.code[:end].endswith(","):
        yield Repair(syntax.MISSING_COMMA, Text("Leave out the comma", "去掉逗号"), [line.edit(end - 1, end, "")])
    yield Repair(
        syntax.PLACE_OF_WORD, Text("Leave out `return`", "去掉 `return`"), line.replaced(r"(?<=:)\s*return\b", "")
    )
    if broken.message.startswith("expected 'else'"):
        yield Repair(syntax.MISSING_COLON, Text("`else None`", "`else None`"), [line.edit(end, end, " else None")])


def _foreign_characters(broken: Broken) -> Iterator[Repair]:
    """A character that means nothing to Python."""
    if broken.message.startswith("invalid") and "character" in broken.message:
        span = broken.span
        words = Text("Delete the character", "删掉这个字符")
        yield Repair(syntax.UNKNOWN_CHARACTER, words, [broken.line.edit(span.column, span.column + 1, "")])


FIRST: Final[tuple[Proposer, ...]] = (_commands, _fences, _python_2)
LAST: Final[tuple[Proposer, ...]] = (
    _other_language,
    _keywords,
    _single_signs,
    _numbers,
    _reserved,
    _foreign_characters,
)
