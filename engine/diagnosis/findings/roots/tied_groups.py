"""Parameters that groups of an optimizer collect module by module, and meet twice: tied ones, and those of parts of parts."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import loops_of
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Fix


@dataclass(frozen=True)
class _Walk:
    """``for mod in model.modules(): for name, p in mod.named_parameters(recurse=False)``: both parts, as loops or in a comprehension."""

    outer: ast.For | ast.comprehension
    inner: ast.For | ast.comprehension
    listed: ast.Call

    @property
    def parameter(self) -> str:
        """The name that stands for the parameter."""
        target = self.inner.target
        last = target.elts[-1] if isinstance(target, ast.Tuple) and target.elts else target
        return last.id if isinstance(last, ast.Name) else ""


@finds(errors.OPTIMIZER_ARGUMENT)
def _met_twice(case: Case) -> Finding | None:
    """A weight that two modules share, in a loop over the modules."""
    twice = case.details.get("twice")
    walks = list(_walks(case))
    if not isinstance(twice, list) or not walks or not walks[0].parameter:
        return None
    slots = _slots(case, set(twice))
    tied = {number: paths for number, paths in slots.items() if len(paths) > 1}
    if tied and len(tied) == len(set(twice)):
        return _tied(case, walks, next(iter(tied.values())))
    deep = [
        one for one in walks if not any(word.arg == "recurse" for word in one.listed.keywords) and not one.listed.args
    ]
    return _parts_too(case, deep[0], slots) if deep and slots and not tied and called_modules(deep[0]) else None


def called_modules(walk: _Walk) -> bool:
    """Whether the outer loop goes through all parts of a model, each part of a part too."""
    return isinstance(walk.outer.iter, ast.Call) and called(walk.outer.iter) in ("modules", "named_modules")


def _walks(case: Case) -> Iterator[_Walk]:
    """The loops over parameters of what an outer loop goes through."""
    for inner in loops_of(case):
        match inner.iter:
            case (
                ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="named_parameters" | "parameters")) as listed
            ):
                outer = _binding(case, inner, name)
                if outer is not None:
                    yield _Walk(outer, inner, listed)


def _binding(case: Case, inner: ast.For | ast.comprehension, name: str) -> ast.For | ast.comprehension | None:
    """The loop around that gives a name another module in every turn."""
    around: list[ast.For | ast.comprehension] = []
    if isinstance(inner, ast.comprehension):
        around += getattr(case.parents.get(inner), "generators", [])
    loop = case.enclosing(inner, ast.For)
    while loop is not None:
        around.append(loop)
        loop = case.enclosing(loop, ast.For)
    for one in around:
        if one is not inner and any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(one.target)):
            return one
    return None


def _slots(case: Case, twice: set[int]) -> dict[int, list[str]]:
    """Where a model has the parameters, by their numbers: each path of a module that holds one itself."""
    best: dict[int, list[str]] = {}
    for model in [value for value in case.values.values() if isinstance(value, Layer)]:
        found: dict[int, list[str]] = {}
        for path, module in model.named_modules():
            for name, one in module.named_parameters(recurse=False):
                if id(one) in twice:
                    found.setdefault(id(one), []).append(f"{path}.{name}" if path else name)
        if len(found) == len(twice) and sum(map(len, found.values())) > sum(map(len, best.values())):
            best = found
    return best


def _tie(case: Case, paths: Sequence[str]) -> ast.Assign | None:
    """The statement that puts the parameter of one module into another one."""
    for one in case.nodes(ast.Assign):
        for target in one.targets:
            text = case.text(target).removeprefix("self.")
            if (
                isinstance(target, ast.Attribute)
                and text
                and any(text.endswith(path) or path.endswith(text) for path in paths)
            ):
                return one
    leaves = {path.rpartition(".")[2] for path in paths}
    alike = [
        one
        for one in case.nodes(ast.Assign)
        if getattr(one.value, "attr", "") in leaves and getattr(one.targets[0], "attr", "") in leaves
    ]
    return alike[0] if len(alike) == 1 else None


def _tied(case: Case, walks: Sequence[_Walk], paths: Sequence[str]) -> Finding:
    tie, walk = _tie(case, paths), walks[-1]
    places = [f"`{path}`" for path in paths]
    one = f"{joined(places, 'en')} are one tensor" + (f", tied on line {line(tie)}" if tie is not None else "")
    one_zh = f"{joined(places, 'zh')} 是同一个张量" + (f"（第 {line(tie)} 行绑定）" if tie is not None else "")
    listed = joined([str(row) for row in dict.fromkeys(line(each.listed) for each in walks)], "en")
    listed_zh = listed.replace(" and ", "、").replace(", ", "、")
    rows = f"line{'s' * (listed != str(line(walk.listed)))} {listed}"
    fix, text = _once(case, walks)
    return finding(
        case,
        f"{one}; the parameters are collected module by module ({rows}), which meets it once in each of the modules and puts it into two groups. Take"
        f" each parameter where it is met first, and compare them by identity: `{text}`.",
        f"{one_zh}；而这里逐个模块收集参数（第 {listed_zh} 行），在每个模块里都会遇到它一次，于是把它放进了两个组。请只在第一次遇到时收下每个参数，并按对象本身比较：`{text}`。",
        fix or (),
        walk.listed,
    )


def _once(case: Case, walks: Sequence[_Walk]) -> tuple[Fix | None, str]:
    """The change that passes over what was met before."""
    walk = walks[-1]
    name, inner, outer = walk.parameter, walk.inner, walk.outer
    if isinstance(inner, ast.For) and isinstance(outer, ast.For):
        seen = next(
            one
            for one in ("seen", "met", "seen_ids", "met_ids")
            if one not in {each.id for each in case.nodes(ast.Name)}
        )
        text = f"if id({name}) in {seen}: continue"
        first = inner.body[0]
        span = case.program.span_of(first)
        indent = case.line(span.line)[: span.column] if span is not None else ""
        step = "    " if "\t" not in indent else "\t"
        lines = f"if id({name}) in {seen}:\n{indent}{step}continue\n{indent}{seen}.add(id({name}))"
        edits = [*case.line_before(outer, f"{seen} = set()"), *case.line_before(first, lines)]
        return (apply(case, edits, f"`{text}`", f"`{text}`") if len(edits) == 2 else None), text
    parent = case.parents.get(walks[0].inner)
    statement = case.parents.get(parent) if parent is not None else None
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if len(walks) < 2 or not isinstance(inner, ast.comprehension) or not isinstance(target, ast.Name):
        return None, f"if id({name}) not in seen"
    text = f"if all({name} is not one for one in {target.id})"
    last = inner.ifs[-1] if inner.ifs else inner.iter
    return case.fix(case.after(last, f" {text}"), case.parents.get(inner)), text


def _parts_too(case: Case, walk: _Walk, slots: dict[int, list[str]]) -> Finding:
    """``mod.named_parameters()`` of every module: that of a whole has those of its parts."""
    path = next(iter(slots.values()))[0]
    text = f"{case.text(walk.listed.func)}(recurse=False)"
    return finding(
        case,
        f"{code(case, walk.outer.iter)} on line {line(walk.outer.iter)} gives every module, each part of a module too, and {code(case, walk.listed)} on line"
        f" {line(walk.listed)} all parameters within one, so `{path}` is met again in each module around its own. Ask each module for its own ones"
        f" alone: `{text}`.",
        f"第 {line(walk.outer.iter)} 行的 {code(case, walk.outer.iter)} 给出所有模块，包括模块里的模块，而第 {line(walk.listed)} 行的 {code(case, walk.listed)}"
        f" 给出一个模块里的全部参数，所以 `{path}` 在包含它的每个模块里都会再次出现。请只取每个模块自己的参数：`{text}`。",
        case.fix(case.replace(walk.listed, text), walk.listed),
        walk.listed,
    )
