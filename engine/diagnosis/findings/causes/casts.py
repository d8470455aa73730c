"""In-place arithmetic with fractions on a tensor of whole numbers: where it became one."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, is_in_place
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import kind_source
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.writes import elsewhere
from gradflow.engine.trace import Edit

_DTYPES: Final = {"Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16"}
_MADE: Final = frozenset({"tensor", "as_tensor", "arange", "full", "zeros", "ones", "empty", "randint", "full_like", "zeros_like", "ones_like"})  # fmt: skip
_OLD: Final = frozenset({"LongTensor", "IntTensor", "ShortTensor", "ByteTensor", "CharTensor", "BoolTensor"})
_CONVERSIONS: Final = frozenset({"long", "int", "short", "byte", "char", "bool"})
_METHODS: Final = {"Float": "float", "Double": "double", "Half": "half"}


@finds(errors.RESULT_CAST)
def _whole_numbers_written(case: Case) -> Finding | None:
    """``counts = torch.tensor([1, 1])``, then ``counts.mul_(0.9)``."""
    written = _written(case)
    kind = str(case.details.get("result", ""))
    made = kind_source(case, written) if written is not None and kind in _DTYPES else None
    if written is None or not isinstance(made, ast.expr):
        return None
    edits, action = as_floats(case, made, kind)
    if not edits:
        return None
    whole = written.value if isinstance(written, ast.Subscript) else written
    name, held = code(case, whole), case.details.get("output", "Long")
    other = case.fix(elsewhere(case, _whole(case)), case.statement(_whole(case)))
    fixes = [case.fix(edits, made), other]
    if any(one.arg == "dtype" for one in getattr(made, "keywords", ())):
        fixes.reverse()  # whole numbers were asked for
    more = f" Or leave it as it is, and make a new tensor: {other.title.en}." if other is not None else ""
    more_zh = f"或者保持原样，改为得到一个新张量：{other.title.zh}。" if other is not None else ""
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} made {name} a tensor of dtype `{held}`, which holds no fractions, and {code(case, _whole(case))}"
        f" writes a `{kind}` result into it in place. Make it floating point where it is made: `{action}`.{more}",
        f"第 {line(made)} 行的 {code(case, made)} 使 {name} 成为 `{held}` 类型的张量，它存不了小数，而 {code(case, _whole(case))} 要把 `{kind}` 类型的结果就地写进去。"
        f"请在创建它的地方就用浮点数：`{action}`。{more_zh}",
        fixes,
        made,
    )


def _whole(case: Case) -> ast.AST:
    node = case.find(ast.AugAssign) or case.find(ast.expr)
    assert node is not None  # it was found before
    return node


def _written(case: Case) -> ast.expr | None:
    """What the in-place operation at the error writes into."""
    statement = case.find(ast.AugAssign)
    if statement is not None:
        return statement.target.value if isinstance(statement.target, ast.Subscript) else statement.target
    node: ast.expr | None = case.find(ast.Call)
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_in_place(node.func.attr):
        node = node.func.value
    return None if isinstance(node, ast.Call) else node


def as_floats(case: Case, made: ast.expr, kind: str) -> tuple[list[Edit], str]:
    """The edits that make a tensor floating point where it is made, and what is written there."""
    torch, _ = case.with_torch()
    wanted = f"{torch}.{_DTYPES[kind]}"
    if not isinstance(made, ast.Call):
        return [], ""
    name = called(made)
    given = next((one for one in made.keywords if one.arg == "dtype"), None)
    if given is not None:
        return case.replace(given.value, wanted), f"dtype={wanted}"
    if name in _MADE and not any(one.arg is None for one in made.keywords):
        return case.argument(made, f"dtype={wanted}"), f"dtype={wanted}"
    if name in _OLD and kind == "Float":
        return case.rename_end(made.func, name, "FloatTensor"), "FloatTensor"
    method = _METHODS.get(kind)
    if method is None:
        return [], ""
    if name in _CONVERSIONS and isinstance(made.func, ast.Attribute) and not made.args:
        return case.rename_end(made.func, name, method), f".{method}()"
    return case.followed(made, f".{method}()"), f".{method}()"
