"""The contexts that a failing statement can stand in, as changes of a program whose last line fails."""

from __future__ import annotations

import ast
from collections.abc import Callable

Context = Callable[[str], str | None]


def _parts(source: str) -> tuple[str, str]:
    head, _, last = source.rpartition("\n")
    return head, last


def _expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def _indented(source: str, opening: str, closing: str = "") -> str:
    return f"{opening}\n" + "\n".join(f"    {line}" for line in source.split("\n")) + closing


def in_function(source: str) -> str:
    """The whole program is the body of a function."""
    return _indented(source, "def main():", "\nmain()")


def in_loop(source: str) -> str:
    """The whole program is the body of a loop."""
    return _indented(source, "for turn in range(1):")


def last_in_function(source: str) -> str | None:
    """The last line is the body of a function, what it needs is global."""
    head, last = _parts(source)
    return None if last.startswith(" ") else f"{head}\ndef main():\n    {last}\nmain()"


def commented(source: str) -> str:
    """Comments in Chinese behind and between the lines."""
    return "\n".join(
        f"# 说明\n{line}  # 注释" if not line.startswith(" ") else f"{line}  # 注释" for line in source.split("\n")
    )


def with_crlf(source: str) -> str:
    """Line ends of Windows."""
    return source.replace("\n", "\r\n")


def with_prompts(source: str) -> str:
    """A session with prompts."""
    return "\n".join(f"... {line}" if line.startswith(" ") else f">>> {line}" for line in source.split("\n"))


def behind_wide_text(source: str) -> str | None:
    """Behind another statement on the same line, with characters of several bytes."""
    head, last = _parts(source)
    return None if last.startswith((" ", "for ", "if ", "while ", "with ")) else f"{head}\ns = '梯度😀'; {last}"


def in_lambda(source: str) -> str | None:
    """The body of a lambda."""
    head, last = _parts(source)
    return f"{head}\nf = lambda: {last}\nf()" if _expression(last) else None


def in_call(source: str) -> str | None:
    """The argument of a call, behind a text of several bytes."""
    head, last = _parts(source)
    return f"{head}\nprint('梯度', str({last}))" if _expression(last) else None


def in_lines(source: str) -> str | None:
    """In brackets over several lines."""
    head, last = _parts(source)
    return f"{head}\nz = (  # 梯度\n    {last}  # 值\n)" if _expression(last) else None


def in_comprehension(source: str) -> str | None:
    """The element of a comprehension."""
    head, last = _parts(source)
    return f"{head}\nz = [{last} for turn in range(1)]" if _expression(last) else None


def in_f_string(source: str) -> str | None:
    """In the braces of an f-string."""
    head, last = _parts(source)
    plain = not set(last) & set("'\"{}\\!:=")
    return f"{head}\nprint(f'梯度 {{{last}}}')" if _expression(last) and plain else None


CONTEXTS: tuple[Context, ...] = (
    in_function,
    in_loop,
    last_in_function,
    commented,
    with_crlf,
    with_prompts,
    behind_wide_text,
    in_lambda,
    in_call,
    in_lines,
    in_comprehension,
    in_f_string,
)
