"""Gradients of all parameters of a model, one of which the output was not computed from: which one, and where it is left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit


@dataclass(frozen=True)
class _Lost:
    """A parameter that nothing was computed from: the variable of its model, the model, and its name there."""

    variable: str
    model: Layer
    path: str


@finds(errors.UNUSED_INPUT)
def _of_model(case: Case) -> Finding | None:
    """``torch.autograd.grad(loss, net.parameters())`` with a layer that ``forward`` never uses."""
    call, index = case.find(ast.Call), case.details.get("index")
    output = argument_of(call, 0, "outputs") if call is not None else None
    wanted = argument_of(call, 1, "inputs") if call is not None else None
    if call is None or output is None or wanted is None or not isinstance(index, int):
        return None
    if isinstance(wanted, ast.Tuple | ast.List) and not any(isinstance(one, ast.Starred) for one in wanted.elts):
        return None
    tensors = tensors_of(case, wanted)
    if tensors is None or not 0 <= index < len(tensors):
        return None
    lost = model_of(case, tensors[index])
    if lost is None:
        return _of_variable(case, call, output, tensors, index)
    source = next((one for one in _behind(case, wanted) if _gives_all(case, one, lost)), None)
    origin, origin_zh = (
        ("", "")
        if source is None
        else (
            f", for {code(case, source)} on line {line(source)} gives all parameters of `{lost.variable}`",
            f"，因为第 {line(source)} 行的 {code(case, source)} 给出了 `{lost.variable}` 的所有参数",
        )
    )
    why, why_zh, other, other_zh, cause = _left_out(case, lost, output)
    edits = [*case.argument(call, "allow_unused=True"), *_kept_as_they_are(case, call)]
    keeps = len(edits) > 1
    rest, rest_zh = (
        (", and leave such a parameter as it is", "，并让这样的参数保持原样")
        if keeps
        else (", and pass that over", "，并跳过它")
    )
    return finding(
        case,
        f"The input number {index} is `{lost.path}` of `{lost.variable}`{origin}. {why}. If that is meant, write `allow_unused=True`, which gives `None`"
        f" for it{rest}; if not, {other}.",
        f"编号 {index} 的输入是 `{lost.variable}` 的 `{lost.path}`{origin_zh}。{why_zh}。如果本意如此，请写 `allow_unused=True`，这时它得到的是"
        f" `None`{rest_zh}；否则{other_zh}。",
        case.fix(edits, call if not keeps else None)
        if not keeps
        else apply(case, edits, "`allow_unused=True`", "`allow_unused=True`"),
        cause,
    )


# ---- which one


def tensors_of(case: Case, node: ast.expr, depth: int = 0) -> list[Tensor] | None:
    """The tensors that an expression lists, as far as that is told by what is known of its parts."""
    if depth > 6:
        return None
    found = _listed(case.value(node))
    if found is not None:
        return found
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="parameters"), args=[]):
            model = case.value(owner)
            return list(model.parameters()) if isinstance(model, Layer) else None
        case ast.Call(func=ast.Attribute(value=owner, attr="values"), args=[]):
            held = case.value(owner)
            return _listed(list(held.values())) if type(held) is dict else None
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner]):
            return tensors_of(case, inner, depth + 1)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = tensors_of(case, left, depth + 1), tensors_of(case, right, depth + 1)
            return None if first is None or second is None else [*first, *second]
        case ast.ListComp(
            elt=ast.Name(id=name), generators=[ast.comprehension(target=ast.Name(id=each), iter=source)]
        ) if name == each:
            inner_tensors = tensors_of(case, source, depth + 1) or []
            return [one for one in inner_tensors if one.requires_grad] or None
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            rows = [
                tensors_of(case, one.value, depth + 1) if isinstance(one, ast.Starred) else _one(case, one)
                for one in parts
            ]
            return None if any(one is None for one in rows) else [one for row in rows if row is not None for one in row]
        case ast.Name(id=name):
            given = next(iter(Flow(case).assigned(node, name)), None)
            return tensors_of(case, given, depth + 1) if given is not None else None
    return None


def _one(case: Case, node: ast.expr) -> list[Tensor] | None:
    value = case.value(node)
    return [value] if isinstance(value, Tensor) else None


def _listed(value: object) -> list[Tensor] | None:
    if not isinstance(value, list | tuple) or not value:
        return None
    return [one for one in value if isinstance(one, Tensor)] if all(isinstance(one, Tensor) for one in value) else None


def model_of(case: Case, tensor: Tensor) -> _Lost | None:
    """The model that has a parameter; of several, parts of one another, the one with the longest name for it."""
    found = [
        _Lost(name, value, path)
        for name, value in case.values.items()
        if isinstance(value, Layer) and not name.startswith("_")
        for path, one in value.named_parameters()
        if one is tensor
    ]
    return max(found, key=lambda one: one.path.count("."), default=None)


def _behind(case: Case, node: ast.expr) -> list[ast.expr]:
    return list(Flow(case).behind(node))


def _gives_all(case: Case, node: ast.expr, lost: _Lost) -> bool:
    """``net.parameters()``, ``net.named_parameters()``, of the model itself."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="parameters" | "named_parameters")):
            return case.value(owner) is lost.model
    return False


# ---- where it is left out


def _left_out(case: Case, lost: _Lost, output: ast.expr) -> tuple[str, str, str, str, ast.AST | None]:
    """Why nothing was computed from a parameter, what else can be done, in both languages, and the place of that."""
    said = code(case, output)
    for owner, attribute, module in _users(case, lost):
        methods = [one for one in owner.body if isinstance(one, ast.FunctionDef)]
        forward = next((one for one in methods if one.name == "forward"), None)
        uses = [one for method in methods if method.name != "__init__" for one in _reads(method, attribute)]
        own = f"self.{attribute}"
        made = maker_of(case, module) if isinstance(module, Layer) else _assigned(case, owner, attribute)
        where, where_zh = on_line(made)
        if forward is None:
            continue
        if not uses:
            return (
                f"`forward` on line {line(forward)} never uses `{own}`{where}, so {said} was not computed from it",
                f"第 {line(forward)} 行的 `forward` 从不使用 `{own}`{where_zh}，所以 {said} 不是由它算出来的",
                f"use `{own}` in `forward`, or do not make it",
                f"请在 `forward` 里使用 `{own}`，或者不要创建它",
                made or forward,
            )
        cut = next((one for one in ast.walk(forward) if _cuts(one)), None)
        behind, behind_zh = (
            (
                f" ({code(case, cut)} on line {line(cut)} ends the graph)",
                f"（第 {line(cut)} 行的 {code(case, cut)} 切断了计算图）",
            )
            if cut is not None
            else ("", "")
        )
        return (
            f"`{owner.name}` uses `{own}` on line {line(uses[0])}, but {said} was not computed from what this parameter gives there{behind}",
            f"`{owner.name}` 在第 {line(uses[0])} 行使用 `{own}`，但 {said} 不是由这个参数在那里的结果算出来的{behind_zh}",
            f"let that come into {said}",
            f"请让它参与 {said} 的计算",
            uses[0],
        )
    part, _, _ = lost.path.rpartition(".")
    layer = f"{lost.variable}[{part}]" if part.isdigit() else f"{lost.variable}.{part}" if part else lost.variable
    made = maker_of(case, lost.model)
    return (
        f"{said} was computed without `{layer}`",
        f"{said} 的计算没有用到 `{layer}`",
        f"use `{layer}` on the way to {said}, or leave its parameters out",
        f"请在通往 {said} 的计算中使用 `{layer}`，或者不要列出它的参数",
        made,
    )


def _users(case: Case, lost: _Lost) -> Iterator[tuple[ast.ClassDef, str, object]]:
    """The classes of the program on the way to a parameter, innermost first, with the attribute that leads on."""
    found: list[tuple[ast.ClassDef, str, object]] = []
    current: object = lost.model
    for part in lost.path.split("."):
        if not isinstance(current, Layer):
            break
        owners = [one for one in case.nodes(ast.ClassDef) if one.name == type(current).__name__]
        inner = dict(current.named_children()).get(part)
        if owners:
            found.append((owners[-1], part, inner))
        current = inner
    yield from reversed(found)


def _reads(method: ast.FunctionDef, attribute: str) -> list[ast.Attribute]:
    return [
        one
        for one in ast.walk(method)
        if isinstance(one, ast.Attribute)
        and one.attr == attribute
        and isinstance(one.ctx, ast.Load)
        and ast.unparse(one.value) == "self"
    ]


def _assigned(case: Case, owner: ast.ClassDef, attribute: str) -> ast.AST | None:
    made = [one for one in ast.walk(owner) if isinstance(one, ast.Assign)]
    return next((one for one in made if f"self.{attribute}" in [ast.unparse(target) for target in one.targets]), None)


def _cuts(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="detach" | "item" | "numpy")) | ast.Attribute(attr="data"):
            return True
    return False


# ---- what is done with the gradients


def _kept_as_they_are(case: Case, call: ast.Call) -> list[Edit]:
    """``p - lr * g`` of a comprehension over parameters and gradients: the parameter itself where there is no gradient."""
    statement = case.parents.get(call)
    match statement:
        case ast.Assign(targets=[ast.Name(id=grads)]):
            pass
        case _:
            return []
    edits: list[Edit] = []
    for node in case.nodes(ast.expr):
        value = (
            node.elt
            if isinstance(node, ast.ListComp | ast.GeneratorExp)
            else node.value
            if isinstance(node, ast.DictComp)
            else None
        )
        if not isinstance(node, ast.ListComp | ast.GeneratorExp | ast.DictComp) or not isinstance(value, ast.BinOp):
            continue
        gradient = _element_of(node.generators, grads)
        inside = {one.id for one in ast.walk(value.right) if isinstance(one, ast.Name)}
        if gradient in inside and isinstance(value.left, ast.Name) and isinstance(value.op, ast.Sub | ast.Add):
            edits += case.before(value, f"{value.left.id} if {gradient} is None else ")
    return edits


def _element_of(generators: Sequence[ast.comprehension], name: str) -> str | None:
    """The variable that takes the elements of a list in ``for p, g in zip(params, grads)``."""
    for one in generators:
        if (
            not isinstance(one.iter, ast.Call)
            or called(one.iter) != "zip"
            or not isinstance(one.target, ast.Tuple)
            or one.ifs
        ):
            continue
        for target, source in zip(one.target.elts, one.iter.args, strict=False):
            if isinstance(source, ast.Name) and source.id == name and isinstance(target, ast.Name):
                return target.id
    return None


# ---- variables


def _of_variable(case: Case, call: ast.Call, output: ast.expr, tensors: Sequence[Tensor], index: int) -> Finding | None:
    """``weights = [a, b, c]``, and an output that was computed from two of them."""
    named = {
        id(value): name
        for name, value in reversed(list(case.values.items()))
        if isinstance(value, Tensor) and not name.startswith("_")
    }
    name = named.get(id(tensors[index]))
    if name is None:
        return None
    names = {one.id for one in Flow(case).behind(output) if isinstance(one, ast.Name)}
    used = [f"`{other}`" for one in tensors if (other := named.get(id(one))) in names and other != name]
    made = next(iter(Flow(case).assigned(call, name)), None)
    where, where_zh = on_line(made)
    others, others_zh = (
        (f"; it was computed from {joined(used, 'en')}", f"；它是由 {joined(used, 'zh')} 算出来的")
        if used
        else ("", "")
    )
    return finding(
        case,
        f"The input number {index} is `{name}`{where}, and {code(case, output)} was not computed from it{others}. Leave `{name}` out, or use it on the way to"
        f" {code(case, output)}; or allow it with `allow_unused=True`, which gives `None` for it.",
        f"编号 {index} 的输入是 `{name}`{where_zh}，而 {code(case, output)} 不是由它算出来的{others_zh}。请去掉 `{name}`，或者在通往 {code(case, output)} 的计算中使用它；"
        f"或者用 `allow_unused=True` 允许这种情况，这时得到的是 `None`。",
        case.fix(case.argument(call, "allow_unused=True"), call),
        made,
    )
