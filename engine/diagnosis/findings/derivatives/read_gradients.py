"""The gradient of an input that is read of a frozen model: the input is what has to require it, where it is made."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.origins import is_maker
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Fix

_SWITCH = ".requires_grad_()"


@finds(errors.NO_GRAD_FN)
def _read_of_frozen(case: Case) -> Finding | None:
    """``image.grad`` behind ``score.backward()``, where all parameters are frozen and the picture has no flag."""
    call, output = case.find(ast.Call), output_of(case)
    frozen = _freezing(case)
    if call is None or output is None or frozen is None or called(call) != "backward":
        return None
    if any(origin.requires_grad for origin in case.context.origins()):
        return None
    flow = Flow(case)
    wanted = {
        one.value.id for one in case.nodes(ast.Attribute) if _reads_gradient(one) and isinstance(one.value, ast.Name)
    }
    used = next((one for one in flow.behind(output) if isinstance(one, ast.Name) and one.id in wanted), None)
    held = flow.tensor(used) if used is not None else None
    if used is None or held is None or held.requires_grad or not held.dtype.is_floating_point:
        return None
    made = _made(case, used)
    fix, text = _switched_on(case, used, made)
    place = made if made is not None else used
    read = next(one for one in case.nodes(ast.Attribute) if _reads_gradient(one) and case.text(one.value) == used.id)
    return finding(
        case,
        f"{code(case, read)} is asked for on line {line(read)}, and `{used.id}` (line {line(place)}) requires no gradient. The parameters are frozen"
        f" (line {line(frozen)}), so nothing that {code(case, output)} was computed from requires one. Leave them frozen, and switch the gradient on"
        f" for `{used.id}`: `{text}`.",
        f"第 {line(read)} 行要读取 {code(case, read)}，而 `{used.id}`（第 {line(place)} 行）不需要梯度。参数已经冻结（第 {line(frozen)} 行），所以算出"
        f" {code(case, output)} 用到的张量都不需要梯度。参数可以继续冻结，请为 `{used.id}` 打开梯度：`{text}`。",
        fix or (),
        place,
    )


def _reads_gradient(node: ast.Attribute) -> bool:
    return node.attr == "grad" and isinstance(node.ctx, ast.Load)


def _freezing(case: Case) -> ast.AST | None:
    """Where parameters are told that they need no gradient."""
    for node in case.nodes(ast.AST):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr="requires_grad")], value=ast.Constant(value=False)):
                return node
            case ast.Call(func=ast.Attribute(attr="requires_grad_"), args=[ast.Constant(value=False)]):
                return node
            case ast.Call(
                func=ast.Attribute(attr="requires_grad_"), keywords=[ast.keyword(value=ast.Constant(value=False))]
            ):
                return node
    return None


def _made(case: Case, used: ast.Name) -> ast.expr | None:
    """The expression whose value the name has: of a parameter that is not given another one, where the caller made it."""
    name: ast.expr = used
    for _ in range(3):
        if not isinstance(name, ast.Name):
            break
        given = next(iter(Flow(case).assigned(name, name.id)), None)
        if given is None or isinstance(case.parents.get(given), ast.For | ast.comprehension):
            return None
        name = given
    return name if isinstance(name, ast.BinOp | ast.Call | ast.Subscript) else None


def _switched_on(case: Case, used: ast.Name, made: ast.expr | None) -> tuple[Fix | None, str]:
    """The flag where the input is made, or in a line of its own before it is used."""
    if isinstance(made, ast.Call) and is_maker(made):
        text = f"{case.text(made)[:-1].rstrip().rstrip(',')}, requires_grad=True)"
        return case.fix(case.argument(made, "requires_grad=True"), made), " ".join(text.split())
    if made is not None:
        text = case.text(made) if isinstance(made, ast.Call | ast.Subscript) else f"({case.text(made)})"
        return case.fix(case.followed(made, _SWITCH), case.statement(made)), " ".join(f"{text}{_SWITCH}".split())
    statement = case.statement(used)
    text = f"{used.id}{_SWITCH}"
    edits = case.line_before(statement, text) if statement is not None else []
    return case.fix(edits), text
