"""What an optimizer is to load and is not its state: a whole checkpoint, the state of a model."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_SHOWN = 3


@finds(python.KEY)
def _not_its_state(case: Case) -> Finding | None:
    """``optimizer.load_state_dict(checkpoint)``."""
    match case.find(ast.Call):
        case ast.Call(func=ast.Attribute(value=owner, attr="load_state_dict"), args=[given]) as call:
            optimizer = case.value(owner)
        case _:
            return None
    if not isinstance(optimizer, Optimizer) or "param_groups" not in str(case.details.get("message", "param_groups")):
        return None
    state = case.value(given)
    if isinstance(state, Mapping):
        inner = [key for key, one in state.items() if isinstance(one, Mapping) and "param_groups" in one]
        keys = [str(key) for key in state]
        tensors = bool(state) and all(isinstance(one, Tensor) for one in state.values())
    else:
        inner, keys = _saved(case, given)
        whose = given.func if isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) else None
        tensors = whose is not None and whose.attr == "state_dict" and isinstance(case.value(whose.value), Layer)
    if len(inner) == 1:
        return _of_checkpoint(case, call, owner, given, inner[0], keys)
    fix = _beside(case, call, given)
    more, more_zh = (f" Load {fix.title.en}.", f"请改为 {fix.title.zh}。") if fix is not None else ("", "")
    what, what_zh = (
        ("holds the weights of a model", "存的是模型的权重")
        if tensors
        else ("is not the state of an optimizer", "不是优化器的状态")
    )
    return finding(
        case,
        f"{code(case, given)} {what}, and {code(case, owner)} is an optimizer: its state has the entries `state` and `param_groups`, as"
        f" `{case.text(owner)}.state_dict()` gives it.{more}",
        f"{code(case, given)} {what_zh}，而 {code(case, owner)} 是优化器：它的状态含有 `state` 和 `param_groups`，由 `{case.text(owner)}.state_dict()` 得到。{more_zh}".replace(
            "``", ""
        ),
        [fix] if fix is not None else (),
        call,
    )


def _of_checkpoint(
    case: Case, call: ast.Call, owner: ast.expr, given: ast.expr, key: object, keys: list[str]
) -> Finding:
    text = f"{case.operand(given)}[{key!r}]"
    listed = ", ".join(f"`{one}`" for one in keys[:_SHOWN]) + (", ..." if len(keys) > _SHOWN else "")
    listed_zh = listed.replace(", ...", " 等").replace(", ", "、")
    return finding(
        case,
        f"{code(case, given)} is a whole checkpoint with the entries {listed}; the state of {code(case, owner)} is the one under `{key}`. Take it out: `{text}`.",
        f"{code(case, given)} 是完整的检查点，含有 {listed_zh}；{code(case, owner)} 的状态在 `{key}` 下面。请取出它：`{text}`。",
        case.fix(case.followed(given, f"[{key!r}]"), call),
        given,
    )


def _saved(case: Case, given: ast.expr) -> tuple[list[object], list[str]]:
    """The entries of the one dictionary that the program saves, where it is loaded in the brackets: those with the state of an optimizer first."""
    loads = isinstance(given, ast.Call) and getattr(given.func, "attr", "") == "load"
    saves = [one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == "save" and one.args]
    if not loads or len(saves) != 1 or not isinstance(saves[0].args[0], ast.Dict):
        return [], []
    held = saves[0].args[0]
    keys = [one.value for one in held.keys if isinstance(one, ast.Constant)]
    if len(keys) != len(held.keys):
        return [], []
    own = [
        key
        for key, value in zip(keys, held.values, strict=True)
        if isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and _is_optimizer(case, value.func.value)
    ]
    return list(own), [str(one) for one in keys]


def _is_optimizer(case: Case, owner: ast.expr) -> bool:
    return isinstance(case.value(owner), Optimizer) or "opt" in case.text(owner).lower()


def _beside(case: Case, call: ast.Call, given: ast.expr) -> Fix | None:
    """``ck["model"]`` beside ``ck["optimizer"]``: the entry of the same dictionary that is the state of an optimizer."""
    if not isinstance(given, ast.Subscript):
        return None
    whole = case.value(given.value)
    fitting = (
        [key for key, one in whole.items() if isinstance(one, Mapping) and "param_groups" in one]
        if isinstance(whole, Mapping)
        else []
    )
    return case.fix(case.replace(given.slice, repr(fitting[0])), given) if len(fitting) == 1 else None
