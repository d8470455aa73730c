"""Fixes of layers and optimizers: ``super().__init__()``, ``forward``, lists of layers, parameters."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called, insertion
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.diagnosis.fixes.names import closest
from gradflow.engine.diagnosis.fixes.shapes import laid_out
from gradflow.engine.diagnosis.fixes.transposed import is_turned, turning
from gradflow.engine.diagnosis.traps.edits import line_after
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Span, Text


def _class_at(case: Case) -> ast.ClassDef | None:
    node = case.find(ast.AST)
    return case.enclosing(node, ast.ClassDef) if node is not None else None


def _methods(owner: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {part.name: part for part in owner.body if isinstance(part, ast.FunctionDef)}


@fixes(errors.MODULE_NOT_BEGUN)
def _begun(case: Case) -> Fix | None:
    return begun(case, _class_at(case))


def begun(case: Case, owner: ast.ClassDef | None) -> Fix | None:
    """``super().__init__()`` first in the ``__init__`` of a class; where it stands later it moves."""
    maker = _methods(owner).get("__init__") if owner else None
    if maker is None:
        return None
    first = next((part for part in maker.body if not _is_text(part)), None)
    if first is None:
        return None
    edits = case.line_before(first, "super().__init__()")
    later = [part for part in maker.body if "super(" in case.text(part) and "__init__" in case.text(part)]
    for part in later:
        span = case.program.span_of(part)
        if span is None or span.line != span.end_line or len(maker.body) < 2:
            return None
        edits.append(Edit(Span(span.line - 1, len(case.line(span.line - 1)), span.line, len(case.line(span.line))), ""))
    words = Text("`super().__init__()` first", "先写 `super().__init__()`")
    return case.fix(edits, words=words) if edits and edits[0].text else None


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


@fixes(errors.NO_FORWARD)
def _forward(case: Case) -> Fix | None:
    """A method whose name is nearly ``forward``."""
    for owner in case.nodes(ast.ClassDef):
        methods = _methods(owner)
        bare = {name.strip("_"): name for name in methods if name != "__init__"}
        near = "forward" if "forward" in bare else closest("forward", list(bare), 0.7)
        wrong = bare[near] if near is not None else ("call" if "call" in methods else None)
        if "forward" not in methods and wrong and len(methods[wrong].args.args) > 1:
            return renamed_method(case, methods[wrong], "forward")
    return None


def renamed_method(case: Case, method: ast.FunctionDef, name: str) -> Fix | None:
    """Another name where a method is defined."""
    span = case.program.span_of(method)
    if span is None:
        return None
    found = re.compile(rf"def\s+({re.escape(method.name)})\s*\(").match(case.line(span.line), span.column)
    if found is None:
        return None
    edit = Edit(Span(span.line, found.start(1), span.line, found.end(1)), name)
    return case.fix([edit], words=Text(f"`def {name}`", f"`def {name}`"))


@fixes(mistakes.NEEDS_SELF)
def _self(case: Case) -> Fix | None:
    """``self`` as the first parameter of a method."""
    owner_name, _, name = str(case.details.get("function")).rpartition(".")
    for owner in case.nodes(ast.ClassDef):
        method = _methods(owner).get(name)
        if owner.name == owner_name.rpartition(".")[2] and method is not None and not method.decorator_list:
            span = case.program.span_of(method)
            line = case.line(span.line) if span else ""
            found = re.compile(r"def\s+\w+\s*\(").match(line, span.column) if span else None
            if found is None or span is None or "self" in [argument.arg for argument in method.args.args]:
                return None
            text = "self, " if method.args.args or method.args.vararg or method.args.kwonlyargs else "self"
            edit = insertion(span.line, found.end(), text)
            return case.fix([edit], words=Text(f"`def {name}(self, ...)`", f"`def {name}(self, ...)`"))
    return None


@fixes(mistakes.TAKES_NO_ARGUMENTS)
def _constructor(case: Case) -> Fix | None:
    """``def _init_`` or ``def __int__``, meant as ``__init__``."""
    for owner in case.nodes(ast.ClassDef):
        if owner.name == case.details.get("type"):
            wrong = [name for name in _methods(owner) if name.strip("_") in ("init", "int", "inti", "initialize")]
            return renamed_method(case, _methods(owner)[wrong[0]], "__init__") if len(wrong) == 1 else None
    return None


# -- optimizers --------------------------------------------------------------------------------------------------------


@fixes(errors.PARAMETERS_TYPE)
def _listed(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    return case.fix(case.wrapped(call.args[0], "[", "]"), call) if call and call.args else None


@fixes(errors.MODULE_ASSIGNMENT)
def _parameter(case: Case) -> Fix | None:
    """A tensor that takes the place of a parameter is made one."""
    node = case.find(ast.AST)
    name = _nn(case)
    match case.statement(node) if node is not None else None:
        case ast.Assign(targets=[ast.Attribute()], value=value) as statement if name and isinstance(
            case.value(value), Tensor
        ):
            target = case.text(statement.targets[0])
            if any(case.text(one) == target for one in ast.walk(value) if isinstance(one, ast.Attribute)):
                return _in_place(case, statement, target, value)
            return case.fix(case.wrapped(value, f"{name}.Parameter(", ")"), statement)
    return None


def _in_place(case: Case, statement: ast.Assign, target: str, value: ast.expr) -> Fix | None:
    """A parameter that is given new values of its own: it stays the parameter that the optimizer knows."""
    span = case.program.span_of(statement)
    if span is None or case.line(span.line)[: span.column].strip():
        return None
    torch, imports = case.with_torch()
    text = f"{target}.copy_({case.text(value)})"
    head = case.line(span.line)[: span.column]
    edits = [*case.replace(statement, f"with {torch}.no_grad():\n{head}    {text}"), *imports]
    return case.fix(edits, words=Text(f"`{text}` under `no_grad`", f"在 `no_grad` 下 `{text}`"))


@fixes(errors.STATE_TYPE)
def _state(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    given = call.args[0] if call and call.args else None
    return (
        case.fix(case.followed(given, ".state_dict()"), call)
        if given and isinstance(case.value(given), Layer)
        else None
    )


@fixes(errors.NO_PARAMETERS)
def _registered_layers(case: Case) -> Fix | None:
    """Layers in a plain list or dictionary are not seen: ``nn.ModuleList``."""
    name = _nn(case)
    edits: list[Edit] = []
    for statement in case.nodes(ast.Assign) if name else ():
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self")) as target],
                value=ast.List() | ast.ListComp() | ast.Dict() | ast.DictComp() as value,
            ):
                layers = _kept_in(case, target, value)
                if layers:
                    whole = isinstance(value, ast.Dict | ast.DictComp)
                    kind = "Parameter" if "Parameter" in case.text(layers[0].func) else "Module"
                    kind += "Dict" if whole else "List"
                    if (last := last_as_list(case, statement, target)) is not None:
                        text = case.text(target)
                        edits += line_after(case, last, f"{text} = {name}.{kind}({text})")
                        continue
                    edits += case.wrapped(value, f"{name}.{kind}(", ")")
                    edits += [edit for inner in _inner(value) for edit in _as_list(case, inner, f"{name}.{kind}")]
    return case.fix(edits, words=Text("Register the layers", "登记这些层")) if edits else None


def last_as_list(case: Case, statement: ast.Assign, target: ast.Attribute) -> ast.stmt | None:
    """The last statement in ``__init__`` about a list that is used as `ModuleList` cannot be: ``self.layers.pop()``."""
    function = case.enclosing(statement, ast.FunctionDef)
    about = [
        one
        for one in (function.body if function is not None else ())
        for part in ast.walk(one)
        if isinstance(part, ast.Attribute) and case.text(part) == case.text(target)
    ]
    for call in case.nodes(ast.Call):
        match call.func:
            case ast.Attribute(value=owner, attr=attr) if case.text(owner) == case.text(target):
                if attr in _OF_LISTS or (attr == "pop" and not call.args):
                    return about[-1] if case.enclosing(call, ast.FunctionDef) is function else None
    return None


_OF_LISTS: Final = ("remove", "reverse", "sort", "index", "count", "copy", "clear")


def _inner(value: ast.expr) -> list[ast.List | ast.Tuple]:
    """The lists and tuples in a list, as of pairs of layers."""
    elements = [value.elt] if isinstance(value, ast.ListComp) else value.elts if isinstance(value, ast.List) else []
    return [one for one in elements if isinstance(one, ast.List | ast.Tuple)]


def _as_list(case: Case, inner: ast.List | ast.Tuple, kind: str) -> list[Edit]:
    return case.replace(inner, f"{kind}([{', '.join(case.text(one) for one in inner.elts)}])")


def _kept_in(case: Case, target: ast.Attribute, value: ast.expr) -> list[ast.Call]:
    """The layers that a container is made with, or that are put into it later."""
    places: list[ast.AST] = [value]
    for call in case.nodes(ast.Call):
        if getattr(call.func, "attr", "") in ("append", "extend", "insert") and isinstance(call.func, ast.Attribute):
            places += [call] if case.text(call.func.value) == case.text(target) else []
    for one in case.nodes(ast.Assign):
        match one.targets[0]:
            case ast.Subscript(value=owner) if case.text(owner) == case.text(target):
                places.append(one.value)
    for grown in case.nodes(ast.AugAssign):
        places += [grown.value] if case.text(grown.target) == case.text(target) else []
    return [part for place in places for part in ast.walk(place) if isinstance(part, ast.Call) and _is_layer(part)]


def _is_layer(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and "nn" in ast.unparse(call.func.value) and called(call)[:1].isupper()


def _nn(case: Case) -> str | None:
    """What the program calls ``torch.nn``."""
    for name in ("nn", "torch"):
        if case.values.get(name, UNKNOWN) is not UNKNOWN:
            return name if name == "nn" else "torch.nn"
    return None


@fixes(errors.OPTIMIZE_NON_LEAF)
@fixes(errors.PARAMETER_NON_LEAF)
def _leaf(case: Case) -> Fix | None:
    """``randn(3, requires_grad=True) * 0.1`` is no leaf; what it gives becomes one."""
    name = case.context.name
    value = case.assignment(name) if name and name.isidentifier() else None
    if value is None:
        return None
    return case.fix(case.followed(value, ".detach().requires_grad_()"), case.statement(value))


@fixes(errors.OPTIMIZER_ARGUMENT)
def _positive_rate(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    for keyword in call.keywords if call else ():
        match keyword.value:
            case ast.UnaryOp(op=ast.USub(), operand=number) if keyword.arg == "lr":
                return case.fix(case.replace(keyword.value, case.text(number)), call)
    return None


@fixes(errors.NO_MODULE_SUBCLASS)
def _layers_themselves(case: Case) -> Fix | None:
    """``nn.Sequential([...])`` takes the layers one by one, and layers, not their classes."""
    call = case.find(ast.Call)
    if call is None:
        return None
    if (
        len(call.args) == 1
        and isinstance(call.args[0], ast.List | ast.Tuple)
        and case.text(call.func).endswith("Sequential")
    ):
        return case.fix(case.before(call.args[0], "*"), call)
    given = [part for one in call.args for part in (one.elts if isinstance(one, ast.List) else [one])]
    edits = [
        edit
        for part in given
        if isinstance(part, ast.Attribute | ast.Name) and isinstance(case.value(part), type)
        for edit in case.after(part, "()")
    ]
    return case.fix(edits, call)


# -- losses ------------------------------------------------------------------------------------------------------------


def _scores_and_target(case: Case) -> tuple[ast.Call, ast.expr, ast.expr] | None:
    call = case.find(ast.Call)
    return (call, call.args[0], call.args[1]) if call and len(call.args) >= 2 else None


@fixes(errors.TARGET_MULTI)
def _flat_target(case: Case) -> Fix | None:
    found = _scores_and_target(case)
    target = case.value(found[2]) if found else None
    if found is None or not isinstance(target, Tensor) or target.dim() != 2 or target.shape[1] != 1:
        return None
    return case.fix(case.followed(found[2], ".squeeze(1)"), found[0])


@fixes(errors.TARGET_RANGE)
def _classes_from_zero(case: Case) -> Fix | None:
    """Classes that are counted from 1."""
    found = _scores_and_target(case)
    scores, target = (case.value(found[1]), case.value(found[2])) if found else (None, None)
    if found is None or not isinstance(scores, Tensor) or not isinstance(target, Tensor) or not target.numel():
        return None
    classes = int(scores.shape[1]) if scores.dim() > 1 else int(scores.shape[0])
    if int(target._a.min()) != 1 or int(target._a.max()) != classes:
        return None
    text = case.text(found[2])
    return case.fix(case.replace(found[2], f"{text} - 1"), found[0])


@fixes(errors.BCE_RANGE)
def _probabilities(case: Case) -> Fix | None:
    found = _scores_and_target(case)
    if found is None:
        return None
    torch, imports = case.with_torch()
    return case.fix([*case.wrapped(found[1], f"{torch}.sigmoid(", ")"), *imports], found[0])


@fixes(errors.BCE_SIZE)
@fixes(errors.BCE_LOGITS_SIZE)
def _same_size(case: Case) -> Fix | None:
    found = _scores_and_target(case)
    scores, target = (case.value(found[1]), case.value(found[2])) if found else (None, None)
    if found is None or not isinstance(scores, Tensor) or not isinstance(target, Tensor):
        return None
    own, other = tuple(scores.shape), tuple(target.shape)
    if own == (*other, 1):
        return case.fix(case.followed(found[1], ".squeeze(-1)"), found[0])
    if (*own, 1) == other:
        return case.fix(case.followed(found[2], ".squeeze(-1)"), found[0])
    if is_turned(other, own):
        end = ".t()" if len(own) == 2 else turning(other, own)
        return case.fix(case.followed(found[2], end), found[0]) if end else None
    if scores.numel() == target.numel():
        same = f".reshape_as({case.text(found[1])})" if isinstance(found[1], ast.Name) else laid_out(own)
        return case.fix(case.followed(found[2], same), found[0])
    return None


@fixes(errors.NO_SIZE)
def _tensor_target(case: Case) -> Fix | None:
    """A number as the target of a loss."""
    found = _scores_and_target(case)
    if found is None or not isinstance(case.value(found[2]), int | float):
        return None
    torch, imports = case.with_torch()
    edits = case.wrapped(found[2], f"{torch}.full_like({case.text(found[1])}, ", ")")
    plain = isinstance(found[1], ast.Name | ast.Attribute)
    scores = case.value(found[1])
    if not plain and isinstance(scores, Tensor):
        shape = ", ".join(map(str, scores.shape)) + ("," if scores.dim() == 1 else "")
        edits = case.wrapped(found[2], f"{torch}.full(({shape}), ", ")")
        number = case.value(found[2])
        if isinstance(number, int):
            edits[-1] = insertion(edits[-1].span.line, edits[-1].span.column, ".)")
    return case.fix([*edits, *imports], found[0])
