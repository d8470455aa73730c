"""Traps that stand in the text: losses that are kept with their graphs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.findings.second_pass import loop_around
from gradflow.engine.diagnosis.findings.words import line
from gradflow.engine.diagnosis.flow import loops_of
from gradflow.engine.diagnosis.traps.edits import copying
from gradflow.engine.diagnosis.traps.record import Record, Trap, modules_in, parameters_in
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Note, Span

LOSS_KEPT: Final = Trap(
    "loss-kept-with-graph",
    "`{loss}` is a tensor that holds the graph it was computed by. Kept from turn to turn in `{keeper}`, the graphs of all"
    " turns stay in memory. To print, plot or average it, take `{kept}`.",
    "`{loss}` 是一个张量，它带着计算出它的整张计算图。把它一轮一轮地留在 `{keeper}` 里，每一轮的计算图就都留在内存中。"
    "只是为了打印、画图或求平均，请用 `{kept}`。",
)
ZERO_QUOTIENT: Final = Trap(
    "integer-division-is-zero",
    "`{text}` is 0: `//` divides and rounds down. `/` gives {value:g}.",
    "`{text}` 等于 0：`//` 相除之后向下取整。用 `/` 得到 {value:g}。",
)
RETURN_IN_LOOP: Final = Trap(
    "return-in-loop",
    "This `return` stands inside the loop, so the function ends in the first turn: `{name}` has what one turn put into it."
    " Indented as deep as the `for`, it returns what all turns put together.",
    "这个 `return` 写在循环里面，函数在第一轮就结束了：`{name}` 里只有一轮的结果。把它缩进到与 `for` 对齐，返回的才是所有轮合起来的结果。",
)
STATE_KEPT: Final = Trap(
    "state-dict-is-no-copy",
    "`{name}` is no copy: `state_dict()` gives the parameters themselves, and every later step changes them in it, too."
    " `copy.deepcopy(...)` keeps the values of now.",
    "`{name}` 不是副本：`state_dict()` 给出的就是参数本身，之后的每一步更新也会改变其中的值。要保存此刻的值，请用 `copy.deepcopy(...)`。",
)


def losses_kept(run: Record) -> Iterator[Note]:
    """Losses that a loop backs up from, and that it adds up or collects as they are."""
    roots = {name for one in run.passes for root, *_ in one.roots if root.array.size == 1 for name in root.first.names}
    if len(run.passes) < 2 or not roots:
        return
    for loop in [*run.case.nodes(ast.For), *run.case.nodes(ast.While)]:
        if not _calls(loop, "backward") or _calls(loop, "create_graph"):
            continue
        for loss, keeper, node in _kept(loop, roots):
            if keeper in roots or _is_number(run, keeper) or _reassigned(loop, loss):
                continue
            kept = f"{loss}{(tail := tail_of_kept(run, keeper))}"
            fix = run.fix(run.case.after(node, tail), f"`{kept}`", f"`{kept}`")
            yield LOSS_KEPT.note(run.program.span_of(node), (), fix, loss=loss, keeper=keeper, kept=kept)


def _calls(loop: ast.AST, method: str) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == method for node in ast.walk(loop))


def _kept(loop: ast.AST, losses: set[str]) -> Iterator[tuple[str, str, ast.expr]]:
    """What is kept: the name of the loss, of what keeps it, and where the loss is named."""
    for node in ast.walk(loop):
        match node:
            case ast.AugAssign(target=ast.Name(id=keeper), op=ast.Add(), value=ast.Name(id=loss) as value):
                pass
            case ast.Assign(
                targets=[ast.Name(id=keeper)],
                value=ast.BinOp(left=ast.Name(id=total), op=ast.Add(), right=ast.Name(id=loss) as value),
            ) if keeper == total:
                pass
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=keeper), attr="append"), args=[ast.Name(id=loss) as value]
            ):
                pass
            case _:
                continue
        if loss in losses:
            yield loss, keeper, value


_OF_NUMBERS: Final = frozenset(dir(float)) | frozenset(dir(list))


def tail_of_kept(run: Record, keeper: str) -> str:
    """How a loss is kept: as a number, or without its graph where what was kept is used as tensors afterwards."""
    names = {keeper}
    for one in loops_of(run.case):
        if keeper in (part for part in re.findall(r"[\w.]+", run.case.text(one.iter))):
            names |= {part.id for part in ast.walk(one.target) if isinstance(part, ast.Name)}
    for node in run.case.nodes(ast.expr):
        match node:
            case ast.Attribute(value=owner, attr=attr) if attr not in _OF_NUMBERS and _is_of_kept(run, owner, names):
                return ".detach()"
            case ast.Call(
                func=ast.Attribute(attr="stack" | "cat" | "vstack" | "hstack", value=owner), args=[given, *_]
            ) if run.case.text(owner) == (run.case.module_alias("torch") or "torch") and run.case.text(given) in names:
                return ".detach()"
    return ".item()"


def _is_of_kept(run: Record, node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is one of these, an element of one, or computed from them as from tensors."""
    match node:
        case ast.Name() | ast.Attribute() if run.case.text(node) in names:
            return True
        case ast.Subscript(value=owner) | ast.UnaryOp(operand=owner):
            return _is_of_kept(run, owner, names)
        case ast.BinOp(left=left, right=right):
            return _is_of_kept(run, left, names) or _is_of_kept(run, right, names)
        case ast.Call(func=ast.Name(id="sum" | "max" | "min"), args=[given, *_]):
            return _is_of_kept(run, given, names)
    return False


def _is_number(run: Record, name: str) -> bool:
    """Whether what has this name at the end keeps no graph."""
    held = run.namespace.get(name)
    last = held[-1] if isinstance(held, list) and held else held
    return last is not None and not (isinstance(last, Tensor) and last._node is not None)


def _reassigned(loop: ast.AST, name: str) -> bool:
    """Whether a loop makes a number of a loss: ``loss = loss.item()``."""
    return any(
        isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr in ("item", "detach")
        for node in ast.walk(loop)
    )


def zero_quotients(run: Record) -> Iterator[Note]:
    """``1 // 10``."""
    if "//" not in run.program.source:
        return
    for node in run.case.nodes(ast.BinOp):
        match node:
            case ast.BinOp(left=ast.Constant(value=int(over)), op=ast.FloorDiv(), right=ast.Constant(value=int(under))):
                if 0 < over < under:
                    text = run.case.text(node)
                    fix = run.fix(run.case.replace(node, text.replace("//", "/")), "`/`", "`/`")
                    yield ZERO_QUOTIENT.note(run.program.span_of(node), (), fix, text=text, value=over / under)
            case ast.BinOp(left=ast.Constant(value=1), op=ast.FloorDiv(), right=ast.Name(id=name)):
                held = run.namespace.get(name)
                if isinstance(held, int) and held > 1 and _is_made_once(run, name):
                    fix = run.fix(run.case.replace(node, f"1 / {name}"), "`/`", "`/`")
                    words = {"text": run.case.text(node), "value": 1 / held}
                    yield ZERO_QUOTIENT.note(run.program.span_of(node), (), fix, **words)


def _is_made_once(run: Record, name: str) -> bool:
    """Whether a name has one value in the whole program, and no parameter is called the same."""
    stored = [one for one in run.case.nodes(ast.Name) if one.id == name and not isinstance(one.ctx, ast.Load)]
    return len(stored) == 1 and all(one.arg != name for one in run.case.nodes(ast.arg))


def returns_in_loops(run: Record) -> Iterator[Note]:
    """A loop that adds up, and returns the sum in its first turn."""
    if "return" not in run.program.source or "for" not in run.program.source:
        return
    for loop in run.case.nodes(ast.For):
        last = loop.body[-1]
        added = {name for node in loop.body[:-1] if (name := _grown(node))}
        if not isinstance(last, ast.Return) or last.value is None or not added:
            continue
        named = [node.id for node in ast.walk(last.value) if isinstance(node, ast.Name) and node.id in added]
        own, head = run.program.span_of(last), run.program.span_of(loop)
        if named and own is not None and head is not None and own.line > head.line:
            fix = run.fix([Edit(Span(own.line, head.column, own.line, own.column), "")], *_OUT_OF_LOOP)
            yield RETURN_IN_LOOP.note(own, (), fix, name=named[0])


def _grown(statement: ast.stmt) -> str:
    """What a statement adds to: a sum, or a list."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name)):
            return name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend"))):
            return name
    return ""


_OUT_OF_LOOP: Final = ("Move it out of the loop", "把它移出循环")


def states_kept(run: Record) -> Iterator[Note]:
    """A ``state_dict`` that is kept in a loop that goes on training, to be loaded later."""
    if not run.steps or "state_dict" not in run.program.source:
        return
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr="state_dict")) as value
            ) if (
                run.case.enclosing(statement, ast.For) is not None
                and _is_moved(run, name)
                and not _is_of_one_turn(run, value, name)
            ):
                copy, more = copying(run)
                fix = run.fix([*run.case.wrapped(value, f"{copy}(", ")"), *more], f"`{copy}`", f"`{copy}`")
                yield STATE_KEPT.note(run.program.span_of(value), (), fix, name=name)

    yield from _states_within(run)
    yield from _states_given_back(run)


def _states_given_back(run: Record) -> Iterator[Note]:
    """A state that was loaded into the model whose it is, after the model was trained: in functions and under any name."""
    for place in run.recorder.modules.given_back:
        call = run.call_at(run.span(place))
        if call is None or called(call) != "state_dict":
            continue
        copy, more = copying(run)
        match run.case.statement(call):
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
                pass
            case _:
                name = _kept_as(run, call) or run.case.text(call)
        fix = run.fix([*run.case.wrapped(call, f"{copy}(", ")"), *more], f"`{copy}`", f"`{copy}`")
        yield STATE_KEPT.note(run.program.span_of(call), (), fix, name=name)


def _states_within(run: Record) -> Iterator[Note]:
    """``best.update(state=model.state_dict())``, ``self.best = model.state_dict()``, in a loop or a method."""
    source = run.program.source
    if "load_state_dict" not in source or "torch.save" in source:
        return
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=model), attr="state_dict")):
                place = _kept_as(run, call)
            case _:
                continue
        loop = run.case.enclosing(call, ast.For)
        if not place or loop is None or made_in(loop, model) or not _holds_moved(run, run.namespace.get(model)):
            continue
        if place.isidentifier() and _is_of_one_turn(run, call, place):
            continue
        copy, more = copying(run)
        fix = run.fix([*run.case.wrapped(call, f"{copy}(", ")"), *more], f"`{copy}`", f"`{copy}`")
        yield STATE_KEPT.note(run.program.span_of(call), (), fix, name=place)


def _is_of_one_turn(run: Record, call: ast.Call, name: str) -> bool:
    """Whether a name is given its value in every turn of the loop around and asked in the same turn alone."""
    statement = run.case.statement(call)
    loop = loop_around(run.case, call)
    asked = [one for one in run.case.nodes(ast.Name) if one.id == name and isinstance(one.ctx, ast.Load)]
    return (
        loop is not None
        and statement in loop.body
        and all(line(call) < line(one) <= (loop.end_lineno or 0) for one in asked)
    )


def _kept_as(run: Record, call: ast.Call) -> str:
    """What a state is kept as: an element, an attribute, an argument of ``update``; nothing where it is not."""
    outer = run.case.parents.get(call)
    match outer:
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as target]):
            return run.case.text(target)
        case ast.keyword(arg=str(name)):
            match run.case.parents.get(outer):
                case ast.Call(func=ast.Attribute(value=owner, attr="update")):
                    return f"{run.case.text(owner)}[{name!r}]"
        case ast.Dict() | ast.Tuple() | ast.List() if isinstance(one := run.case.parents.get(outer), ast.Assign):
            match one.targets[0], outer:
                case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                    return run.case.text(targets[values.index(call)])
            return run.case.text(one.targets[0])
    return ""


def made_in(loop: ast.For, name: str) -> bool:
    """Whether a loop gives a name a value: a model of its own in every turn."""
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in ast.walk(loop)
    )


def _holds_moved(run: Record, model: object) -> bool:
    moved = {id(entry.tensor) for step in run.steps for entry in step.told["tensors"]}
    return any(id(one) in moved for _, own in modules_in(model) for one in parameters_in(own))


def _is_moved(run: Record, name: str) -> bool:
    """Whether what has this name at the end holds parameters that an optimizer moved, and is used again."""
    held = run.namespace.get(name)
    if not isinstance(held, dict):
        return False
    moved = {id(entry.tensor._st.memory) for step in run.steps for entry in step.told["tensors"]}
    kept = [each for each in held.values() if isinstance(each, Tensor)]
    used = sum(isinstance(node, ast.Name) and node.id == name for node in run.program.nodes)
    return used > 1 and any(id(each._st.memory) in moved for each in kept)


TRAPS: Final = (losses_kept, zero_quotients, returns_in_loops, states_kept)
