"""A function that lays samples of different sizes into a batch, which the program defines and gives to no loader."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called, gone_through
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.origins.absent import gives
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow

_TELLING: Final = ("collate", "pad", "batch")
_MAKERS: Final = (
    "pad_sequence",
    "pack_sequence",
    "pad",
    "stack",
    "cat",
    "tensor",
    "as_tensor",
    "full",
    "zeros",
    "ones",
)
"""What makes a batch of samples."""


@dataclass(frozen=True)
class _Collator:
    """What can lay samples into a batch: where it is defined, its name, and how it is written as an argument."""

    place: ast.AST
    name: str
    text: str


@finds(errors.STACK_SIZE, errors.BATCH_LENGTHS, errors.SAMPLER_TYPE, errors.SEQUENCE_ELEMENT)
def _not_given(case: Case) -> Finding | None:
    """``DataLoader(data, batch_size=4)`` below ``def pad_batch(samples)``, which nothing calls."""
    made = _loader(case)
    if made is None or any(one.arg in ("collate_fn", None) for one in made.keywords) or len(made.args) > 6:
        return None
    known = [*_collators(case), *_methods(case, made)]
    telling = [one for one in known if _is_telling(one)]
    known = telling or known
    if len(known) != 1:
        return None
    found, text = known[0], f"collate_fn={known[0].text}"
    told = finding(
        case,
        f"{code(case, made)} on line {line(made)} is given no `collate_fn`, so it stacks the samples of a batch as they are, and these differ in"
        f" size; `{found.name}`, which line {line(found.place)} defines for laying samples into a batch, is not used by it. Give it to the loader:"
        f" `{text}`.",
        f"第 {line(made)} 行的 {code(case, made)} 没有得到 `collate_fn`，所以直接把一批样本叠起来，而它们的大小不同；第 {line(found.place)} 行为组成批次定义的"
        f" `{found.name}` 没有被它用到。请把它交给加载器：`{text}`。",
        case.fix(case.argument(made, text), made) or (),
        made,
    )
    return replace(told, guess=not telling)


def _is_telling(one: _Collator) -> bool:
    return any(word in one.name.lower() for word in _TELLING)


def _loader(case: Case) -> ast.Call | None:
    """The call that made the loader whose batch failed."""
    node = gone_through(case)
    if node is None or (isinstance(node, ast.Call) and called(node) in ("stack", "cat")):
        return None
    behind = [one for one in Flow(case).behind(node) if isinstance(one, ast.Call) and called(one) == "DataLoader"]
    every = [one for one in case.nodes(ast.Call) if called(one) == "DataLoader"]
    return behind[0] if behind else every[0] if len(every) == 1 else None


def _collators(case: Case) -> Iterator[_Collator]:
    """The functions and classes of the program that take one argument and that nothing uses but other loaders."""
    for one in case.program.tree.body:
        match one:
            case ast.FunctionDef(name=name) if _takes_one(one.args, 0) and gives(one) and _makes_batch(one):
                found = _Collator(one, name, name)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=arguments)) if _takes_one(
                arguments, 0
            ) and _makes_batch(one):
                found = _Collator(one, name, name)
            case ast.ClassDef(name=name) if _is_callable(one):
                found = _Collator(one, name, f"{name}()")
            case _:
                continue
        if not any(_is_use(case, each, found.name) for each in case.nodes(ast.Name)):
            yield found


def _is_use(case: Case, node: ast.Name, name: str) -> bool:
    """Whether a name stands for a function otherwise than as the ``collate_fn`` of another loader."""
    outer = case.parents.get(node)
    if isinstance(outer, ast.Call) and outer.func is node:
        outer = case.parents.get(outer)
    loader = isinstance(outer, ast.keyword) and outer.arg == "collate_fn"
    return node.id == name and isinstance(node.ctx, ast.Load) and not loader


def _takes_one(arguments: ast.arguments, bound: int) -> bool:
    """Whether a function needs one argument, beyond those that its object is given for."""
    names = [*arguments.posonlyargs, *arguments.args]
    return len(names) - len(arguments.defaults) == 1 + bound and not any(one is None for one in arguments.kw_defaults)


def _is_callable(owner: ast.ClassDef) -> bool:
    """Whether an object of a class is made without arguments and is called with one."""
    methods = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
    made, call = methods.get("__init__"), methods.get("__call__")
    return (
        call is not None
        and _takes_one(call.args, 1)
        and gives(call)
        and _makes_batch(call)
        and (made is None or _takes_none(made.args))
    )


def _makes_batch(function: ast.AST) -> bool:
    """Whether a function makes tensors of what it is given."""
    return any(isinstance(one, ast.Call) and called(one) in _MAKERS for one in ast.walk(function))


def _takes_none(arguments: ast.arguments) -> bool:
    return len(arguments.args) - len(arguments.defaults) == 1 and not any(one is None for one in arguments.kw_defaults)


def _methods(case: Case, made: ast.Call) -> Iterator[_Collator]:
    """The methods of the data set that a loader could be given, where the data set has a name."""
    given = made.args[0] if made.args else next((one.value for one in made.keywords if one.arg == "dataset"), None)
    if given is None:
        return
    maker, held = definition(case, given), case.value(given)
    owner = type(held).__name__ if held is not UNKNOWN else getattr(getattr(maker, "func", None), "id", "")
    for name, method in Flow(case).methods(owner).items():
        static = any(case.text(one) == "staticmethod" for one in method.decorator_list)
        plain = static or not method.decorator_list
        used = any(one.attr == name for one in case.nodes(ast.Attribute))
        if name.startswith("__") or used or not plain or not gives(method) or not _makes_batch(method):
            continue
        if _takes_one(method.args, 0 if static else 1) and (static or isinstance(given, ast.Name)):
            yield _Collator(method, name, f"{owner}.{name}" if static else f"{case.operand(given)}.{name}")
