"""A parameter in two groups of an optimizer: which one it is, the lines that put it there, and how to leave it out of one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, names_of
from gradflow.engine.diagnosis.findings.language.constant_conditions import always_true
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Fix

_MOST = 3
"""Names that are told."""


@dataclass(frozen=True)
class _Group:
    """The parameters that a group is given, and where they are chosen: a loop's branch, a comprehension, or the group itself."""

    given: ast.expr
    chosen: ast.AST


@finds(errors.OPTIMIZER_ARGUMENT)
def _in_two(case: Case) -> Finding | None:
    """Groups whose parameters are collected by conditions, or by a function."""
    call, numbers, twice = case.find(ast.Call), case.details.get("groups"), case.details.get("twice")
    if call is None or not isinstance(numbers, tuple) or not isinstance(twice, list):
        return None
    given = argument_of(call, 0, "params")
    groups = [_Group(one, _chosen(case, one)) for one in _groups(case, given)] if given is not None else []
    if len(groups) <= max(numbers):
        return None
    pair = [groups[int(one)] for one in numbers]
    owner, names = _named(case, set(twice), [one.given for one in pair])
    if not names:
        return None
    if (found := _senseless(case, pair, names_of([f"{owner}.{one}" for one in names[:_MOST]]))) is not None:
        return found
    whole = names_of([f"{owner}.{one}" for one in names[:_MOST]])
    more = len(names) - _MOST
    listed = f"{whole[0]}{f' and {more} more' if more > 0 else ''}"
    listed_zh = f"{whole[1]}{f' 等 {len(names)} 个参数' if more > 0 else ''}"
    first, second = pair
    both = [(one, *_without(case, one, set(twice))) for one in pair]
    ways = [(one.given, fix, text) for one, fix, text in both if fix is not None]
    narrow = [one for one, fix, _ in both if fix is None]
    it, it_zh = ("it", "它") if len(names) == 1 else ("them", "它们")
    if len(ways) == 2:
        texts = [(code(case, given), text) for given, _, text in ways]
        action = f"Leave {it} out of one of the two: of {texts[0][0]} with `{texts[0][1]}`, or of {texts[1][0]} with `{texts[1][1]}`"
        action_zh = (
            f"请从其中一个去掉{it_zh}：在 {texts[0][0]} 里写 `{texts[0][1]}`，或者在 {texts[1][0]} 里写 `{texts[1][1]}`"
        )
    elif ways:
        own, other = code(case, ways[0][0]), code(case, narrow[0].given)
        action = f"Leave {it} out of {own}, for {other} has {it}: `{ways[0][2]}`"
        action_zh = f"请在 {own} 中去掉{it_zh}，因为 {other} 里已经有了：`{ways[0][2]}`"
    else:
        action, action_zh = f"Leave {it} out of one of the two", f"请从其中一个去掉{it_zh}"
    where, other_place = _place(first), _place(second)
    return finding(
        case,
        f"{listed} {'is' if len(names) == 1 else 'are'} in two groups: in {code(case, first.given)} (line {where}) and in {code(case, second.given)}"
        f" (line {other_place}), and each parameter may be in one group alone. {action}.",
        f"{listed_zh} 同时在两个组里：{code(case, first.given)}（第 {where} 行）和 {code(case, second.given)}（第 {other_place} 行），而每个参数只能属于"
        f"一个组。{action_zh}。",
        [fix for _, fix, _ in ways],
        (next((one for one, fix, _ in both if fix is not None), first)).chosen,
    )


def _senseless(case: Case, groups: Sequence[_Group], names: tuple[str, str]) -> Finding | None:
    """``if "rnn" or "head" in name``: a condition that takes every parameter."""
    for group in groups:
        tests = getattr(group.chosen, "ifs", None) or [getattr(group.chosen, "test", None)]
        found = next((one for test in tests if test is not None and (one := always_true(case, test)) is not None), None)
        if found is None:
            continue
        own, text = code(case, group.given), code(case, found.text)
        return finding(
            case,
            f"{code(case, found.whole)} on line {line(found.whole)} is always true: Python takes {text} for a condition of its own, and a text that is not"
            f" empty is true. So {own} has every parameter, {names[0]} too, which are in the other group. Ask for each text: `{found.asked}`.",
            f"第 {line(found.whole)} 行的 {code(case, found.whole)} 永远为真：Python 把 {text} 单独当作一个条件，而非空字符串为真。所以 {own} 里有全部参数，"
            f"也包括另一组里的 {names[1]}。请对每个字符串都提问：`{found.asked}`。",
            apply(case, case.replace(found.whole, found.asked), f"`{found.asked}`", f"`{found.asked}`"),
            found.whole,
        )
    return None


def _place(group: _Group) -> int:
    return line(group.chosen.target if isinstance(group.chosen, ast.comprehension) else group.chosen)


def _groups(case: Case, given: ast.expr) -> list[ast.expr]:
    """What the groups of an optimizer are given, as it is written in a list of dictionaries."""
    made = definition(case, given)
    lists = [made]
    if isinstance(made, ast.Call):
        lists = [definition(case, one) for function in Flow(case).called(made) for one in returned(function)]
    found = [one for one in lists if isinstance(one, ast.List | ast.Tuple)]
    if len(found) != 1 or not all(isinstance(one, ast.Dict) for one in found[0].elts):
        return []
    return [
        value
        for one in found[0].elts
        if isinstance(one, ast.Dict)
        for key, value in zip(one.keys, one.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "params"
    ]


def _chosen(case: Case, given: ast.expr) -> ast.AST:
    """Where the parameters of a group are chosen."""
    made = definition(case, given)
    if isinstance(made, ast.ListComp | ast.GeneratorExp) and len(made.generators) == 1:
        return made.generators[0]
    appended = list(_appended(case, given)) if isinstance(given, ast.Name) else []
    if len(appended) != 1:
        return given
    branch, loop = case.enclosing(appended[0], ast.If), case.enclosing(appended[0], ast.For)
    inside = branch is not None and loop is not None and branch in ast.walk(loop)
    in_body = inside and branch is not None and any(appended[0] in ast.walk(one) for one in branch.body)
    return branch if in_body and branch is not None else appended[0]


def _appended(case: Case, given: ast.Name) -> Iterator[ast.Call]:
    scope = Flow(case).scope(given)
    for one in ast.walk(scope):
        match one:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append")) if name == given.id:
                yield one


def _named(case: Case, twice: set[int], given: Sequence[ast.expr]) -> tuple[str, list[str]]:
    """The model that has the parameters, by a variable, and their names in it; the one that the groups speak of first."""
    spoken = {one.id for each in given for one in ast.walk(each) if isinstance(one, ast.Name)}
    models = [(name, value) for name, value in case.values.items() if isinstance(value, Layer)]
    for name, model in sorted(models, key=lambda each: each[0] not in spoken):
        names = [path for path, one in model.named_parameters() if id(one) in twice]
        if len(names) == len(twice):
            return name, names
    return "", []


def _asked(case: Case, source: ast.Call) -> object:
    """The module whose parameters a loop goes through; of a function's argument what was given for it."""
    owner = source.func.value if isinstance(source.func, ast.Attribute) else None
    if not isinstance(owner, ast.Name) or isinstance(case.value(owner), Layer):
        return case.value(owner)
    return next(
        (held for one in Flow(case).assigned(owner, owner.id) if isinstance(held := case.value(one), Layer)), None
    )


def _without(case: Case, group: _Group, twice: set[int]) -> tuple[Fix | None, str]:
    """The condition that leaves parameters out, where their names are at hand: those that the loop gives them."""
    chosen = group.chosen
    loop = case.enclosing(chosen, ast.For) if isinstance(chosen, ast.If) else chosen
    source, target = getattr(loop, "iter", None), getattr(loop, "target", None)
    if not isinstance(source, ast.Call) or called(source) != "named_parameters" or not isinstance(target, ast.Tuple):
        return None, ""
    own = _asked(case, source)
    names = [path for path, one in own.named_parameters() if id(one) in twice] if isinstance(own, Layer) else []
    if len(names) != len(twice):
        return None, ""
    name = case.text(target.elts[0])
    heads = {one.rpartition(".")[0] for one in names}
    head = next(iter(heads))
    test = f'{name} != "{names[0]}"' if len(names) == 1 else f'not {name}.startswith("{head}.")'
    if len(heads) > 1 or (len(names) > 1 and not head) or name == "_":
        return None, ""
    if isinstance(chosen, ast.If):
        mixed = isinstance(chosen.test, ast.BoolOp) and isinstance(chosen.test.op, ast.Or)
        closed = (
            [*case.wrapped(chosen.test, "(", f") and {test}")] if mixed else case.after(chosen.test, f" and {test}")
        )
        inner = f"({case.text(chosen.test)})" if mixed else case.text(chosen.test)
        return case.fix(closed, chosen.test), f"{inner} and {test}"
    if isinstance(chosen, ast.comprehension) and chosen.ifs:
        last = chosen.ifs[-1]
        mixed = isinstance(last, ast.BoolOp) and isinstance(last.op, ast.Or)
        closed = [*case.wrapped(last, "(", f") and {test}")] if mixed else case.after(last, f" and {test}")
        return case.fix(closed, last), f"{f'({case.text(last)})' if mixed else case.text(last)} and {test}"
    if isinstance(chosen, ast.comprehension):
        return case.fix(case.after(chosen.iter, f" if {test}"), case.parents.get(chosen)), f"if {test}"
    return None, ""
