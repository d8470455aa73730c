"""A `__len__` of the program that gives no whole number: a shape, a quotient, the tensor itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes

_ASKING: Final = frozenset({"len", "random_split", "list", "tuple", "next", "iter", "enumerate", "bool", "sorted"})


@finds(mistakes.NOT_INTEGER, errors.INDEX_NOT_SCALAR)
def _own_length(case: Case) -> Finding | None:
    """``return self.x.shape`` in ``__len__`` of a data set, which a loader asks for much later."""
    if case.span.line in {line(one) for one in _lengths(case)}:
        return None
    kind = str(case.details.get("type", "")) or "Tensor"
    found = [(back, told) for back in _lengths(case) if (told := _meant(case, back.value, kind)) is not None]
    if len(found) != 1 or not _asks(case):
        return None
    back, meant = found[0]
    owner = case.enclosing(back, ast.ClassDef)
    value = back.value
    if owner is None or value is None:
        return None
    kind, kind_zh = (f"a `{kind}`", f" `{kind}`") if kind != "Tensor" else ("a tensor", "张量")
    action = f"Write `return {meant}`" if meant else "Give a whole number back"
    action_zh = f"请写成 `return {meant}`" if meant else "请返回一个整数"
    return finding(
        case,
        f"`__len__` of `{owner.name}` gives {code(case, value)} on line {line(back)}, which is {kind}, and a length has to be a whole number. Here the length is asked"
        f" for. {action}.",
        f"`{owner.name}` 的 `__len__` 在第 {line(back)} 行返回 {code(case, value)}，它是{kind_zh}，而长度必须是整数；这里要用到这个长度。{action_zh}。",
        write(case, value, meant, back) if meant else (),
        back,
    )


def _lengths(case: Case) -> Iterator[ast.Return]:
    """What the classes of the program give for their length."""
    for one in case.nodes(ast.Return):
        function = case.enclosing(one, ast.FunctionDef)
        if function is not None and function.name == "__len__" and one.value is not None:
            yield one


def _asks(case: Case) -> bool:
    """Whether what failed is something that asks for a length: a call for it, a loader, a loop over one."""
    node = case.find(ast.For) or case.find(ast.expr)
    if isinstance(node, ast.Call):
        return called(node) in _ASKING or called(node).endswith(("Loader", "Sampler"))
    return isinstance(node, ast.For | ast.Name | ast.ListComp)


def _meant(case: Case, value: ast.expr | None, kind: str) -> str | None:
    """The length that was meant, where an expression can be of this kind; an empty text where none is known."""
    match value:
        case ast.Attribute(attr="shape") | ast.Call(func=ast.Attribute(attr="size"), args=[]) if kind == "torch.Size":
            return f"{case.text(value)}[0]"
        case ast.Attribute(value=owner, attr="shape") if kind == "tuple":
            return f"len({case.text(owner)})"
        case ast.BinOp(left=left, op=ast.Div(), right=right) if kind == "float":
            return f"{case.operand(left)} // {case.operand(right)}"
        case ast.Attribute() | ast.Name() if kind in ("Tensor", "list", "tuple", "dict", "ndarray", "numpy.ndarray"):
            return f"len({case.text(value)})"
        case ast.Constant(value=held) if type(held).__name__ == kind:
            return ""
    return None
