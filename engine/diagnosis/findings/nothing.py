"""`None` where a value was meant: a function without ``return``, a method that changes in place, a gradient that is not there."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.computed_leaves import leaf_changed
from gradflow.engine.diagnosis.findings.causes.computed_weights import cut_off, weight_made
from gradflow.engine.diagnosis.findings.derivatives.updates import is_cleared, updates_from
from gradflow.engine.diagnosis.findings.elsewhere.kept_by_hooks import put_away
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.language.returns import falls_through, unpacked_into, with_return
from gradflow.engine.diagnosis.findings.meant.projected import projected
from gradflow.engine.diagnosis.findings.origins.absent import gives, of_frozen, returns_sometimes
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.origins import is_maker
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Span

_IN_PLACE: Final = frozenset(
    {
        "append",
        "extend",
        "insert",
        "sort",
        "reverse",
        "update",
        "clear",
        "add",
        "backward",
        "step",
        "zero_grad",
        "shuffle",
        "print",
        "manual_seed_all",
        "remove",
    }
)
"""What changes something and gives nothing back."""


NONE_MET: Final = (
    python.NONE_ATTRIBUTE,
    errors.NO_METHOD,
    mistakes.NONE_OPERAND,
    mistakes.NOT_SUBSCRIPTABLE,
    mistakes.NOT_ITERABLE,
    errors.ARGUMENT_TYPE,
    python.TYPE,
)
"""The errors of what is given None for a tensor or another object."""


@finds(*NONE_MET, mistakes.NOT_CALLABLE, errors.KEYWORD_TYPE)
def _nothing(case: Case) -> Finding | None:
    for node in suspects(case):
        found = _of_gradient(case, node) if _is_grad(node) else _of_source(case, node)
        if found is not None:
            return found
    return None


def speaks_of_none(case: Case) -> bool:
    """Whether an error is about `None` that was given or met."""
    told = f"{case.details.get('message', '')} {case.details.get('type', '')} {case.details.get('actual', '')}"
    told += f" {case.details.get('left', '')} {case.details.get('right', '')} {case.details.get('given', '')}"
    return "NoneType" in told or case.details.get("value", UNKNOWN) is None


def suspects(case: Case) -> list[ast.expr]:
    """The expressions at the error that gave None."""
    if not speaks_of_none(case):
        return []
    node = case.find(ast.expr) or case.find(ast.For)
    match node:
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            parts: list[ast.expr] = [value]
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.Call(args=args, func=func):
            parts = [*args, *([func.value] if isinstance(func, ast.Attribute) else [])]
        case ast.For(iter=source):
            parts = [source]
        case ast.expr():
            parts = [node]
        case _:
            parts = []
    statement = case.statement(node) if node is not None else None
    if isinstance(statement, ast.AugAssign) and not parts:
        parts = [statement.value]
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple):
        parts.append(statement.value)
    return [part for part in parts if case.value(part) in (None, UNKNOWN) or _is_grad(part)]


def _is_grad(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "grad"


# -- functions ---------------------------------------------------------------------------------------------------------


def _of_source(case: Case, node: ast.expr) -> Finding | None:
    flow = Flow(case)
    given = [*flow.assigned(node, node.id)] if isinstance(node, ast.Name) else [node]
    made = [one for one in given if isinstance(one, ast.Call) and isinstance(case.parents.get(one), ast.Assign)]
    for call in made:
        if (found := _changed_in_place(case, call)) is not None:
            return found
    for one in flow.behind(node):
        if isinstance(one, ast.Call):
            functions = [each for each in flow.called(one) if isinstance(each, ast.FunctionDef)]
            if functions and not any(gives(each) for each in functions):
                return returns_nothing(case, functions[0], one)
            if functions and (through := falls_through(functions[0])) is not None:
                return returns_sometimes(case, functions[0], through, one)
            if functions:
                return None
            if (found := _changed_in_place(case, one)) is not None:
                return found
            return None
        if _is_grad(one) and one is not node:
            return _of_gradient(case, one)
        if not isinstance(one, ast.Name | ast.Call):
            return None
    return None


def returns_nothing(case: Case, function: ast.FunctionDef, call: ast.Call) -> Finding:
    """A function of the program that ends without giving anything back."""
    last = function.body[-1]
    fix = with_return(case, function, last, call)
    result = fix.title.en if fix is not None and fix.title.en.startswith("`return ") else "`return`"
    name, several = where(case, function), unpacked_into(case, call)
    unnamed = fix is None and bool(several)
    action, action_zh = f"Give the result back at its end: {result}.", f"请在末尾返回结果：{result}。"
    if unnamed:
        shown = f"`{', '.join(several)}`"
        action = f"Give back at its end, with `return`, the {len(several)} values that become {shown}."
        action_zh = f"请在末尾用 `return` 返回要成为 {shown} 的 {len(several)} 个值。"
    return finding(
        case,
        f"{name} ends on line {last.end_lineno or line(last)} without a `return`, so {code(case, call)} gives `None`. {action}",
        f"{name} 在第 {last.end_lineno or line(last)} 行结束时没有 `return`，所以 {code(case, call)} 得到的是 `None`。{action_zh}",
        () if unnamed else fix,
        last,
    )


def where(case: Case, function: ast.FunctionDef) -> str:
    """The name of a function, with that of its class where several classes have one of that name."""
    owner = case.parents.get(function)
    alike = [one for one in case.nodes(ast.FunctionDef) if one.name == function.name]
    return (
        f"`{owner.name}.{function.name}`"
        if isinstance(owner, ast.ClassDef) and len(alike) > 1
        else f"`{function.name}`"
    )


def _changed_in_place(case: Case, call: ast.Call) -> Finding | None:
    """``xs = xs.append(1)``: the method changes the list and gives None."""
    name = called(call)
    if name not in _IN_PLACE:
        return None
    statement = case.statement(call)
    fix = None
    if isinstance(statement, ast.Assign) and statement.value is call and isinstance(call.func, ast.Attribute):
        owner, target = case.text(call.func.value), case.text(statement.targets[0])
        if name in ("sort", "reverse") and owner != target:
            function = "sorted" if name == "sort" else "reversed"
            given = ", ".join([owner, *(case.text(one) for one in call.keywords)])
            text = f"sorted({given})" if function == "sorted" else f"list(reversed({owner}))"
            fix = write(case, call, text, statement)
        elif owner == target or name in ("backward", "step"):
            fix = case.fix(case.replace(statement, case.text(call)), statement)
    return finding(
        case,
        f"`{name}` on line {line(call)} changes its object and gives nothing back, so what is made of its result is `None`."
        f" Call it on a line of its own and go on with the object itself.",
        f"第 {line(call)} 行的 `{name}` 直接修改对象，不返回任何东西，所以用它的结果得到的是 `None`。请单独写一行调用，然后继续使用"
        f"对象本身。",
        fix,
        call,
    )


# -- gradients ---------------------------------------------------------------------------------------------------------


def _of_gradient(case: Case, node: ast.expr) -> Finding | None:
    assert isinstance(node, ast.Attribute)
    owner = node.value
    tensor = Flow(case).tensor(owner)
    name = case.text(owner)
    if not isinstance(tensor, Tensor):
        return None
    if not tensor.requires_grad:
        return of_frozen(case, node) or _without_flag(case, owner, name)
    if tensor.grad_fn is not None:
        return _of_computed(case, owner, name)
    return _not_yet(case, node, name)


def _without_flag(case: Case, owner: ast.expr, name: str) -> Finding:
    made = definition(case, owner) if isinstance(owner, ast.Name) else None
    fix = None
    if isinstance(made, ast.Call) and is_maker(made):
        fix = case.fix(case.argument(made, "requires_grad=True"), made)
    place = made or owner
    return finding(
        case,
        f"`{name}` (line {line(place)}) does not require a gradient, so no backward pass computes one and `{name}.grad` stays"
        f" `None`. Make it with `requires_grad=True`.",
        f"`{name}`（第 {line(place)} 行）不需要梯度，反向传播不会为它计算，所以 `{name}.grad` 一直是 `None`。请在创建时写上"
        f" `requires_grad=True`。",
        fix,
        place,
    )


def _of_computed(case: Case, owner: ast.expr, name: str) -> Finding:
    made = case.assignment(owner.id, unpacked=True) if isinstance(owner, ast.Name) else None
    statement = case.statement(made) if made is not None else None
    if (updated := _updated(case, owner, statement, name) or projected(case, owner)) is not None:
        return updated
    moved = leaf_changed(case, made) or weight_made(case, owner) or cut_off(case, owner, made, name)
    moved = moved or put_away(case, owner, made, name)
    if moved is not None:
        return moved
    fix = None
    span = case.program.span_of(statement) if statement is not None else None
    if span is not None and statement is not None:
        head = case.line(span.line)[: span.column]
        plain = not head.strip() and case.line(span.end_line)[span.end_column :].split("#")[0].strip() == ""
        if plain:
            edits = [insertion(span.end_line, len(case.line(span.end_line)), f"\n{head}{name}.retain_grad()")]
            fix = apply(case, edits, f"`{name}.retain_grad()`", f"`{name}.retain_grad()`")
    place = statement or owner
    return finding(
        case,
        f"`{name}` is computed from other tensors (line {line(place)}), and only leaves keep their gradient, so `{name}.grad`"
        f" is `None`. Ask for it before the backward pass: `{name}.retain_grad()`.",
        f"`{name}` 是由别的张量算出来的（第 {line(place)} 行），只有叶子张量才保留梯度，所以 `{name}.grad` 是 `None`。请在反向传播之前写"
        f" `{name}.retain_grad()`。",
        fix,
        place,
    )


def _updated(case: Case, owner: ast.expr, statement: ast.stmt | None, name: str) -> Finding | None:
    """``w = w - lr * w.grad``: the new tensor is computed, and takes the place of the leaf."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=target)],
            value=ast.BinOp(left=ast.Name(id=same), op=ast.Sub() | ast.Add() as op, right=right),
        ) if target == same == name and f"{name}.grad" in case.text(right):
            sign = "-" if isinstance(op, ast.Sub) else "+"
            span = case.program.span_of(statement)
            torch, imports = case.with_torch()
            head = case.line(span.line)[: span.column] if span else ""
            group = updates_from(case, statement)
            lines = [f"{head}    {one} {how}= {case.text(by)}" for _, one, how, by in group]
            lines += [f"{head}{one}.grad = None" for _, one, _, _ in group if not is_cleared(case, one)]
            text = "\n".join([f"with {torch}.no_grad():", *lines])
            last = case.program.span_of(group[-1][0])
            edits = (
                [Edit(Span(span.line, span.column, last.end_line, last.end_column), text), *imports]
                if span is not None and last is not None and not head.strip()
                else []
            )
            more, more_zh = _likewise(case, group)
            return finding(
                case,
                f"Line {line(statement)} gives the name `{name}` to a new tensor, computed from the leaf: it is no leaf, and its"
                f" `.grad` stays `None`. Change the leaf in place, under `no_grad`: `{name} {sign}= ...`.{more}",
                f"第 {line(statement)} 行把名字 `{name}` 给了一个由叶子张量算出的新张量：它不是叶子张量，`.grad` 一直是 `None`。请在"
                f" `no_grad` 下就地修改叶子张量：`{name} {sign}= ...`。{more_zh}",
                apply(case, edits, f"`{name} {sign}= ...` under `no_grad`", f"在 `no_grad` 下 `{name} {sign}= ...`"),
                statement,
            )
    return None


def _likewise(case: Case, group: Sequence[tuple[ast.stmt, str, str, ast.expr]]) -> tuple[str, str]:
    """That the other updates need the same, and that the leaves keep their gradients then."""
    others = [(one, line(statement)) for statement, one, *_ in group[1:]]
    also = f" The same goes for {joined([f'`{one}` (line {at})' for one, at in others], 'en')}." if others else ""
    also_zh = f"{joined([f'`{one}`（第 {at} 行）' for one, at in others], 'zh')} 也一样。" if others else ""
    if all(is_cleared(case, one) for _, one, *_ in group):
        return also, also_zh
    return (
        f"{also} A leaf keeps its gradient, so set that to `None` before the next pass.",
        f"{also_zh}叶子张量会保留梯度，所以下一次反向传播之前要把它设为 `None`。",
    )


def _pass_before(case: Case, node: ast.expr) -> Fix | None:
    """``loss.backward()`` in front of the statement, where the loss is the one number that could be differentiated."""
    numbers = [
        name
        for name, value in case.values.items()
        if isinstance(value, Tensor) and value.grad_fn is not None and value.numel() == 1 and not name.startswith("_")
    ]
    statement = case.statement(node)
    while statement is not None and isinstance(outer := case.parents.get(statement), ast.With):
        statement = outer
    if len(numbers) != 1 or statement is None:
        return None
    text = f"{numbers[0]}.backward()"
    return apply(case, case.line_before(statement, text), f"`{text}`", f"`{text}`")


def _not_yet(case: Case, node: ast.expr, name: str) -> Finding:
    passes = [one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") in ("backward", "grad")]
    later = [one for one in passes if one.lineno > case.span.line]
    if any(one.lineno < case.span.line for one in passes):
        cleared = [
            one
            for one in case.nodes(ast.Call)
            if getattr(one.func, "attr", "") == "zero_grad" and passes[0].lineno < one.lineno <= case.span.line
        ]
        if cleared:
            return finding(
                case,
                f"{code(case, cleared[-1])} on line {line(cleared[-1])} sets the gradients back to `None` before"
                f" `{name}.grad` is read. Read them first, or clear them at the beginning of the next turn.",
                f"第 {line(cleared[-1])} 行的 {code(case, cleared[-1])} 在读取 `{name}.grad` 之前就把梯度重置成了 `None`。请先读取，"
                f"或者在下一轮开始时再清零。",
                None,
                cleared[-1],
            )
        return finding(
            case,
            f"The backward pass on line {line(passes[0])} did not reach `{name}`: its output was not computed from it. Check"
            f" that `{name}` itself, and not a copy, is used on the way to the loss.",
            f"第 {line(passes[0])} 行的反向传播没有到达 `{name}`：它的输出不是由 `{name}` 算出来的。请检查通往损失的计算用的确实是"
            f" `{name}` 而不是副本。",
            None,
            passes[0],
        )
    named = [one.value for one in case.nodes(ast.Expr) if one.lineno < case.span.line and _names_backward(one.value)]
    if named and not passes:
        return finding(
            case,
            f"`{case.text(named[-1])}` on line {line(named[-1])} only names the method, for its brackets are missing: no backward"
            f" pass has run, and `{name}.grad` is still `None`. Call it: `{case.text(named[-1])}()`.",
            f"第 {line(named[-1])} 行的 `{case.text(named[-1])}` 只写了方法名，缺少括号：反向传播没有运行，`{name}.grad` 还是 `None`。请调用它："
            f"`{case.text(named[-1])}()`。",
            case.fix(case.after(named[-1], "()"), named[-1]),
            named[-1],
        )
    if later and (guarded := _cleared(case, node)) is not None:
        return finding(
            case,
            f"In the first turn no backward pass has run yet (`backward` is called on line {line(later[0])}), so `{name}.grad` is still `None`"
            f" and there is nothing to set to zero. Set it to zero only where there is one: `{guarded}`.",
            f"第一轮时还没有做过反向传播（第 {line(later[0])} 行才调用 `backward`），`{name}.grad` 还是 `None`，没有可以清零的东西。请只在有梯度时清零："
            f"`{guarded}`。",
            None,
            node,
        )
    what = f"; `backward` is called only on line {line(later[0])}" if later else ""
    what_zh = f"，第 {line(later[0])} 行才调用 `backward`" if later else ""
    fix = None if passes else _pass_before(case, node)
    return finding(
        case,
        f"No backward pass has run before line {case.span.line}{what}, so `{name}.grad` is still `None`. Call `backward` on the"
        f" loss first.",
        f"第 {case.span.line} 行之前还没有做过反向传播{what_zh}，所以 `{name}.grad` 还是 `None`。请先对损失调用 `backward`。",
        fix,
        node,
    )


def _cleared(case: Case, node: ast.expr) -> str | None:
    """``w.grad.zero_()``, guarded, in the turn of a loop."""
    statement = case.statement(node)
    gradient = next((one for one in ast.walk(node) if isinstance(one, ast.Attribute) and one.attr == "grad"), None)
    if not isinstance(statement, ast.Expr) or not case.text(statement).endswith(".grad.zero_()") or gradient is None:
        return None
    return f"if {case.text(gradient)} is not None: {case.text(statement)}"


def _names_backward(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "backward"
