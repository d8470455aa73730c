"""A mask of truth values that is turned around by ``1 - mask``, to be a mask again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.births import born
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow

_MASKING: Final = {"masked_fill": 0, "masked_fill_": 0, "masked_select": 0, "where": 0}
_MASK_WORDS: Final = ("mask", "key_padding_mask", "attn_mask", "src_key_padding_mask", "condition")


@finds(errors.BOOL_SUBTRACT_ONE)
def _turned_around(case: Case) -> Finding | None:
    """What is used as a mask is to hold truth values, and the sign that turns these around is ``~``."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.op, ast.Sub) or not _is_one(node.left):
        return None
    held = Flow(case).tensor(node.right)
    if held is None or str(held.dtype) != "torch.bool" or not _ends_as_mask(case, node):
        return None
    made = born(case, node.right)
    where, where_zh = on_line(made) if made is not None and line(made) != line(node) else ("", "")
    text = f"~{case.operand(node.right)}"
    return finding(
        case,
        f"{code(case, node.right)}{where} holds truth values, which cannot be subtracted, and {code(case, node)} is used as a mask again. To turn"
        f" truth values around write `~`: `{text}`.",
        f"{code(case, node.right)}{where_zh} 里是布尔值，不能做减法，而 {code(case, node)} 又要当作掩码使用。布尔值取反请用 `~`：`{text}`。",
        case.fix(case.replace(node, text), node),
        node,
    )


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (1, 1.0)


def _ends_as_mask(case: Case, node: ast.expr) -> bool:
    if _is_mask(case, node):
        return True
    return any(_is_mask(case, use) for use in _uses(case, node))


def _uses(case: Case, node: ast.expr) -> Iterator[ast.Name]:
    """Where a value is used under its name, or under that of the parameter which it is given for."""
    parent, flow = case.parents.get(node), Flow(case)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
        yield from _named(case, flow.scope(node), parent.targets[0].id)
    elif isinstance(parent, ast.Call) and node in parent.args:
        for function in flow.called(parent):
            names = [one.arg for one in function.args.args]
            at = parent.args.index(node) + (names[:1] == ["self"])
            if at < len(names):
                yield from _named(case, function, names[at])


def _named(case: Case, scope: ast.AST, name: str) -> Iterator[ast.Name]:
    for one in ast.walk(scope):
        if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load):
            yield one


def _is_mask(case: Case, node: ast.expr) -> bool:
    """Whether an expression stands where truth values are needed."""
    match case.parents.get(node):
        case ast.Subscript(slice=index):
            return index is node
        case ast.Call(args=args) as call if node in args:
            return called(call) in _MASKING and args.index(node) == _place(case, call)
        case ast.keyword(arg=str() as word):
            return word in _MASK_WORDS
    return False


def _place(case: Case, call: ast.Call) -> int:
    """Where the mask stands: behind the tensor, if the function is one of torch."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    of_torch = isinstance(owner, ast.Name) and owner.id == case.module_alias("torch")
    return _MASKING[called(call)] + int(of_torch and called(call) != "where")
