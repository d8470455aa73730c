"""Traps of parameters that nothing moves: left out of the optimizer, behind numbers, in a penalty without a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import apply_edits, called
from gradflow.engine.diagnosis.traps.edits import line_after, moved_before, without_line
from gradflow.engine.diagnosis.traps.overlooked.arrays import of_tensors
from gradflow.engine.diagnosis.traps.record import Record, Trap, attributes_of, children_of, modules_in, parameters_in
from gradflow.engine.diagnosis.traps.training import cut_off
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.recording.optimizer_steps import tensors_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note, Text

LEFT_OUT: Final = Trap(
    "module-without-optimizer",
    "`{module}` gets a gradient in every turn, and no optimizer holds its parameters, so it never learns: `{call}` was given other"
    " parameters alone. Give it those of both.",
    "`{module}` 每一轮都得到梯度，但没有优化器保存它的参数，所以它从不学习：`{call}` 只得到了其他参数。请把两者的参数都给它。",
)
PENALTY: Final = Trap(
    "penalty-is-a-number",
    "`{text}` takes a plain number of the weights, and a number added to the loss has no gradient: the loss is larger, and the penalty"
    " moves nothing. Leave `{cut}` out there.",
    "`{text}` 取出的是权重的普通数值，而加到损失上的数没有梯度：损失变大了，但这个惩罚项什么也不会改变。请去掉那里的 `{cut}`。",
)
NO_STEP: Final = Trap(
    "optimizer-never-steps",
    "This pass computes gradients in every turn, and nothing uses them: the program never calls `{name}.step()`, so the parameters stay"
    " as they are and the model never learns. Call it behind the pass.",
    "这里每一轮都算出梯度，却没有人使用：程序从来没有调用 `{name}.step()`，参数一直不变，模型什么也学不到。请在反向传播之后调用它。",
)
MADE_ANEW: Final = Trap(
    "optimizer-made-anew",
    "`{call}` makes a new optimizer in every turn of the loop, and its averages of the gradients ({state}) begin at 0 each time: every step is"
    " the first. Make it once, before the loop.",
    "`{call}` 在循环的每一轮都新建一个优化器，它对梯度的平均（{state}）每次都从 0 开始：每一步都像第一步。请在循环之前只创建一次。",
)
_STATES: Final = {"RMSprop": "square_avg", "Adagrad": "sum", "Adadelta": "square_avg"}
"""What optimizers keep from step to step; those whose name begins with ``Adam`` or ends with it keep `exp_avg`."""
_TRAINED_ELSEWHERE: Final = (
    "load_state_dict",
    "deepcopy",
    "eval(",
    "requires_grad = False",
    "requires_grad_(False)",
    "set_(",
    "copy_(",
)

_MOST: Final = 200


def left_out(run: Record) -> Iterator[Note]:
    """``SGD(encoder.parameters())``, where the loss goes through a decoder, too, behind the encoder."""
    if len(run.steps) < 2 or any(word in run.program.source for word in _TRAINED_ELSEWHERE):
        return
    held = {*run.moved, *run.idle}
    written = {entry.first for event in run.events() if event.kind == "write" for entry in event.tensors()}
    for name, value in [*run.named(), *_parts(run)]:
        own = [p._entry.first for _, part in modules_in(value) for p in parameters_in(part) if p._entry is not None]
        if not own or any(one in held or one in written or one not in run.reached for one in own):
            continue
        call = _optimizer_call(run)
        if call is not None and _behind(run, held, set(own)):
            words = {"module": name, "call": run.case.text(call.func)}
            yield LEFT_OUT.note(run.program.span_of(call), own, _with_both(run, call, name), **words)


def _parts(run: Record) -> Iterator[tuple[str, object]]:
    """The parts of models that have a name: ``model.decoder``, where the optimizer was given ``model.encoder.parameters()``."""
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(
                args=[ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=name)), attr="parameters")), *_]
            ):
                for path, child in children_of(attributes_of(run.namespace.get(name))).items():
                    yield f"{name}.{path}", child


def _optimizer_call(run: Record) -> ast.Call | None:
    """The only call that makes an optimizer, of the parameters of one module."""
    found = []
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(
                args=[ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute(), attr="parameters")), *_]
            ):
                if "optim" in run.case.text(call.func) or any(one.arg == "lr" for one in call.keywords):
                    found.append(call)
    return found[0] if len(found) == 1 else None


def _behind(run: Record, held: set[TensorEntry], own: set[TensorEntry]) -> bool:
    """Whether some parameter of a module works on what was computed from parameters that are trained."""
    seen, waiting = set(held), list(held)
    for current in waiting:
        for node in run.consumers.get(current, ()):
            if any(entry.first in own for entry in node.inputs):
                return True
            for out in node.outputs:
                if out.first not in seen and len(seen) < 5000:
                    seen.add(out.first)
                    waiting.append(out.first)
    return False


def _with_both(run: Record, call: ast.Call, name: str) -> Fix | None:
    given = call.args[0]
    text = f"[*{run.case.text(given)}, *{name}.parameters()]"
    return run.fix(run.case.replace(given, text), f"`{text}`", f"`{text}`")


def never_steps(run: Record) -> Iterator[Note]:
    """A loop of passes beside an optimizer that is never told to move what it holds."""
    made = [(name, one) for name, one in run.named() if isinstance(one, Optimizer)]
    if (
        len(made) != 1
        or ".step" in run.program.source
        or any(word in run.program.source for word in _TRAINED_ELSEWHERE)
    ):
        return
    name, optimizer = made[0]
    held = {p._entry.first for group in optimizer.param_groups for p in tensors_of(group) if p._entry is not None}
    written = {entry.first for event in run.events() if event.kind == "write" for entry in event.tensors()}
    turns = [
        one for one in run.passes if one.kind == "backward" and held & {leaf.first for leaf, *_ in one.accumulations}
    ]
    places = {run.span(one.place) for one in turns}
    if len(turns) < 2 or len(places) != 1 or held & written:
        return
    place = next(iter(places))
    statement = run.statement_at(place)
    text = f"{name}.step()"
    fix = run.fix(line_after(run.case, statement, text), f"`{text}`", f"`{text}`") if statement is not None else None
    yield NO_STEP.note(place, (), fix, name=name)


def made_anew(run: Record) -> Iterator[Note]:
    """``optimizer = Adam(model.parameters())`` in the loop of the steps, whose model stands before it."""
    for loop in run.case.nodes(ast.For):
        for statement in loop.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[given, *_]) as call):
                    kind = run.case.text(call.func).rpartition(".")[2]
                case _:
                    continue
            state = "exp_avg" if kind.startswith("Adam") or kind.endswith("Adam") else _STATES.get(kind)
            inside = {one.id for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
            used = {one.id for one in ast.walk(given) if isinstance(one, ast.Name)}
            if state is None or used & (inside - {name}) or not _steps_once(run, loop, name):
                continue
            fix = run.fix(moved_before(run.case, statement, loop), "Before the loop", "移到循环之前")
            yield MADE_ANEW.note(run.program.span_of(call), (), fix, call=run.case.text(call.func), state=f"`{state}`")


def _steps_once(run: Record, loop: ast.For, name: str) -> bool:
    """Whether an optimizer took one step in each of several turns of a loop."""
    calls = [
        one
        for one in run.case.nodes(ast.Call)
        if ast.unparse(one.func) == f"{name}.step" and run.case.enclosing(one, ast.For) is loop
    ]
    span = run.program.span_of(calls[0]) if len(calls) == 1 else None
    return sum(run.span(step.place) == span for step in run.steps) > 2 if span is not None else False


def penalty(run: Record) -> Iterator[Note]:
    """``loss + 0.1 * sum(p.pow(2).sum().item() for p in model.parameters())``."""
    if "item()" not in run.program.source and "detach()" not in run.program.source:
        return
    parts = [part for term in _terms(run) for part in ast.walk(term)]
    parts += [part for value in _named_by(run, parts) for part in ast.walk(value)]
    for cut in run.case.nodes(ast.Call):
        statement = run.case.statement(cut)
        if not isinstance(cut.func, ast.Attribute) or cut.func.attr not in ("item", "detach") or cut.args:
            continue
        if not isinstance(statement, ast.Assign | ast.AugAssign | ast.Return) or not _is_of_parameters(
            run, statement, cut.func.value
        ):
            continue
        names = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        names = set() if isinstance(statement, ast.Return) else names
        if _is_added(run, cut, names, parts):
            words = f"Without `.{cut.func.attr}()`", f"去掉 `.{cut.func.attr}()`"
            text = " ".join(run.case.text(cut).split())
            fix = run.fix(run.case.without_tail(cut), *words)
            yield PENALTY.note(run.program.span_of(cut), (), fix, text=text, cut=f".{cut.func.attr}()")


def _is_added(run: Record, cut: ast.Call, names: set[str], parts: list[ast.AST]) -> bool:
    """Whether a number is added to a loss: there itself, under its name, or as what a function or a method gives back."""
    function, statement = run.case.enclosing(cut, ast.FunctionDef), run.case.statement(cut)
    if function is not None:
        back = function.body[-1]
        value = back.value if isinstance(back, ast.Return) else None
        given = statement is back or any(isinstance(one, ast.Name) and one.id in names for one in _scaled(value))
        if given and any(isinstance(one, ast.Call) and called(one) == function.name for one in parts):
            return True
    return any(part is cut or (isinstance(part, ast.Name) and part.id in names) for part in parts)


def _scaled(value: ast.expr | None) -> Iterator[ast.expr]:
    """What is given back, and the factors of a product."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult | ast.Div):
        yield from (*_scaled(value.left), *_scaled(value.right))
    elif value is not None:
        yield value


def _named_by(run: Record, parts: list[ast.AST]) -> Iterator[ast.expr]:
    """What the names in some terms were given, where it is computed by one call alone, or as a multiple of it."""
    names = {(part.id, run.case.enclosing(part, ast.FunctionDef)) for part in parts if isinstance(part, ast.Name)}
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() | ast.BinOp(op=ast.Mult()) as value) if (
                name,
                run.case.enclosing(statement, ast.FunctionDef),
            ) in names:
                yield value


def _terms(run: Record) -> Iterator[ast.expr]:
    """What is added up to the losses that passes began at."""
    places = {run.span(made.place) for made in run.passes[:_MOST] if made.kind == "backward" and made.accumulations}
    begun = [
        call.func.value
        for place in places
        if (call := run.call_at(place)) is not None and isinstance(call.func, ast.Attribute)
    ]
    losses = {one.id for one in begun if isinstance(one, ast.Name)}
    for one in begun:
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add):
            yield from (one.left, one.right)
    yield from _given_back(run, losses)
    for statement in run.case.nodes(ast.stmt):
        match statement:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value) if name in losses:
                yield value
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(op=ast.Add()) as value) if name in losses:
                yield from (value.left, value.right)


def _given_back(run: Record, losses: set[str]) -> Iterator[ast.expr]:
    """The sums that functions give back which a loss is the result of."""
    makers = {
        called(one.value)
        for one in run.case.nodes(ast.Assign)
        if isinstance(one.value, ast.Call) and any(getattr(each, "id", "") in losses for each in one.targets)
    }
    for back in run.case.nodes(ast.Return):
        function = run.case.enclosing(back, ast.FunctionDef)
        match back.value:
            case ast.BinOp(left=left, op=ast.Add(), right=right) if function is not None and function.name in makers:
                yield from (left, right)


def _is_of_parameters(run: Record, term: ast.AST, operand: ast.expr) -> bool:
    """Whether a number is taken of parameters, or of a variable of a loop over them."""
    over = {
        part.target.id
        for part in ast.walk(term)
        if isinstance(part, ast.comprehension)
        and isinstance(part.target, ast.Name)
        and "parameters()" in ast.unparse(part.iter)
    }
    loop = run.case.enclosing(term, ast.For)
    if loop is not None and "parameters()" in ast.unparse(loop.iter):
        over |= {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
    names = {one.id for one in ast.walk(operand) if isinstance(one, ast.Name)}
    leaves = {
        name
        for name in names
        if isinstance(held := run.namespace.get(name), Tensor) and held.requires_grad and held.is_leaf
    }
    calls = {
        one.func.attr for one in ast.walk(operand) if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)
    }
    return bool(calls & {"pow", "norm", "abs", "square", "sum"}) and bool(names & over or (leaves and names <= leaves))


def behind_numbers(run: Record) -> Iterator[Note]:
    """``torch.tensor(h.tolist())`` inside of ``forward``."""
    for call in run.case.nodes(ast.Call):
        method, owner = run.case.enclosing(call, ast.FunctionDef), run.case.enclosing(call, ast.ClassDef)
        name = getattr(call.func, "attr", "")
        if (
            method is None
            or owner is None
            or method.name != "forward"
            or name not in ("tensor", "as_tensor", "from_numpy")
            or not call.args
        ):
            continue
        inner = next((one for one in ast.walk(call.args[0]) if takes_numbers(one)), None)
        if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Attribute):
            continue
        lost = [entry for entry in _parameters_of(run, owner.name) if entry not in run.reached]
        if not lost or not run.reached or not any(run.consumers.get(entry) for entry in lost):
            continue
        text = run.case.text(call)
        whole = call.args[0] is inner
        fix = (_kept(run, call, inner.func.value) if whole else None) or of_tensors(run, call)
        yield cut_off(
            run, run.program.span_of(call), lost, fix, f"`{' '.join(text.split())}`", _computed(run, call, inner, fix)
        )


def _computed(run: Record, call: ast.Call, inner: ast.Call, fix: Fix | None) -> Text | None:
    """That what NumPy computes in between is to be computed with tensors; None where nothing is computed."""
    if call.args[0] is inner:
        return None
    span = run.program.span_of(call)
    meant = apply_edits(run.program.source, fix.edits, span) if fix is not None and span is not None else ""
    shown = f": `{' '.join(meant.split())}`" if meant else ""
    return Text(
        f"If it is to learn, compute this with the tensors themselves, without `.detach()` and NumPy{shown}.",
        f"如果要训练它，请直接用张量计算，不用 `.detach()` 和 NumPy{shown.replace(': ', '：')}。",
    )


def takes_numbers(node: ast.AST) -> bool:
    """``t.item()`` and its like: what is computed of that has no graph."""
    match node:
        case ast.Call(func=ast.Attribute(attr="item" | "tolist" | "numpy")):
            return True
    return False


def _parameters_of(run: Record, kind: str) -> list[TensorEntry]:
    """The parameters of the modules of a class that have a name at the end."""
    found = [value for value in run.held() if type(value).__name__ == kind]
    return [
        p._entry.first
        for one in found
        for _, own in modules_in(one)
        for p in parameters_in(own)
        if p._entry is not None
    ]


def _kept(run: Record, call: ast.Call, operand: ast.expr) -> Fix | None:
    """The tensor itself; a line that then says nothing is taken out."""
    words = "Keep the tensor", "保留张量"
    statement = run.case.statement(call)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call and ast.unparse(operand) == name:
            return run.fix(without_line(run.case, statement), *words)
    return run.fix(run.case.replace(call, run.case.text(operand)), *words)


TRAPS: Final = (left_out, never_steps, made_anew, penalty, behind_numbers)
