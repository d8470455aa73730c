"""Custom Functions whose ``backward`` multiplies in the wrong order: the transpose of the gradient that is wanted."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.transposed import is_turned, sizes
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.trace import Fix

Sizes = tuple[int, ...]
_PRODUCTS: Final = ("mm", "matmul")
_TURNS: Final = ("t", "T", "mT", "transpose", "swapaxes", "adjoint", "H", "mH")


@dataclass(frozen=True)
class _Product:
    """A product of two factors; ``call`` is the name of the method or function that it is written with, if it is one."""

    node: ast.expr
    left: ast.expr
    right: ast.expr
    call: ast.expr | None = None
    """What is called; None for ``a @ b``, the method's object for ``a.mm(b)``."""


@finds(errors.INVALID_GRADIENT)
def _other_way_round(case: Case) -> Finding | None:
    """``x.t() @ g`` for a weight of shape (out, in)."""
    own, wanted = (sizes(case.details.get(key)) for key in ("actual", "expected"))
    name, index = str(case.details.get("name", "")).removesuffix("Backward"), case.details.get("index", 0)
    methods = Flow(case).methods(name)
    backward, forward = methods.get("backward"), methods.get("forward")
    results = returned(backward) if backward is not None else []
    if not is_turned(own, wanted) or len(own) != 2 or backward is None or forward is None or not results:
        return None
    result = results[-1]
    if isinstance(result, ast.Tuple) and isinstance(index, int) and index < len(result.elts):
        result = result.elts[index]
    inputs = [one.arg for one in forward.args.args]
    inputs = inputs if "setup_context" in methods else inputs[1:]
    given = inputs[index] if isinstance(index, int) and index < len(inputs) else "input"
    place, fix, text = _mended(case, backward, result, _known(case, name, (given, wanted)), own)
    how, how_zh = ("Write", "请写 ")
    if isinstance(place, ast.BinOp) or (isinstance(place, ast.Call) and called(place) in _PRODUCTS):
        how, how_zh = "Exchange the two factors and transpose both:", "请交换两个因子并各自转置："
    action = f"{how} `{text}`" if text else "Return its transpose, with `.t()`"
    action_zh = f"{how_zh}`{text}`" if text else "请返回它的转置，使用 `.t()`"
    return finding(
        case,
        f"{code(case, place)} on line {line(place)} of `{name}.backward` has the shape {list(own)}, and `{given}`, whose gradient it is to be, has"
        f" {list(wanted)}: the dimensions are the other way round. {action}.",
        f"`{name}.backward` 第 {line(place)} 行的 {code(case, place)} 的形状是 {list(own)}，而它要作为梯度的 `{given}` 的形状是 {list(wanted)}：两个维度"
        f"颠倒了。{action_zh}。",
        fix or (),
        place,
    )


def _mended(
    case: Case, backward: ast.FunctionDef, result: ast.expr, known: _Known, own: Sizes
) -> tuple[ast.expr, Fix | None, str]:
    """The expression that has its dimensions the other way round, and its transpose where that is the only one."""
    whole = _made(backward, result)
    text = _transpose_of(case, whole)
    if text:
        return whole, apply(case, case.replace(whole, text), f"`{text}`", f"`{text}`"), text
    product = next((one for one in _products(case, backward, result) if known.shape(one.node) == own), None)
    if product is None:
        return whole, None, ""
    return product.node, *_exchanged(case, product, known, own)


def _made(backward: ast.FunctionDef, result: ast.expr) -> ast.expr:
    """What a name that is returned is given, where that is one expression alone."""
    if not isinstance(result, ast.Name):
        return result
    given = [
        one.value
        for one in ast.walk(backward)
        if isinstance(one, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == result.id for target in one.targets)
        and not (isinstance(one.value, ast.Constant) and one.value.value is None)
    ]
    return given[0] if len(given) == 1 else result


def _transpose_of(case: Case, node: ast.expr) -> str:
    """The transpose of what is a transpose itself, an outer product, or a sum of products with its letters; else ""."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) | ast.Attribute(value=inner, attr=attr) if (
            attr in _TURNS
        ):
            return case.text(inner)
        case ast.Call(func=func, args=[left, right], keywords=[]) if called(node) in ("outer", "ger"):
            return f"{case.text(func)}({case.text(right)}, {case.text(left)})"
        case ast.Call(args=[ast.Constant(value=str(equation)) as letters, *_]) if called(node) == "einsum":
            _, arrow, out = equation.replace(" ", "").partition("->")
            if arrow and len(out) == 2 and out.isalpha() and equation.endswith(out):
                start = case.text(letters)
                swapped = f"{start[:-3]}{out[::-1]}{start[-1]}"
                return text_with(case, node, letters, swapped)
    return ""


@dataclass(frozen=True)
class _Known:
    """The shapes of what ``backward`` is given and takes out, by their names."""

    case: Case
    names: Mapping[str, Sizes]

    def shape(self, node: ast.expr) -> Sizes | None:
        """The shape of an expression of matrices, where it follows from theirs."""
        match node:
            case ast.Name(id=name):
                return self.names.get(name)
            case ast.Attribute(value=inner, attr=attr) | ast.Call(func=ast.Attribute(value=inner, attr=attr)) if (
                attr in _TURNS
            ):
                shape = self.shape(inner)
                return shape[::-1] if shape is not None and len(shape) == 2 else None
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return self._multiplied(left, right)
            case ast.BinOp(left=left, right=right):
                shapes = {self.shape(one) for one in (left, right) if not isinstance(one, ast.Constant)}
                return shapes.pop() if len(shapes) == 1 else None
            case ast.Call(func=ast.Attribute(value=owner), args=[right], keywords=[]) if called(node) in _PRODUCTS:
                return self._multiplied(owner, right)
            case ast.Call(args=[left, right], keywords=[]) if called(node) in _PRODUCTS:
                return self._multiplied(left, right)
        return None

    def _multiplied(self, left: ast.expr, right: ast.expr) -> Sizes | None:
        first, second = self.shape(left), self.shape(right)
        if first is None or second is None or len(first) != 2 or len(second) != 2 or first[1] != second[0]:
            return None
        return first[0], second[1]


def _known(case: Case, owner: str, failed: tuple[str, Sizes]) -> _Known:
    """What the calls of a Function tell of the shapes in its ``backward``; ``failed``: an input, and its shape."""
    flow = Flow(case)
    methods = flow.methods(owner)
    forward, backward = methods["forward"], methods["backward"]
    inputs = [one.arg for one in forward.args.args]
    inputs = inputs if "setup_context" in methods else inputs[1:]
    found: list[dict[str, Sizes]] = []
    for call in _applied(case, owner):
        held = {name: flow.tensor(one) for name, one in zip(inputs, call.args, strict=False)}
        shapes = {name: tuple(map(int, one.shape)) for name, one in held.items() if one is not None}
        if shapes.get(failed[0], failed[1]) != failed[1]:
            continue
        output = flow.tensor(call)
        upstream = [one.arg for one in backward.args.args[1:]]
        own = {upstream[0]: tuple(map(int, output.shape))} if output is not None and len(upstream) == 1 else {}
        found.append({**_taken_out(case, methods, {**shapes, failed[0]: failed[1]}), **own})
    return _Known(case, found[0] if found and all(one == found[0] for one in found) else {})


def _applied(case: Case, owner: str) -> Iterator[ast.Call]:
    """The calls of ``Owner.apply``, also by another name."""
    others = [
        target.id
        for one in case.nodes(ast.Assign)
        for target in one.targets
        if case.text(one.value) == f"{owner}.apply" and isinstance(target, ast.Name)
    ]
    yield from (one for one in case.nodes(ast.Call) if case.text(one.func) in (f"{owner}.apply", *others))


def _taken_out(case: Case, methods: Mapping[str, ast.FunctionDef], shapes: Mapping[str, Sizes]) -> dict[str, Sizes]:
    """The shapes of the saved tensors, under the names that ``backward`` gives them."""
    keeper = methods.get("setup_context") or methods["forward"]
    saves = [one for one in ast.walk(keeper) if isinstance(one, ast.Call) and called(one) == "save_for_backward"]
    found: dict[str, Sizes] = {}
    for one in ast.walk(methods["backward"]):
        match one:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(attr="saved_tensors")) if (
                len(saves) == 1
            ):
                pairs = zip(names, saves[0].args, strict=False)
                found |= {case.text(name): shapes[text] for name, kept in pairs if (text := case.text(kept)) in shapes}
    bound = [
        one.id for one in ast.walk(methods["backward"]) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    ]
    return {name: shape for name, shape in found.items() if bound.count(name) == 1}


def _products(case: Case, backward: ast.FunctionDef, result: ast.expr) -> Iterator[_Product]:
    """The products of a method that a result was computed from, the nearest first."""
    inside = set(ast.walk(backward))
    for one in Flow(case).behind(result):
        if one not in inside:
            continue
        match one:
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                yield _Product(one, left, right)
            case ast.Call(func=ast.Attribute(value=owner), args=[right], keywords=[]) if called(one) in _PRODUCTS:
                yield _Product(one, owner, right, owner)
            case ast.Call(func=func, args=[left, right], keywords=[]) if called(one) in _PRODUCTS:
                yield _Product(one, left, right, func)


def _exchanged(case: Case, product: _Product, known: _Known, own: Sizes) -> tuple[Fix | None, str]:
    """The transpose of a product, where no other product of its factors has that shape."""
    first = known.shape(product.left)
    if first is None or first[1] in own:
        return None, ""
    style = (
        ".T" if any(isinstance(one, ast.Attribute) and one.attr == "T" for one in ast.walk(product.node)) else ".t()"
    )
    left, right = _turned(case, product.right, style), _turned(case, product.left, style)
    if product.call is None:
        text = f"{left} @ {right}"
    elif product.call is product.left:
        text = f"{left}.{called_of(product)}({right})"
    else:
        text = f"{case.text(product.call)}({left}, {right})"
    return apply(case, case.replace(product.node, text), f"`{text}`", f"`{text}`"), text


def called_of(product: _Product) -> str:
    """The word that a product is written with."""
    return called(product.node) if isinstance(product.node, ast.Call) else "@"


def _turned(case: Case, node: ast.expr, style: str) -> str:
    """The transpose of a factor; of one that is transposed already, what it was made of."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _TURNS:
            pass
        case ast.Attribute(value=inner, attr=attr) if attr in _TURNS:
            pass
        case _:
            text = case.text(node)
            return f"({text}){style}" if isinstance(node, ast.BinOp | ast.UnaryOp) else f"{text}{style}"
    return case.text(inner)
