"""The colon that opens a block, or parts the arguments of a ``lambda`` from its value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.repairs.broken_text import Broken, Repair
from gradflow.engine.diagnosis.repairs.lines import Line, numbered
from gradflow.engine.errors.language import syntax
from gradflow.engine.trace import Text

_BLOCK: Final = re.compile(r"\s*(?:async\s+)?(if|elif|else|for|while|def|class|with|try|except|finally|match|case)\b")
_SURE: Final = frozenset({"match", "case"})
"""Words that are names elsewhere: a line with them begins a block only where Python itself misses the colon."""
_MOST_LINES: Final = 20
_LONGEST: Final = 64
_WORDS: Final = Text("Add the colon `:`", "补上冒号 `:`")
_BLOCKS: Final = {
    "for": ("a loop", "一个循环"),
    "while": ("a loop", "一个循环"),
    "def": ("a function", "一个函数"),
    "class": ("a class", "一个类"),
}


def missing(broken: Broken) -> Iterator[Repair]:
    """The colon at the end of a line that begins a block, of this line or the one before, or in the midst of it."""
    if broken.message == "expected ':'":
        line, column = broken.line, broken.span.column
        end = min(column, _end(line)) if not line.code[column:].strip("\x00 ") else column
        yield _repair(broken, line, end, end)
        yield from _everywhere(broken, line, end)
    for number in (broken.span.line, broken.span.line - 1):
        line = broken.at(number)
        end, begins = _end(line), _BLOCK.match(line.code)
        if begins and begins[1] not in _SURE and not line.code[:end].endswith(":"):
            yield _repair(broken, line, end, end)
            if line.code[:end].endswith((";", ".", ",", "{")):
                yield _repair(broken, line, end - 1, end)
    yield from _within(broken)


def told(broken: Broken) -> Text | None:
    """What is said of a colon that Python misses, where adding it alone makes no program."""
    if broken.message != "expected ':'" or broken.line.code[broken.span.column :].strip("\x00 "):
        return None
    return _says(broken, broken.line, min(broken.span.column, _end(broken.line)))


def _everywhere(broken: Broken, line: Line, end: int) -> Iterator[Repair]:
    """The colon of this line, and of all others that begin a block and have none."""
    others = [
        one
        for one in numbered(broken.source)
        if (begins := _BLOCK.match(one.code))
        and begins[1] not in _SURE
        and ":" not in one.code
        and one.number > line.number
        and one.code.count("(") == one.code.count(")")
        and not one.code[: _end(one)].endswith((",", "\\", "("))
    ]
    if others:
        edits = [line.edit(end, end, ":"), *(one.edit(_end(one), _end(one), ":") for one in others)]
        words = Text("Add the colons `:`", "补上各行的冒号 `:`")
        says = _says(broken, line, end)
        rows = _rows([one.number for one in others])
        said = says and Text(
            f"{says.en} It is missing in line{'s' * (len(others) > 1)} {rows[0]}, too.",
            f"{says.zh}第 {rows[1]} 行也缺少冒号。",
        )
        yield Repair(syntax.MISSING_COLON, words, edits, says=said)


def _rows(numbers: list[int]) -> tuple[str, str]:
    """Some numbers of lines in a sentence, in both languages."""
    rows = [str(one) for one in numbers]
    english = rows[0] if len(rows) == 1 else f"{', '.join(rows[:-1])} and {rows[-1]}"
    return english, "、".join(rows)


def _end(line: Line) -> int:
    """Where the code of a line ends, before white space and a comment."""
    return len(line.code.rstrip("\x00 ")) if "#" in line.text else len(line.text.rstrip())


def _repair(broken: Broken, line: Line, start: int, end: int) -> Repair:
    return Repair(syntax.MISSING_COLON, _WORDS, [line.edit(start, end, ":")], says=_says(broken, line, start))


def _says(broken: Broken, line: Line, column: int) -> Text | None:
    """Which statement begins the block, and how its line is written."""
    first = next((one for at in range(_MOST_LINES) if _BLOCK.match((one := broken.at(line.number - at)).code)), None)
    begins = _BLOCK.match(first.code) if first is not None else None
    if first is None or begins is None:
        return None
    head, rest = line.text[:column].strip(), line.text[column : _end(line)].strip(" ;.,{")
    shown = head if not rest and first.number == line.number else first.text[: _end(first)].strip()
    shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
    what, what_zh = _BLOCKS.get(
        begins[1], (f"{'an' if begins[1][0] in 'ie' else 'a'} `{begins[1]}` block", f"一个 `{begins[1]}` 代码块")
    )
    written = f"`{head}:`" if len(head) < _LONGEST else "`:`"
    place, place_zh = (f"behind `{head}`", f" `{head}` 后面") if rest else ("at its end", "末尾")
    if first.number != line.number:
        place, place_zh = f"at the end of line {line.number}", f"第 {line.number} 行末尾"
    return Text(
        f"`{shown}` begins {what}, and the colon behind which its statements follow is missing {place}. Write {written}.",
        f"`{shown}` 引出{what_zh}，而{place_zh}缺少冒号，其中的语句要写在冒号之后。请写成 {written}。",
    )


def _within(broken: Broken) -> Iterator[Repair]:
    """``if x == 2 print(x)`` and ``lambda x x + 1``."""
    line = broken.line
    for found in re.finditer(r"\blambda\s+\w+(?:\s*,\s*\w+)*(?=\s)|\blambda(?=\s)", line.code):
        said = Text(
            f"Between the arguments of `{found[0]}` and what it gives stands a colon, and it is missing. Write `{found[0]}:`.",
            f"`{found[0]}` 的参数与它给出的值之间要有冒号，这里缺少了。请写成 `{found[0]}:`。",
        )
        yield Repair(syntax.MISSING_COLON, _WORDS, [line.edit(found.end(), found.end(), ":")], says=said)
    begins = _BLOCK.match(line.code)
    if begins is None or begins[1] in (*_SURE, "def", "class"):
        return
    for found in re.finditer(r"(?<=[\w\x00)\]}])[ \t]+(?=[A-Za-z_])", line.code):
        yield _repair(broken, line, found.start(), found.start())
