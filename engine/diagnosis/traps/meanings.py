"""Traps of meaning: what is computed is no error, and is not what its name or its data say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.edits import without_line
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, modules_in, parameters_in
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Note

CHAIN_BROKEN: Final = Trap(
    "backward-without-gradient",
    "`backward` of `{owner}` does not use `{name}`, the gradient that arrives: it returns the derivative of this function alone, and what comes"
    " behind it in the computation counts for nothing. Multiply by it: `{name} * ...`.",
    "`{owner}` 的 `backward` 没有使用传来的梯度 `{name}`：它只返回了这个函数自己的导数，后面的计算就不起作用了。请乘上它：`{name} * ...`。",
)


VARIANCE: Final = Trap(
    "variance-for-deviation",
    "`{text}` is the variance, for `{name}` is its logarithm; `{target}` is to be the standard deviation, its root. Halve the logarithm:"
    " `{meant}`.",
    "`{name}` 是方差的对数，所以 `{text}` 是方差；而 `{target}` 应当是标准差，即方差的平方根。请把对数减半：`{meant}`。",
)


SEEDED_ANEW: Final = Trap(
    "seed-set-in-every-call",
    "`{name}` sets the seed in every call, so the {count} calls of it draw the very same numbers. Set the seed once, at the beginning of the"
    " program.",
    "`{name}` 每次调用都重新设置种子，所以它的 {count} 次调用得到的是完全相同的随机数。请只在程序开头设置一次种子。",
)


BOUND_LATE: Final = Trap(
    "loop-variable-looked-up-late",
    "This function looks `{name}` up when it is called, and by then the loop is over: all of them see the last value. Bind it now, as a default:"
    " `{name}={name}`.",
    "这个函数在被调用时才查找 `{name}`，那时循环已经结束：它们看到的都是最后一个值。请现在就绑定，写成默认值：`{name}={name}`。",
)


SHARED_ARRAY: Final = Trap(
    "array-changed-through-tensor",
    "`{tensor}` shares its memory with the array `{array}`, as `from_numpy` does, and `{text}` writes into it: `{array}` is changed as well. Make"
    " a copy: `{meant}`.",
    "`{tensor}` 与数组 `{array}` 共用内存（`from_numpy` 就是如此），而 `{text}` 就地写入：`{array}` 也变了。请创建副本：`{meant}`。",
)


STATISTICS_MOVE: Final = Trap(
    "frozen-statistics-move",
    "The parameters of `{name}` are frozen, and it is in training mode: its batch normalisation still replaces its running mean and variance with"
    " every batch, so it changes all the same. Call `{name}.eval()`.",
    "`{name}` 的参数已冻结，但它处于训练模式：其中的批归一化仍会用每一批数据更新运行均值和方差，所以它还是在变。请调用 `{name}.eval()`。",
)


def chains_broken(run: Record) -> Iterator[Note]:
    """A ``backward`` that returns its own derivative alone."""
    for owner in run.case.nodes(ast.ClassDef):
        if not any(run.case.text(base).endswith("Function") for base in owner.bases):
            continue
        for method in owner.body:
            if not isinstance(method, ast.FunctionDef) or method.name != "backward" or len(method.args.args) != 2:
                continue
            name = method.args.args[1].arg
            used = any(isinstance(one, ast.Name) and one.id == name and _counts(run, one) for one in ast.walk(method))
            results = [one for one in ast.walk(method) if isinstance(one, ast.Return) and one.value is not None]
            if used or len(results) != 1 or isinstance(results[0].value, ast.Constant):
                continue
            value = results[0].value
            given = [
                one
                for one in (value.elts if isinstance(value, ast.Tuple) else [value])
                if not isinstance(one, ast.Constant)
            ]
            if not given:
                continue
            fix = None
            if (result := given[0]) is not None and len(given) == 1:
                text = run.case.text(result)
                inner = f"({text})" if isinstance(result, ast.BinOp) and not isinstance(result.op, ast.Mult) else text
                meant = f"{name} * {inner}"
                fix = run.fix(run.case.replace(result, meant), f"`{meant}`", f"`{meant}`")
            yield CHAIN_BROKEN.note(run.program.span_of(results[0]), (), fix, owner=owner.name, name=name)


def _counts(run: Record, gradient: ast.Name) -> bool:
    """Whether the numbers of the gradient that arrives are used: not its kind, its shape or its device alone."""
    outer = run.case.parents.get(gradient)
    return not (isinstance(outer, ast.Attribute) and outer.attr in ("dtype", "shape", "device", "ndim", "size"))


_LOG_VARIANCE: Final = re.compile(r"(log_?var(iance)?|lv)(_\w+)?|\w+_(log_?var)", re.IGNORECASE)


_DEVIATION: Final = re.compile(r"(\w+_)?(std|sigma|stddev|sd)(_\w+)?", re.IGNORECASE)


def variances(run: Record) -> Iterator[Note]:
    """``std = torch.exp(logvar)``."""
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=target)], value=ast.Call(func=ast.Attribute(attr="exp") as func, args=args) as call
            ):
                pass
            case _:
                continue
        given = args[0] if args else func.value
        name = run.case.text(given).rpartition(".")[2]
        if not _LOG_VARIANCE.fullmatch(name) or not _DEVIATION.fullmatch(target):
            continue
        own = run.case.text(given)
        meant = run.case.text(call).replace(own, f"0.5 * {own}" if args else f"(0.5 * {own})", 1)
        fix = run.fix(run.case.replace(call, meant), f"`{meant}`", f"`{meant}`")
        words = {"text": run.case.text(call), "name": own, "target": target, "meant": meant}
        yield VARIANCE.note(run.program.span_of(call), (), fix, **words)


_DRAWING: Final = frozenset(
    {"randn", "rand", "randint", "randperm", "randn_like", "rand_like", "normal", "multinomial", "bernoulli"}
)


_MAKING: Final = frozenset({*_DRAWING, "Linear", "Conv1d", "Conv2d", "Embedding", "LSTM", "GRU", "RNN"})
"""What draws numbers: functions, and layers for their weights."""


def _seeds(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="manual_seed"), args=[ast.Constant()])):
            return True
    return False


def seeded_anew(run: Record) -> Iterator[Note]:
    """``torch.manual_seed(0)`` in a function that draws, called several times."""
    if "manual_seed" not in run.program.source:
        return
    for function in run.case.nodes(ast.FunctionDef):
        seeds = [one for one in function.body if _seeds(one)]
        draws = [
            one for one in ast.walk(function) if isinstance(one, ast.Call) and getattr(one.func, "attr", "") in _MAKING
        ]
        calls = [one for one in run.case.nodes(ast.Call) if getattr(one.func, "id", "") == function.name]
        # a loop that makes the same model again compares what it does with it
        makes_layers = any(getattr(one.func, "attr", "") not in _DRAWING for one in draws)
        around = (ast.ListComp,) if makes_layers else (ast.ListComp, ast.For)
        repeated = [one for one in calls if any(run.case.enclosing(one, each) for each in around)]
        if not seeds or not draws or not repeated:
            continue
        span = run.program.span_of(draws[0])
        count = sum(run.span(one.place) == span for one in run.recorder.entries)
        if count > 1:
            fix = None
            if any(_seeds(one) and one.lineno < calls[0].lineno for one in run.case.program.tree.body):
                fix = run.fix(without_line(run.case, seeds[0]), "Without this line", "去掉这一行")
            yield SEEDED_ANEW.note(run.program.span_of(seeds[0]), (), fix, name=function.name, count=count)


_LATER: Final = (
    "register_forward_hook",
    "register_full_backward_hook",
    "register_hook",
    "register_forward_pre_hook",
    "append",
)


def bound_late(run: Record) -> Iterator[Note]:
    """``layer.register_forward_hook(lambda m, i, o: kept.update({name: o}))`` in a loop over names."""
    for loop in run.case.nodes(ast.For):
        names = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
        for function in ast.walk(loop):
            if not isinstance(function, ast.Lambda | ast.FunctionDef) or not _is_kept(run, loop, function):
                continue
            own = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
            body = function.body if isinstance(function, ast.FunctionDef) else [function.body]
            inside = [one for part in body for one in ast.walk(part) if isinstance(one, ast.Name)]
            own |= {one.id for one in inside if isinstance(one.ctx, ast.Store)}
            used = [one.id for one in inside if one.id in names - own]
            if not used:
                continue
            last = function.args.args[-1] if function.args.args else None
            edits = (
                run.case.after(last, f", {used[0]}={used[0]}")
                if last is not None and not function.args.defaults
                else []
            )
            fix = run.fix(edits, f"`{used[0]}={used[0]}`", f"`{used[0]}={used[0]}`")
            yield BOUND_LATE.note(run.program.span_of(function), (), fix, name=used[0])


def _is_kept(run: Record, loop: ast.For, function: ast.Lambda | ast.FunctionDef) -> bool:
    """Whether a function is handed over in a loop to be called later, and nothing in the loop calls or removes it."""
    if isinstance(function, ast.Lambda):
        uses: list[ast.AST] = [function]
    else:
        inside = [one for one in ast.walk(loop) if isinstance(one, ast.Name) and one.id == function.name]
        uses = [*inside]
        removed = any(isinstance(one, ast.Attribute) and one.attr == "remove" for one in ast.walk(loop))
        if len(uses) != 1 or removed or any(_runs_model(run, one) for one in ast.walk(loop)):
            return False
    outer = run.case.parents.get(uses[0])
    return isinstance(outer, ast.Call) and getattr(outer.func, "attr", "") in _LATER and outer.func is not uses[0]


def _runs_model(run: Record, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and bool(list(modules_in(run.case.value(node.func))))


def _used_outside(run: Record, function: ast.FunctionDef, parameter: str) -> str:
    """The array that a call gave for a parameter, where it is read below the call as if it were as before; else nothing."""
    names = [one.arg for one in function.args.args]
    for call in run.case.nodes(ast.Call):
        statement = run.case.statement(call)
        if not isinstance(call.func, ast.Name) or call.func.id != function.name or parameter not in names:
            continue
        at = names.index(parameter)
        given = call.args[at] if at < len(call.args) else None
        if not isinstance(given, ast.Name) or not isinstance(statement, ast.Assign):
            continue
        stored = {one.id for each in statement.targets for one in ast.walk(each) if isinstance(one, ast.Name)}
        scope = run.case.enclosing(call, ast.FunctionDef)
        below = [
            one
            for one in run.case.nodes(ast.Name)
            if one.id == given.id
            and one.lineno > statement.lineno
            and run.case.enclosing(one, ast.FunctionDef) is scope
        ]
        if given.id not in stored and below and isinstance(below[0].ctx, ast.Load):
            return given.id
    return ""


def shared_arrays(run: Record) -> Iterator[Note]:
    """``a = torch.from_numpy(raw)``, ``a -= a.mean()``, and ``raw`` is used again."""
    if "from_numpy" not in run.program.source:
        return
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=tensor)],
                value=ast.Call(func=ast.Attribute(attr="from_numpy"), args=[ast.Name(id=array)]) as made,
            ):
                pass
            case _:
                continue
        written = next(
            (one for one in run.case.nodes(ast.stmt) if one.lineno > statement.lineno and _writes(one, tensor)), None
        )
        scope = run.case.enclosing(statement, ast.FunctionDef)
        used = written is not None and any(
            one.id == array
            and isinstance(one.ctx, ast.Load)
            and one.lineno > written.lineno
            and run.case.enclosing(one, ast.FunctionDef) is scope
            for one in run.case.nodes(ast.Name)
        )
        array = array if used or scope is None else _used_outside(run, scope, array)
        if written is None or not array or (scope is None and not used):
            continue
        meant = f"{run.case.text(made)}.clone()"
        fix = run.fix(run.case.after(made, ".clone()"), f"`{meant}`", f"`{meant}`")
        words = {"tensor": tensor, "array": array, "text": run.case.text(written), "meant": meant}
        yield SHARED_ARRAY.note(run.program.span_of(statement), (), fix, **words)


def _writes(statement: ast.stmt, name: str) -> bool:
    """Whether a statement writes into a tensor in place."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=target) | ast.Subscript(value=ast.Name(id=target))):
            return target == name
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=target))]):
            return target == name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=target), attr=attr))):
            return target == name and attr.endswith("_") and not attr.startswith("requires")
    return False


def _has_counted(part: dict[str, object]) -> bool:
    """Whether a module has taken statistics of a batch."""
    buffers = part["_buffers"]
    counted = buffers.get("num_batches_tracked") if isinstance(buffers, dict) else None
    return isinstance(counted, Tensor) and bool(counted._a > 0)


def _follows(run: Record, own: list[Tensor]) -> bool:
    """Whether frozen parameters are given new values after they were used: a target network, an average of another."""
    entries = {one._entry.first for one in own if one._entry is not None}
    used = {
        entry: min(
            (node.number for node in run.consumers.get(entry, ()) if not is_call_of(node, "data detach")), default=None
        )
        for entry in entries
    }
    for event in run.events():
        first = used.get(event.told["after"].first) if event.kind == "write" else None
        if first is not None and first < event.nodes:
            return True
    return False


def statistics_move(run: Record) -> Iterator[Note]:
    """A frozen model with batch normalisation in training mode."""
    if "requires_grad" not in run.program.source or not run.passes:
        return
    for name, held in run.named():
        inside = [part for _, part in modules_in(held)]
        own = [parameter for part in inside for parameter in parameters_in(part)]
        norms = [part for part in inside if part.get("training") and isinstance(part.get("_buffers"), dict)]
        ran = [part for part in norms if _has_counted(part)]
        if not own or any(one._rg for one in own) or not ran or _follows(run, own):
            continue
        calls = [one for one in run.case.nodes(ast.Call) if getattr(one.func, "id", "") == name]
        if calls:
            yield STATISTICS_MOVE.note(run.program.span_of(calls[0]), (), None, name=name)


TRAPS: Final = (chains_broken, variances, seeded_anew, bound_late, shared_arrays, statistics_move)
