"""Where a bracket that was never closed may end: behind each whole operand that an operator follows, and at the end."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final

from gradflow.engine.diagnosis.case import apply_edits
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.repairs.broken_text import Broken, Repair
from gradflow.engine.diagnosis.repairs.lines import numbered
from gradflow.engine.sandbox.source import lines_of
from gradflow.engine.trace import Fix, Span, Text

_TOKEN: Final = re.compile(r"\x00+|\d[\w.]*|[^\W\d]\w*|\*\*|//|<<|>>|[=!<>]=|->|:=|\S")
_OPERATORS: Final = frozenset({"+", "-", "*", "/", "//", "%", "@", "**", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "and", "or", "in", "is", "not", "if"})  # fmt: skip
_WORDS: Final = frozenset({"and", "or", "in", "is", "not", "if", "else", "for", "lambda", "await", "return", "yield", "assert", "del"})  # fmt: skip
_ENDLESS: Final = frozenset({"for", "lambda"})
_OPENING, _CLOSING = "([{", ")]}"
_MOST_TRIED, _MOST_TOLD = 4, 3
_LONGEST: Final = 72
Place = tuple[int, int]


def places(broken: Broken, opened: Place, end: Place) -> list[Place]:
    """The places before ``end`` at which the bracket at ``opened`` may be closed too; lines from 1, columns from 0."""
    tokens = list(_tokens(broken, opened, end))
    before = broken.at(opened[0]).code[: opened[1]].rstrip()
    word = re.search(r"[^\W\d]\w*$", before)
    called = before.endswith((")", "]")) or (word is not None and word[0] not in _WORDS)
    imported = _imported(broken.source)
    found: list[Place] = []
    clauses: list[Place] = []
    depth, first = 0, 0  # where the last argument begins
    for at, (text, _, stop) in enumerate(tokens):
        if text in _CLOSING:
            depth -= 1
        if depth == 0:
            if text in _ENDLESS:
                return []
            if text in (",", ":"):
                found, clauses, first = [], [], at + 1
            elif _ends_operand(text) and at + 1 < len(tokens) and _goes_on(tokens, at, imported):
                alone = not called and at == first
                doubled = tokens[first][0] == "(" and _closes(tokens, first) == at and first == 0
                if not alone and not doubled:
                    found.append(stop)
                    clauses += [stop] if tokens[at + 1][0] in ("and", "or") else []
        if text in _OPENING:
            depth += 1
    return clauses if clauses and not called else found  # brackets around a condition end where one of its parts does


def _tokens(broken: Broken, opened: Place, end: Place) -> Iterator[tuple[str, Place, Place]]:
    for number in range(opened[0], end[0] + 1):
        code = broken.at(number).code
        first = opened[1] + 1 if number == opened[0] else 0
        last = end[1] if number == end[0] else len(code)
        for one in _TOKEN.finditer(code, first, last):
            if not broken.at(number).text.startswith("#", one.start()):
                yield one[0], (number, one.start()), (number, one.end())


def _ends_operand(text: str) -> bool:
    return text in _CLOSING or text[0] == "\x00" or (re.match(r"\w", text) is not None and text not in _WORDS)


def _goes_on(tokens: Sequence[tuple[str, Place, Place]], at: int, imported: frozenset[str]) -> bool:
    """Whether an operator follows on an operand, or a method of what would be closed."""
    following = tokens[at + 1][0]
    if following != ".":
        return following in _OPERATORS
    text = tokens[at][0]
    path = tokens[at - 1][0] == "." if at else False
    whole = text in _CLOSING or (not path and text not in imported and text != "self" and not text[0].isdigit())
    return whole and at + 3 < len(tokens) and tokens[at + 3][0] == "("


def _closes(tokens: Sequence[tuple[str, Place, Place]], first: int) -> int:
    """Where the bracket is closed that a token opens."""
    depth = 0
    for at in range(first, len(tokens)):
        depth += (tokens[at][0] in _OPENING) - (tokens[at][0] in _CLOSING)
        if depth == 0:
            return at
    return -1


def _imported(source: str) -> frozenset[str]:
    """The names of modules and of what was imported from them."""
    named = [one.code for one in numbered(source) if re.match(r"\s*(?:import|from)\b", one.code)]
    return frozenset(word for line in named for word in re.findall(r"\w+", line))


def several(source: str, repair: Repair, span: Span) -> Places:
    """What is said of a bracket that may end at several places: each as a change to choose, where they are few."""
    fixes = []
    every = [*repair.others, repair.edits] if repair.others is not None else []
    for edits in every if len(every) <= _MOST_TRIED else ():
        row = edits[0].span.line
        shown = " ".join(lines_of(apply_edits(source, edits))[row - 1].split())
        shown = shown if len(shown) <= _LONGEST else f"…{shown[1 - _LONGEST :]}"
        fixes.append(Fix(Text(f"`{shown}`", f"`{shown}`"), edits))
    return Places(_words(str(repair.details["bracket"]), fixes), fixes, span, whole=True)


class Places(Finding):
    """The places at which a bracket may end; said of those that are proven alone."""

    def chosen(self, proven: Sequence[Fix]) -> Finding | None:
        """The finding with the places at which the program runs."""
        bracket = re.match(r"[^`]*`([^`]+)`", self.says.en) if self.says else None
        few = proven if len(proven) <= _MOST_TOLD else []
        return Finding(_words(bracket[1], few) if bracket is not None else self.says, few, self.cause)


def _words(bracket: str, fixes: Sequence[Fix]) -> Text:
    en, zh = (
        f"`{bracket}` is opened here and never closed.",
        f"`{bracket}` 在这里打开，却一直没有关上。",
    )
    shown = [fix.title.en for fix in fixes]
    if len(shown) == 1:
        return Text(
            f"{en} Of the places where it could end, only with this one does the program run: {shown[0]}.",
            f"{zh}在它可能结束的几个位置中，只有这样写程序才能运行：{shown[0]}。",
        )
    if not shown:
        return Text(
            f"{en} The text in it goes on with operators, so it could end at several places: write its other half behind the last thing that belongs in it.",
            f"{zh}括号里的内容后面还有运算符，所以它可能在好几个地方结束：请在属于它的最后一项后面补上另一半。",
        )
    return Text(
        f"{en} It could end at {len(shown)} places, which mean different things: {' or '.join(shown)}. Choose the one that was meant.",
        f"{zh}它可能在 {len(shown)} 个地方结束，含义各不相同：{' 或 '.join(shown)}。请选择想要的那一个。",
    )


def meaning(text: str) -> str | None:
    """What a program says, whichever way it is written; None of a text that is none, and of sessions."""
    try:
        return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
