"""A name that nothing has, and one object alone that has what is asked of it: ``model.train()``, and the model is called ``net``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.names import bound_here
from gradflow.engine.diagnosis.findings.words import apply, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.data.datasets import DataLoader
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.namespace.optim.schedulers import LRScheduler

Kind = tuple[type, frozenset[str], str, str]
_KINDS: Final[tuple[Kind, ...]] = (
    (Layer, frozenset({"model", "net", "network", "module"}), "model", "模型"),
    (Optimizer, frozenset({"optimizer", "optim", "opt", "optimiser"}), "optimizer", "优化器"),
    (LRScheduler, frozenset({"scheduler", "sched", "lr_scheduler"}), "scheduler", "调度器"),
    (DataLoader, frozenset({"loader", "dataloader", "data_loader"}), "loader", "加载器"),
)
"""Kinds of objects, names that say no more than the kind (``target_net`` says more: it may be another one that is missing), and words."""


@finds(python.NAME)
def _one_that_has_it(case: Case) -> Finding | None:
    """``model.train()`` where there is one model, called ``net``."""
    node = case.find(ast.Name)
    if node is None or not isinstance(node.ctx, ast.Load) or node.id in bound_here(case.program.tree):
        return None
    uses = [one for one in case.nodes(ast.Name) if one.id == node.id and not _is_bound_around(case, one)]
    asked = {
        around.attr
        for one in uses
        if isinstance(around := case.parents.get(one), ast.Attribute) and around.value is one
    }
    if node not in uses or not asked or any(not isinstance(one.ctx, ast.Load) for one in uses):
        return None
    kind = next((one for one in _KINDS if node.id in one[1]), None)
    meant = _only(_fitting(case, node, asked, kind)) if kind is not None or "_" not in node.id else None
    if meant is None or _stands_beside(case, uses, meant):
        return None
    made = definition(case, ast.copy_location(ast.Name(meant, ast.Load()), node))
    where, where_zh = (
        (f" (line {line(made)})", f"（第 {line(made)} 行）") if not isinstance(made, ast.Name) else ("", "")
    )
    edits = [edit for one in uses for edit in case.replace(one, meant)]
    names = [f"`{one}`" for one in sorted(asked)]
    what, what_zh = (f"The {kind[2]}", kind[3]) if kind is not None else ("The object", "对象")
    return finding(
        case,
        f"Nothing is called `{node.id}`. {what} of this program, which has {joined(names, 'en')}, is called `{meant}`{where}. Write `{meant}`.",
        f"没有叫 `{node.id}` 的东西。这个程序里有 {joined(names, 'zh')} 的{what_zh}叫 `{meant}`{where_zh}。请写成 `{meant}`。",
        apply(case, edits, f"`{meant}`", f"`{meant}`"),
        node,
    )


def _stands_beside(case: Case, uses: Iterable[ast.Name], meant: str) -> bool:
    """``model.load_state_dict(net.state_dict())``: two are spoken of in one statement."""
    statements = [case.statement(one) for one in uses]
    simple = [one for one in statements if isinstance(one, ast.Expr | ast.Assign | ast.AugAssign | ast.Return)]
    return any(isinstance(part, ast.Name) and part.id == meant for one in simple for part in ast.walk(one))


def _is_bound_around(case: Case, use: ast.Name) -> bool:
    """Whether a function around a use has a parameter or a variable of this name."""
    function = case.enclosing(use, ast.FunctionDef)
    while function is not None:
        if use.id in {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)} | bound_here(function):
            return True
        function = case.enclosing(function, ast.FunctionDef)
    lambdas = case.enclosing(use, ast.Lambda)
    return lambdas is not None and use.id in {one.arg for one in lambdas.args.args}


def _fitting(case: Case, node: ast.Name, asked: Iterable[str], kind: Kind | None) -> dict[str, object]:
    """The objects of a kind, by default of the classes of the program, that can be reached here by a name and have all that is asked."""
    function = case.enclosing(node, ast.FunctionDef)
    own = bound_here(function) if function is not None else set()
    own |= {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)} if function is not None else set()
    classes = {one.name for one in case.nodes(ast.ClassDef)}
    known = {one.id for one in case.nodes(ast.Name)} | own
    found: dict[str, object] = {}
    for name in sorted(case.values, key=lambda one: one not in own):
        value = case.values[name]
        own_class = type(value).__name__ in classes and not isinstance(value, tuple(one[0] for one in _KINDS))
        alike = isinstance(value, kind[0]) if kind is not None else own_class
        if name not in known or name == "self" or not alike or not all(_has(value, one) for one in asked):
            continue
        if not any(value is one for one in found.values()):
            found[name] = value
    return found


def _has(value: object, name: str) -> bool:
    """Whether an object has an attribute, without asking its own methods."""
    held = getattr(value, "__dict__", None)
    parts = [held] if isinstance(held, Mapping) else []
    parts += [one for part in parts[:1] for key in ("_parameters", "_modules", "_buffers") if (one := part.get(key))]
    return any(name in part for part in parts) or any(name in vars(kind) for kind in type(value).__mro__)


def _only(found: dict[str, object]) -> str | None:
    """The name of the one object; of several models that which holds the others, and none that has nothing to learn."""
    layers = {name: one for name, one in found.items() if isinstance(one, Layer)}
    if len(found) > 1 and len(layers) == len(found):
        inner = {id(part) for one in layers.values() for part in _inside(one)}
        found = {name: one for name, one in layers.items() if id(one) not in inner and _learns(one)}
    return next(iter(found)) if len(found) == 1 else None


def _inside(layer: Layer) -> list[object]:
    """The layers in a layer, without itself."""
    found: list[object] = []
    waiting: list[object] = [layer]
    while waiting:
        children = getattr(waiting.pop(), "__dict__", {}).get("_modules") or {}
        new = [one for one in children.values() if one is not None and all(one is not each for each in found)]
        found += new
        waiting += new
    return found


def _learns(layer: Layer) -> bool:
    return any(getattr(one, "__dict__", {}).get("_parameters") for one in (layer, *_inside(layer)))
