"""Optimizers that are given nothing: models that hold their layers and tensors where a module does not look, or hold none."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit

_MADE: Final = frozenset({"rand", "randn", "zeros", "ones", "empty", "xavier_uniform_", "kaiming_uniform_"})
_CONTAINERS: Final = (list, tuple, dict)


def _given(case: Case) -> ast.expr | None:
    call = case.find(ast.Call)
    return argument_of(call, 0, "params") if call is not None else None


def _asked(case: Case) -> tuple[ast.expr, Layer] | None:
    """The model whose ``parameters()`` the optimizer got, with its expression; only of one that has none."""
    given = _given(case)
    for node in ast.walk(definition(case, given)) if given is not None else ():
        if isinstance(node, ast.Call) and called(node) in ("parameters", "named_parameters"):
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            value = case.value(owner)
            if owner is not None and isinstance(value, Layer):
                return None if next(iter(value.parameters()), None) is not None else (owner, value)
    return None


def _nn(case: Case) -> str:
    return "nn" if "nn" in case.values else f"{case.module_alias('torch') or 'torch'}.nn"


def _classes(case: Case, layer: Layer) -> list[ast.ClassDef]:
    """The classes of the program that a layer is of."""
    names = [one.__name__ for one in type(layer).__mro__]
    return [one for one in case.nodes(ast.ClassDef) if one.name in names]


def _kept(case: Case, layer: Layer, attr: str) -> ast.Assign | None:
    """The assignment that gave an object its attribute."""
    for owner in _classes(case, layer):
        for one in ast.walk(owner):
            if isinstance(one, ast.Assign) and any(ast.unparse(target) == f"self.{attr}" for target in one.targets):
                return one
    return None


def _attributes(model: Layer) -> Iterator[tuple[Layer, str, object]]:
    """What the modules of a model hold beside their layers and parameters."""
    for layer in model.modules():
        for name, value in layer.__dict__.items():
            if not name.startswith("_") and name != "training":
                yield layer, name, value


@finds(errors.NO_PARAMETERS)
def _plain_container(case: Case) -> Finding | None:
    """``self.layers = []``, filled later with layers or tensors."""
    asked = _asked(case)
    if asked is None:
        return None
    edits: list[Edit] = []
    told: list[tuple[ast.Assign, str, str, str]] = []
    for layer, name, value in _attributes(asked[1]):
        if type(value) not in _CONTAINERS or not isinstance(value, _CONTAINERS):
            continue
        parts = list(value.values()) if isinstance(value, dict) else list(value)
        layers = any(isinstance(one, Layer) for one in parts)
        tensors = any(isinstance(one, Tensor) and one.requires_grad and one.is_leaf for one in parts)
        made = _kept(case, layer, name)
        if made is None or not (layers or tensors) or any(one[0] is made for one in told):
            continue
        kind = f"{_nn(case)}.{'Module' if layers else 'Parameter'}{'Dict' if isinstance(value, dict) else 'List'}"
        what, what_zh = {"list": ("list", "列表"), "tuple": ("tuple", "元组"), "dict": ("dictionary", "字典")}[
            type(value).__name__
        ]
        told.append((made, kind, what, what_zh))
        empty = isinstance(made.value, ast.List | ast.Dict) and case.text(made.value) in ("[]", "{}")
        edits += case.replace(made.value, f"{kind}()") if empty else case.wrapped(made.value, f"{kind}(", ")")
    if not told:
        return None
    made, kind, what, what_zh = told[0]
    held, held_zh = ("layers", "层") if "Module" in kind else ("tensors", "张量")
    name = ast.unparse(made.targets[0])
    model = code(case, asked[0])
    return finding(
        case,
        f"`{name}` on line {line(made)} keeps the {held} in a plain Python {what}, in which a module does not look for them, so {model} has no parameters."
        f" Make it an `{kind}`.",
        f"第 {line(made)} 行的 `{name}` 把{held_zh}放在普通的 Python {what_zh}里，模块不会到{what_zh}里查找，所以 {model} 没有参数。请改用 `{kind}`。",
        apply(case, edits, f"`{name} = {kind}(...)`", f"`{name} = {kind}(...)`"),
        made,
    )


@finds(errors.NO_PARAMETERS)
def _plain_tensor(case: Case) -> Finding | None:
    """``self.w = torch.randn(3)``."""
    asked = _asked(case)
    if asked is None:
        return None
    made = [
        found
        for layer, name, value in _attributes(asked[1])
        if isinstance(value, Tensor) and value.is_leaf and value._a.dtype.kind == "f"
        if (found := _kept(case, layer, name)) is not None
    ]
    if not made:
        return None
    sure = all(isinstance(one.value, ast.Call) and called(one.value) in _MADE for one in made)
    nn = _nn(case)
    names = [f"`{ast.unparse(one.targets[0])}`" for one in made]
    several = len(made) > 1
    edits = [edit for one in made for edit in case.wrapped(one.value, f"{nn}.Parameter(", ")")] if sure else []
    where = joined([str(line(one)) for one in made], "en")
    return finding(
        case,
        f"{joined(names, 'en')} (line{'s' if several else ''} {where}) {'are plain tensors' if several else 'is a plain tensor'}, and a module counts as its"
        f" parameters only what is an `{nn}.Parameter`, so {code(case, asked[0])} has none. Wrap what is to learn: `{nn}.Parameter(...)`.",
        f"{joined(names, 'zh')}（第 {joined([str(line(one)) for one in made], 'zh')} 行）是普通张量，而模块只把 `{nn}.Parameter` 算作自己的参数，所以 {code(case, asked[0])} 没有参数。请把"
        f"要学习的张量包起来：`{nn}.Parameter(...)`。",
        case.fix(edits, made[0]) if edits else (),
        made[0],
    )


@finds(errors.NO_PARAMETERS)
def _not_kept(case: Case) -> Finding | None:
    """``fc1 = nn.Linear(3, 4)`` in ``__init__``, without ``self``."""
    asked = _asked(case)
    for owner in _classes(case, asked[1]) if asked is not None else ():
        methods = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
        init = methods.get("__init__")
        made = [
            one
            for one in (ast.walk(init) if init is not None else ())
            if isinstance(one, ast.Assign)
            and isinstance(one.targets[0], ast.Name)
            and isinstance(one.value, ast.Call)
            and _is_layer_class(case, one.value)
        ]
        if init is None or asked is None or not made:
            continue
        names = [case.text(one.targets[0]) for one in made]
        used = {
            one.attr for one in ast.walk(owner) if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "self"
        }
        again = [
            one
            for one in ast.walk(init)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id in names
        ]
        edits = [edit for one in made for edit in case.before(one.targets[0], "self.")]
        first = made[0]
        return finding(
            case,
            f"{code(case, first)} on line {line(first)} keeps the layer in a variable of `__init__`, which is gone when it ends, so {code(case, asked[0])} has no"
            f" layers. Make it an attribute: `self.{case.text(first)}`.",
            f"第 {line(first)} 行的 {code(case, first)} 把层放在 `__init__` 的局部变量里，函数结束后它就消失了，所以 {code(case, asked[0])} 没有层。请把它设为属性：`self.{case.text(first)}`。",
            case.fix(edits, first) if not again and used.issuperset(names) else (),
            first,
        )
    return None


def _is_layer_class(case: Case, call: ast.Call) -> bool:
    value = case.value(call.func)
    return isinstance(value, type) and issubclass(value, Layer)


@finds(errors.NO_PARAMETERS)
def _made_in_forward(case: Case) -> Finding | None:
    """``nn.Linear(3, 4)(x)`` in ``forward``."""
    asked = _asked(case)
    for owner in _classes(case, asked[1]) if asked is not None else ():
        methods = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
        forward = methods.get("forward")
        made = [
            one
            for one in (ast.walk(forward) if forward is not None else ())
            if isinstance(one, ast.Call) and _is_layer_class(case, one)
        ]
        if asked is None or not made:
            continue
        first = min(made, key=line)
        return finding(
            case,
            f"{code(case, first)} on line {line(first)} makes its layer in `forward`, a new one with new weights at every call, so {code(case, asked[0])} has no"
            f" parameters when the optimizer asks for them. Make it once, in `__init__`: `self.layer = {case.text(first)}`, and call `self.layer` in `forward`.",
            f"第 {line(first)} 行的 {code(case, first)} 在 `forward` 里创建层，每次调用都是带新权重的新层，所以优化器要参数时 {code(case, asked[0])} 没有参数。请在 `__init__` 里只创建一次："
            f"`self.layer = {case.text(first)}`，并在 `forward` 里调用 `self.layer`。",
            (),
            first,
        )
    return None


@finds(errors.NO_PARAMETERS)
def _nothing_to_learn(case: Case) -> Finding | None:
    """A model of layers that have no weights, or of none; a list that is empty; a choice of parameters that none passes."""
    given = _given(case)
    if given is None:
        return None
    asked, made = _asked(case), definition(case, given)
    if asked is None:
        return _none_chosen(case, given, made)
    owner, model = asked
    kinds = list(
        dict.fromkeys(f"`{type(one).__name__}`" for one in model.modules() if not any(True for _ in one.children()))
    )
    classes = _classes(case, model)
    source = classes[0] if classes else definition(case, owner)
    where = f" (line {line(source)})" if line(source) else ""
    where_zh = f"（第 {line(source)} 行）" if line(source) else ""
    alone = len(kinds) == 1 and kinds[0] == f"`{type(model).__name__}`"
    what = (
        "holds no layer and no parameter"
        if alone and classes
        else f"consists of {joined(kinds, 'en')}, which {'has' if len(kinds) == 1 else 'have'} no weights"
    )
    what_zh = "里没有任何层和参数" if alone and classes else f"由 {joined(kinds, 'zh')} 组成，它们没有权重"
    inside, inside_zh = (", in `__init__`", "在 `__init__` 里") if classes else ("", "")
    return finding(
        case,
        f"{code(case, owner)}{where} {what}, so there is nothing that an optimizer could train. Give it a layer that learns, such as"
        f" `{_nn(case)}.Linear`{inside}.",
        f"{code(case, owner)}{where_zh} {what_zh}，优化器没有可训练的东西。请{inside_zh}加入能学习的层，例如 `{_nn(case)}.Linear`。",
        (),
        source,
    )


def _none_chosen(case: Case, given: ast.expr, made: ast.expr) -> Finding | None:
    """``[p for n, p in net.named_parameters() if "head" in n]``; ``params = []``."""
    if isinstance(made, ast.ListComp | ast.GeneratorExp) and made.generators[0].ifs:
        test, source = made.generators[0].ifs[0], made.generators[0].iter
        owner = source.func.value if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) else None
        model = case.value(owner)
        if owner is None or not isinstance(model, Layer):
            return None
        names = [f"`{name}`" for name, _ in model.named_parameters()]
        shown, more = names[:6], "…" if len(names) > 6 else ""
        return finding(
            case,
            f"No parameter of {code(case, owner)} passes `if {case.text(test)}` on line {line(test)}, so the list for the optimizer is empty. Their names are"
            f" {joined(shown, 'en')}{more}: choose by one of these.",
            f"{code(case, owner)} 的参数都不满足第 {line(test)} 行的 `if {case.text(test)}`，所以给优化器的列表是空的。参数的名字是 {joined(shown, 'zh')}{more}：请按其中的名字选择。",
            (),
            test,
        )
    if isinstance(made, ast.List) and not made.elts:
        models = [name for name, value in case.values.items() if isinstance(value, Layer) and name.isidentifier()]
        only = models[0] if len(models) == 1 else None
        new = f"{only}.parameters()" if only is not None else "model.parameters()"
        call = case.find(ast.Call)
        grown = any(
            isinstance(one, ast.Call) and called(one) in ("append", "extend") for one in Flow(case).behind(given)
        )
        return finding(
            case,
            f"{code(case, given)} (line {line(made)}) is an empty list: nothing was put into it before the optimizer was made. Give the optimizer what it is to"
            f" train: `{new}`.",
            f"{code(case, given)}（第 {line(made)} 行）是空列表：创建优化器之前没有放入任何东西。请把要训练的参数交给优化器：`{new}`。",
            case.fix(case.replace(given, new), call) if only is not None and not grown else (),
            made,
        )
    return None
