"""Traps of loops: what is used up in the first turn, the same numbers drawn in every turn, a gradient kept that the next pass writes into."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import called, iterated
from gradflow.engine.diagnosis.traps.edits import moved_before
from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Note

USED_UP: Final = Trap(
    "iterator-used-up",
    "`{name}` is made once, by `{text}`, which can be gone through once: the loop here empties it in the first turn of the loop around it, and in all"
    " later turns there is nothing left, so nothing runs. Keep a list: `{meant}`.",
    "`{name}` 由 `{text}` 只创建了一次，而它只能遍历一次：外层循环的第一轮里，这个循环就把它用完了，之后的各轮什么也不剩，什么也不会运行。请保存为列表：`{meant}`。",
)
SEEDED_IN_LOOP: Final = Trap(
    "seed-set-in-every-turn",
    "`{text}` sets the seed in every turn of this loop, so `{drawn}` draws the very same numbers each time, {count} times in all, and what is collected"
    " is one sample repeated. Set the seed once, before the loop.",
    "`{text}` 在循环的每一轮都重新设置种子，所以 `{drawn}` 每次抽取的都是完全相同的数，一共 {count} 次，收集到的只是同一个样本的重复。请在循环之前只设置一次种子。",
)
GRADIENT_SHARED: Final = Trap(
    "gradient-kept-without-copy",
    "`{name}` is no copy, but `{owner}.grad` itself, and the pass on line {line} writes the next gradient into the same tensor: `{name}` then holds that"
    " one. Keep a copy: `{owner}.grad.clone()`.",
    "`{name}` 不是副本，而就是 `{owner}.grad` 本身，第 {line} 行的反向传播把下一个梯度写进了同一个张量：`{name}` 里就变成了新的梯度。请保存副本：`{owner}.grad.clone()`。",
)

_ONCE: Final = ("zip", "map", "filter", "enumerate", "iter", "reversed")


def used_up(run: Record) -> Iterator[Note]:
    """``pairs = zip(xs, ys)``, and a loop over ``pairs`` in the loop over epochs."""
    for loop in run.case.nodes(ast.For):
        outer = run.case.enclosing(loop, ast.For) or run.case.enclosing(loop, ast.While)
        source = iterated(loop)
        if outer is None or not isinstance(source, ast.Name) or _leaves_early(loop) or _turns(run, outer) == 1:
            continue
        made = [one for one in run.case.nodes(ast.Assign) if any(_is_name(each, source.id) for each in one.targets)]
        if len(made) != 1 or not _is_spent(run, made[0].value) or _lies_in(made[0], outer):
            continue
        if run.case.enclosing(made[0], ast.FunctionDef) not in (None, run.case.enclosing(loop, ast.FunctionDef)):
            continue
        text = " ".join(run.case.text(made[0].value).split())
        meant = f"list({text})" if isinstance(made[0].value, ast.Call) else f"list{text}"
        fix = run.fix(run.case.replace(made[0].value, meant), f"`{meant}`", f"`{meant}`")
        yield USED_UP.note(run.program.span_of(loop.iter), (), fix, name=source.id, text=text, meant=meant)


PARAMETERS_SPENT: Final = Trap(
    "parameters-used-up",
    "`{name}` can be gone through once, and line {line} has done so: here nothing is left of it, so this does nothing. Keep a list: `{meant}`.",
    "`{name}` 只能遍历一次，而第 {line} 行已经遍历过了：到这里什么也不剩，这里什么也没有做。请保存为列表：`{meant}`。",
)


_THROUGH: Final = frozenset(
    {"sum", "list", "len", "any", "all", "max", "min", "sorted", "tuple", "set", "zip", "enumerate"}
    | {"clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "get_total_norm"}
    | {"SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adamax", "NAdam", "RAdam", "Adadelta", "Rprop", "LBFGS"}
)


def parameters_spent(run: Record) -> Iterator[Note]:
    """``params = model.parameters()``, or a filter of it, gone through twice."""
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=made) if _gives_parameters_once(run, made):
                pass
            case _:
                continue
        uses = [one for one in run.case.nodes(ast.Name) if one.id == name and isinstance(one.ctx, ast.Load)]
        stores = [one for one in run.case.nodes(ast.Name) if one.id == name and isinstance(one.ctx, ast.Store)]
        scope = run.case.enclosing(statement, ast.FunctionDef)
        if len(uses) < 2 or len(stores) > 1 or not all(map(_goes_through(run), uses)):
            continue
        if any(run.case.enclosing(one, ast.FunctionDef) is not scope for one in uses) or isinstance(
            run.namespace.get(name), list
        ):
            continue
        text = " ".join(run.case.text(made).split())
        meant = f"list({text})" if isinstance(made, ast.Call) else f"list{text}"
        fix = run.fix(run.case.replace(made, meant), f"`{meant}`", f"`{meant}`")
        yield PARAMETERS_SPENT.note(run.program.span_of(uses[1]), (), fix, name=name, line=uses[0].lineno, meant=meant)


def _gives_parameters_once(run: Record, value: ast.expr) -> bool:
    """Whether an expression gives the parameters of a module so that they can be gone through once."""
    match value:
        case ast.Call(func=ast.Attribute(attr="parameters" | "named_parameters")):
            return True
        case ast.Call() | ast.GeneratorExp():
            chained = isinstance(value, ast.Call) and called(value) == "chain"
            return (chained or _is_spent(run, value)) and "parameters()" in run.case.text(value)
    return False


def _goes_through(run: Record) -> Callable[[ast.Name], bool]:
    """Whether a name stands where all that it holds is gone through."""

    def all_of_it(node: ast.Name) -> bool:
        outer = run.case.parents.get(node)
        if isinstance(outer, ast.For | ast.comprehension):
            return outer.iter is node
        named = isinstance(outer, ast.Call) and outer.args[:1] == [node]
        return (
            named
            and isinstance(outer, ast.Call)
            and (called(outer) in _THROUGH or "optim" in run.case.text(outer.func))
        )

    return all_of_it


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _lies_in(node: ast.AST, outer: ast.AST) -> bool:
    return any(one is node for one in ast.walk(outer))


def _is_spent(run: Record, value: ast.expr) -> bool:
    """Whether an expression gives what can be gone through once."""
    match value:
        case ast.GeneratorExp():
            return True
        case ast.Call(func=ast.Name(id=name)) if name in _ONCE:
            return name not in run.namespace
        case ast.Call(func=ast.Name(id=name)):
            made = [one for one in run.case.nodes(ast.FunctionDef) if one.name == name]
            return bool(made) and any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(made[-1]))
    return False


def _leaves_early(loop: ast.For) -> bool:
    """Whether a loop can end before what it goes through is used up."""
    return any(isinstance(one, ast.Break | ast.Return | ast.Yield) for one in ast.walk(loop))


def _turns(run: Record, loop: ast.For | ast.While) -> int:
    """How many turns a loop has, as far as it says so; 2 for several."""
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[count])):
            value = run.case.value(count)
            return value if isinstance(value, int) else 2
    return 2


_DRAWING: Final = frozenset({"randn", "rand", "randint", "randperm", "normal", "multinomial", "bernoulli", "sample"})
_FEWEST: Final = 3


def seeded_in_loop(run: Record) -> Iterator[Note]:
    """``torch.manual_seed(7)`` in a loop that collects what it draws."""
    if "manual_seed" not in run.program.source:
        return
    for loop in run.case.nodes(ast.For):
        seeds = [one for one in loop.body if _sets_seed(one)]
        own = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
        inner = [one for statement in loop.body for one in ast.walk(statement)]
        if len(seeds) != 1 or any(isinstance(one, ast.Name) and one.id in own for one in inner):
            continue
        draws = [one for one in inner if isinstance(one, ast.Call) and getattr(one.func, "attr", "") in _DRAWING]
        if not draws or not any(map(_collects, inner)):
            continue
        span = run.program.span_of(draws[0])
        drawn = [one.array for one in run.recorder.entries if run.span(one.place) == span]
        if len(drawn) < _FEWEST or not all(np.array_equal(one, drawn[0]) for one in drawn[1:]):
            continue
        fix = run.fix(moved_before(run.case, seeds[0], loop), "Set the seed before the loop", "在循环之前设置种子")
        words = {"text": run.case.text(seeds[0]), "drawn": run.case.text(draws[0]), "count": len(drawn)}
        yield SEEDED_IN_LOOP.note(run.program.span_of(seeds[0]), (), fix, **words)


def _sets_seed(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="manual_seed"), args=[ast.Constant()])):
            return True
    return False


def _collects(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="append")) | ast.AugAssign(op=ast.Add()):
            return True
    return False


def gradients_kept(run: Record) -> Iterator[Note]:
    """``first = x.grad``, then another pass, and ``first`` is used again."""
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Attribute(value=ast.Name() | ast.Attribute() as of, attr="grad") as value,
            ):
                held, source, owner = run.namespace.get(name), run.case_at_end.value(of), run.case.text(of)
            case _:
                continue
        if not isinstance(source, Tensor) or source._entry is None or not isinstance(held, Tensor):
            continue
        shared = held._entry is not None and held._entry.tensor is held and source._grad is held
        leaf = source._entry.first
        later = [
            run.line(one.place)
            for one in run.passes
            if run.line(one.place) > statement.lineno and any(entry.first is leaf for entry, *_ in one.accumulations)
        ]
        if _is_first_turn(run, statement, name, owner):
            fix = run.fix(run.case.after(value, ".clone()"), f"`{owner}.grad.clone()`", f"`{owner}.grad.clone()`")
            line = next((run.line(one.place) for one in run.passes), 0)
            yield GRADIENT_SHARED.note(run.program.span_of(statement), (), fix, name=name, owner=owner, line=line)
            continue
        used = any(
            one.id == name and isinstance(one.ctx, ast.Load) and later and one.lineno > later[0]
            for one in run.case.nodes(ast.Name)
        )
        if (
            shared
            and later
            and used
            and not _is_repeated(run, statement)
            and _is_zeroed(run, statement.lineno, later[0])
        ):
            fix = run.fix(run.case.after(value, ".clone()"), f"`{owner}.grad.clone()`", f"`{owner}.grad.clone()`")
            yield GRADIENT_SHARED.note(run.program.span_of(statement), (), fix, name=name, owner=owner, line=later[0])


def _is_first_turn(run: Record, statement: ast.Assign, name: str, owner: str) -> bool:
    """Whether a gradient is kept under a condition in a loop that sets it to zero in place and reads what was kept in later turns."""
    loop, choice = run.case.enclosing(statement, ast.For), run.case.enclosing(statement, ast.If)
    if (
        loop is None
        or choice is None
        or run.case.enclosing(choice, ast.For) is not loop
        or len(run.passes) < _FEWEST - 1
    ):
        return False
    zeroed = f"{owner}.grad.zero_()" in run.case.text(loop)
    inside = [one for one in ast.walk(loop) if isinstance(one, ast.Name) and one.id == name]
    return zeroed and any(isinstance(one.ctx, ast.Load) for one in inside)


def _is_zeroed(run: Record, after: int, before: int) -> bool:
    """Whether gradients are set to zero in place between two lines, so that the next one is meant to be kept apart."""
    return any(
        getattr(one.func, "attr", "") in ("zero_", "zero_grad") and after < one.lineno < before
        for one in run.case.nodes(ast.Call)
    )


def _is_repeated(run: Record, statement: ast.Assign) -> bool:
    return run.case.enclosing(statement, ast.For) is not None


TRAPS: Final = (used_up, parameters_spent, seeded_in_loop, gradients_kept)
