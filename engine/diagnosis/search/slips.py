"""Slips of writing: numbers in quotes, brackets too many or too few, an argument too many."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Reading
from gradflow.engine.diagnosis.findings.words import code
from gradflow.engine.diagnosis.search.reading import at, reading, written


def quoted(case: Case, nodes: Sequence[ast.expr]) -> Iterator[Reading | None]:
    """``'16'`` for ``16``, ``4.0`` for ``4``."""
    for node in nodes:
        where, where_zh = at(case, node)
        match node:
            case ast.Constant(value=str() as text) if (number := _number(text)) and _stands_alone(case, node):
                yield written(
                    case,
                    node,
                    number,
                    f"{code(case, node)}{where} is a text, for it stands in quotes, and a number is needed there. Write `{number}`.",
                    f"{where_zh}{code(case, node)} 带引号，是字符串，而那里需要数。请写 `{number}`。",
                )
            case ast.Constant(value=float() as value) if value.is_integer() and abs(value) < 1e9:
                yield written(
                    case,
                    node,
                    str(int(value)),
                    f"{code(case, node)}{where} is a float, for it has a point, and a whole number is needed there. Write `{int(value)}`.",
                    f"{where_zh}{code(case, node)} 带小数点，是浮点数，而那里需要整数。请写 `{int(value)}`。",
                )


def _number(text: str) -> str:
    bare = text.strip()
    return bare if len(bare) < 20 and bare.isascii() and bare.replace(".", "", 1).isdigit() else ""


def _stands_alone(case: Case, node: ast.expr) -> bool:
    """Whether a text is no part of a longer one, and no key."""
    parent = case.parents.get(node)
    return not isinstance(parent, ast.JoinedStr | ast.FormattedValue | ast.Dict)


def brackets(case: Case, nodes: Sequence[ast.expr]) -> Iterator[Reading | None]:
    """``nn.ReLU()()``, and ``x.mean`` for ``x.mean()``."""
    for node in nodes:
        where, where_zh = at(case, node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and not node.args and not node.keywords:
            text = case.text(node.func)
            yield written(
                case,
                node,
                text,
                f"The second brackets of {code(case, node)}{where} call what {code(case, node.func)} gave once more, with nothing. Leave them out.",
                f"{where_zh}{code(case, node)} 的第二对括号把 {code(case, node.func)} 的结果又调用了一次，而且没有给任何参数。请去掉它。",
            )
        elif _is_uncalled(case, node):
            yield reading(
                case,
                node,
                case.followed(node, "()"),
                f"{code(case, node)}{where} has no brackets, so it is the function itself and not what it computes. Call it: `{case.text(node)}()`.",
                f"{where_zh}{code(case, node)} 没有括号，所以它是函数本身，而不是计算的结果。请调用它：`{case.text(node)}()`。",
            )


_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, type)


def _is_uncalled(case: Case, node: ast.expr) -> bool:
    parent = case.parents.get(node)
    if not isinstance(node, ast.Name | ast.Attribute) or (isinstance(parent, ast.Call) and parent.func is node):
        return False
    return isinstance(node.ctx, ast.Load) and isinstance(case.value(node), _FUNCTIONS)


def surplus(case: Case, nodes: Sequence[ast.expr]) -> Iterator[Reading | None]:
    """A setting of the failed call, or of a call that made what it uses, that is too much."""
    for call in nodes[:1]:
        if not isinstance(call, ast.Call):
            continue
        for given in call.keywords:  # what stands in its place is meant to count: data, or a dimension
            if given.arg is None:
                continue
            yield reading(
                case,
                call,
                case.without_argument(call, given),
                f"{code(case, call.func)} takes no {code(case, given)} there. Leave it out.",
                f"{code(case, call.func)} 在那里不接受 {code(case, given)}。请去掉它。",
            )
