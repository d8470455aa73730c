"""Traps of what optimizers, schedules and modules hold: parameters that no optimizer has, schedules that nobody steps, flags that nobody reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.edits import moved_before, optimizer_kinds
from gradflow.engine.diagnosis.traps.record import (
    Record,
    Trap,
    attributes_of,
    children_of,
    is_to_stay,
    modules_in,
    parameters_in,
)
from gradflow.engine.diagnosis.traps.unmoved import left_out as behind_others
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.recording.optimizer_steps import tensors_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note, Text

NO_OPTIMIZER: Final = Trap(
    "parameter-without-optimizer",
    "{names}: gets a gradient in every one of {count} passes, and no optimizer holds it, so it keeps the values that it began with. Give it to the optimizer, or say"
    " `requires_grad_(False)` if it is to stay.",
    "{names}：{count} 次反向传播每次都得到梯度，但没有优化器保存它，所以一直是初始值。请把它交给优化器；如果不打算训练它，请写 `requires_grad_(False)`。",
)
GIVEN_TWICE: Final = Trap(
    "optimizer-of-other-module",
    "`{first}` (line {line}) and `{second}` both hold the parameters of `{owner}`, and no optimizer holds those of `{left}`: they got gradients in {count} passes and"
    " never moved. {do}",
    "`{first}`（第 {line} 行）和 `{second}` 保存的都是 `{owner}` 的参数，而没有优化器保存 `{left}` 的参数：它们在 {count} 次反向传播中得到了梯度，却从未更新。{do}",
)
THAWED: Final = Trap(
    "unfrozen-without-optimizer",
    "{names}: may get gradients from this line on, but the optimizer was made before, of what could be trained then, and does not hold it: it is never moved. Add it:"
    " `optimizer.add_param_group(...)`.",
    "{names}：从这一行起可以得到梯度，但优化器是在此之前用当时可训练的参数创建的，里面没有它：它永远不会被更新。请加进去：`optimizer.add_param_group(...)`。",
)
FLAG_OF_MODULE: Final = Trap(
    "flag-of-module",
    "A module has no `{name}` that anybody reads: `{text}` only gives it a new attribute, and its parameters stay as they are. Write `{meant}`, which goes through"
    " all of them.",
    "模块没有会被读取的 `{name}`：`{text}` 只是给它加了一个新属性，它的参数没有变化。请写 `{meant}`，它会作用到所有参数。",
)
WEIGHTS_ANEW: Final = Trap(
    "weights-made-in-forward",
    "`{text}` makes new weights every time `forward` runs: they get a gradient once, nobody keeps them, and no optimizer knows them. Make them once, in `__init__`:"
    " `self.name = nn.Parameter(...)`.",
    "`{text}` 每次运行 `forward` 都会创建新的权重：它们只得到一次梯度，没有人保存，优化器也不知道。请在 `__init__` 里只创建一次：`self.name = nn.Parameter(...)`。",
)
LEAF_REPLACED: Final = Trap(
    "optimizer-holds-old-tensor",
    "`{text}` gives the name `{name}` a new tensor, and the optimizer still holds the old one: from here on its steps move nothing that is used. Write into the"
    " parameter, under `no_grad`.",
    "`{text}` 让名字 `{name}` 指向一个新张量，而优化器保存的仍是旧的：从这里起它的更新不再影响任何被使用的东西。请在 `no_grad` 下就地写入这个参数。",
)
TOO_LATE: Final = Trap(
    "requires-grad-set-too-late",
    "{name} requires gradients from this line on, but what the loss uses was computed from it before (line {line}), when it did not: no graph leads back to it, and its"
    " `.grad` stays None. Move this line in front of that.",
    "{name} 从这一行起才需要梯度，而损失所用的结果在此之前（第 {line} 行）就已由它算出，那时它还不需要：没有计算图通向它，`.grad` 一直是 None。请把这一行移到那之前。",
)
_FEWEST: Final = 2
_OF_ALL: Final = frozenset(
    {"opt", "optim", "optimizer", "optimiser", "net", "network", "model", "adam", "sgd", "solver"}
)
_ON_PURPOSE: Final = re.compile(
    r"pretrain|froze|freez|fixed|fine.?tun|transfer|extractor|feature|backbone|vgg|resnet|reservoir|random proj|teacher|attack|advers|style",
    re.IGNORECASE,
)


# -- parameters --------------------------------------------------------------------------------------------------------


def without_optimizer(run: Record) -> Iterator[Note]:
    """``Adam(decoder.parameters())``, where the loss goes through an encoder, too; a parameter that stands alone."""
    if (
        len(run.steps) < _FEWEST
        or _ON_PURPOSE.search(run.program.source)
        or ".grad" in run.program.source.replace("zero_grad", "")
    ):
        return
    if next(behind_others(run), None) is not None or "load_state_dict" in run.program.source:
        return
    held = _held(run)
    reached = _reached_often(run)
    for name, value in run.named():
        own = _whole(value)
        if not own or is_to_stay(name) or any(one in held or one not in reached for one in own):
            continue
        if _is_written(run, own) or _inside_other(run, name, own):
            continue
        place = optimizer_call(run)
        count = min(reached[one] for one in own)
        yield NO_OPTIMIZER.note(
            run.program.span_of(place) if place else None,
            own,
            _given(run, place, name, value),
            names=f"`{name}`",
            count=count,
        )


@dataclass(frozen=True)
class _Maker:
    """``name = call(owner.parameters())``."""

    name: ast.expr
    call: ast.Call
    owner: ast.expr


def given_twice(run: Record) -> Iterator[Note]:
    """``opt_d = Adam(G.parameters())`` beside ``opt_g = Adam(G.parameters())``, where nothing moves ``D``."""
    if len(run.steps) < _FEWEST:
        return
    held, reached = _held(run), _reached_often(run)
    for makers in _makers_alike(run):
        left = {}
        for text, value in _modules_beside(run, makers[0].owner):
            own = _whole(value)
            unmoved = own and all(one in reached and one not in held for one in own)
            if unmoved and not is_to_stay(text.rpartition(".")[2]) and not _is_written(run, own):
                left[text] = own
        if len(left) == 1:
            yield _given_other(run, makers, *next(iter(left.items())), reached)


def _makers_alike(run: Record) -> Iterator[list[_Maker]]:
    """Pairs of optimizers of one kind that are made of the parameters of one module."""
    groups: dict[tuple[object, ...], list[_Maker]] = {}
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as name], value=ast.Call(args=[given, *_]) as call):
                owners = [owner for one in ast.walk(given) if (owner := _owner(one)) is not None]
            case _:
                continue
        if len(owners) == 1 and called(call) in optimizer_kinds():
            place = run.case.enclosing(statement, ast.FunctionDef)
            key = (place, run.case.text(owners[0]), called(call))
            groups.setdefault(key, []).append(_Maker(name, call, owners[0]))
    for made in groups.values():
        if len({run.case.text(one.name) for one in made}) == len(made) == _FEWEST:
            yield made


def _owner(node: ast.AST) -> ast.expr | None:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute() as owner, attr="parameters")):
            return owner
    return None


def _modules_beside(run: Record, owner: ast.expr) -> Iterator[tuple[str, object]]:
    """The modules that have names like that of another: globals, or attributes of the same object."""
    if isinstance(owner, ast.Name):
        yield from ((name, one) for name, one in run.named() if not isinstance(one, Parameter))
    elif isinstance(owner, ast.Attribute):
        for held in run.held():
            own = {**attributes_of(held), **children_of(attributes_of(held))}
            if owner.attr in own and type(held).__module__ != "builtins":
                yield from ((f"{run.case.text(owner.value)}.{name}", one) for name, one in own.items())


def _given_other(
    run: Record, makers: list[_Maker], left: str, own: list[TensorEntry], reached: dict[TensorEntry, int]
) -> Note:
    named = [one for one in makers if _words_of(run.case.text(one.name)) & _words_of(left)]
    wrong = named[0] if len(named) == 1 else makers[-1]
    other = next(one for one in makers if one is not wrong)
    text = f"{left}.parameters()"
    name, owner = run.case.text(wrong.name), run.case.text(wrong.owner)
    do = Text(f"Give `{name}` those: `{text}`.", f"请把它们交给 `{name}`：`{text}`。")
    return GIVEN_TWICE.note(
        run.program.span_of(wrong.call),
        own,
        run.fix(run.case.replace(wrong.owner, left), f"`{text}`", f"`{text}`") if len(named) == 1 else None,
        first=run.case.text(other.name),
        line=other.call.lineno,
        second=name,
        owner=owner,
        left=left,
        count=min(reached[one] for one in own),
        do=do if len(named) == 1 else Text("Give them to one of the two.", "请把它们交给两者之一。"),
    )


def _words_of(name: str) -> set[str]:
    """The first letters of the words of a name that tell what it is of: ``d`` of ``optimizerD`` and of ``self.disc``."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name.rpartition(".")[2])
    return {one[0].lower() for one in words if one.lower() not in _OF_ALL}


def _whole(value: object) -> list[TensorEntry]:
    """A parameter that stands alone, or all parameters of a module."""
    if isinstance(value, Parameter):
        return [value._entry.first] if value._entry is not None and value.requires_grad else []
    return [
        p._entry.first
        for _, part in modules_in(value)
        for p in parameters_in(part)
        if p._entry is not None and p.requires_grad
    ]


def _held(run: Record) -> set[TensorEntry]:
    held = {*run.moved, *run.idle}
    for value in run.held():
        if isinstance(value, Optimizer):
            held |= {p._entry.first for group in value.param_groups for p in tensors_of(group) if p._entry is not None}
    return held


def _reached_often(run: Record) -> dict[TensorEntry, int]:
    """The leaves of several passes that moved others, with the number of passes."""
    found: dict[TensorEntry, int] = {}
    for one in run.passes:
        for entry, *_ in one.accumulations:
            found[entry.first] = found.get(entry.first, 0) + 1
    return {entry: count for entry, count in found.items() if count >= _FEWEST}


def _is_written(run: Record, own: list[TensorEntry]) -> bool:
    written = {entry.first for event in run.events() if event.kind == "write" for entry in event.tensors()}
    return any(one in written for one in own)


def _inside_other(run: Record, name: str, own: list[TensorEntry]) -> bool:
    """Whether parameters are those of a larger module, too, of which others are trained: which are is a choice then."""
    for other, value in run.named():
        more = _whole(value) if other != name else []
        if set(own) < set(more):
            return True
    return False


def optimizer_call(run: Record) -> ast.Call | None:
    """The only call that makes an optimizer."""
    made = [
        one.value
        for one in run.case.nodes(ast.Assign)
        if isinstance(one.value, ast.Call)
        and isinstance(one.targets[0], ast.Name)
        and isinstance(run.namespace.get(one.targets[0].id), Optimizer)
    ]
    return made[0] if len(made) == 1 else None


def _given(run: Record, call: ast.Call | None, name: str, value: object) -> Fix | None:
    if call is None or not call.args:
        return None
    added = name if isinstance(value, Parameter) else f"*{name}.parameters()"
    match call.args[0]:
        case ast.List(elts=[*_, last]):
            return run.fix(run.case.after(last, f", {added}"), f"`{added}`", f"`{added}`")
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="parameters")) as given:
            text = f"[*{run.case.text(given)}, {added}]"
            return run.fix(run.case.replace(given, text), f"`{text}`", f"`{text}`")
        case ast.Call(func=ast.Attribute(value=ast.Call() as other, attr="parameters")) if not isinstance(
            value, Parameter
        ):
            return run.fix(run.case.replace(other, name), f"`{name}`", f"`{name}`")
    return None


def thawed(run: Record) -> Iterator[Note]:
    """``p.requires_grad = True`` for what the optimizer was not given."""
    held, first = _held(run), next(iter(run.steps), None)
    if first is None or "requires_grad" not in run.program.source:
        return
    late: dict[object, list[TensorEntry]] = {}
    for event in run.events():
        if event.kind == "mark" and event.nodes >= first.nodes:
            for entry in event.tensors():
                if entry.tensor.requires_grad and isinstance(entry.tensor, Parameter) and entry.first not in held:
                    late.setdefault(event.place, []).append(entry.first)
    for place, entries in late.items():
        own = [one for one in dict.fromkeys(entries) if one in run.reached]
        if own and not _is_written(run, own):
            yield THAWED.note(run.span(place), own, None, names=run.names(own))  # type: ignore[arg-type]  # a place in the program


def flags(run: Record) -> Iterator[Note]:
    """``backbone.requires_grad = False``, at the top, in ``__init__`` or in a function that freezes what it is given."""
    for place, name in run.recorder.modules.flagged.items():
        statement = run.statement_at(run.span(place))
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(value=owner) as target], value=ast.Constant(value=bool() as value)
            ) if not _is_read(run, run.case.text(target)):
                meant = f"{run.case.text(owner)}.requires_grad_({value})"
            case _:
                continue
        fix = run.fix(run.case.replace(statement, meant), f"`{meant}`", f"`{meant}`")
        yield FLAG_OF_MODULE.note(
            run.program.span_of(statement), (), fix, name=name, text=run.case.text(statement), meant=meant
        )


def _is_read(run: Record, attribute: str) -> bool:
    """Whether the program asks for an attribute somewhere, which then is one of its own."""
    return any(
        isinstance(one.ctx, ast.Load) and run.case.text(one) == attribute for one in run.case.nodes(ast.Attribute)
    )


def replaced(run: Record) -> Iterator[Note]:
    """``w = w.detach().requires_grad_()`` behind ``SGD([w])``."""
    held = {one.first: one for one in _held(run)}
    call = optimizer_call(run)
    given = call.args[0] if call is not None and call.args else None
    if call is None or not isinstance(given, ast.List) or len(run.steps) < _FEWEST:
        return
    for element in given.elts:
        name = element.id if isinstance(element, ast.Name) else ""
        now = run.namespace.get(name)
        if not isinstance(now, Tensor) or now._entry is None or now._entry.first in held or not now.requires_grad:
            continue
        for statement in run.case.nodes(ast.Assign):
            targets = [one.id for one in statement.targets if isinstance(one, ast.Name)]
            if (
                name in targets
                and statement.lineno > call.lineno
                and name in {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
            ):
                text = run.case.text(statement)
                yield LEAF_REPLACED.note(run.program.span_of(statement), [now._entry], None, text=text, name=name)
                return


def anew(run: Record) -> Iterator[Note]:
    """``w = torch.randn(2, 4, requires_grad=True)`` in ``forward``."""
    known = _held(run)
    groups: dict[object, list[TensorEntry]] = {}
    for entry in run.reached if run.steps else ():
        if entry.node is None and entry not in known and not isinstance(entry.tensor, Parameter):
            groups.setdefault(entry.place, []).append(entry)
    for place, entries in groups.items():
        span = run.span(place)  # type: ignore[arg-type]  # a place in the program
        call = run.call_at(span)
        method = run.case.enclosing(call, ast.FunctionDef) if call is not None else None
        if call is None or method is None or method.name != "forward" or len(entries) < _FEWEST:
            continue
        if called(call) in ("randn", "rand", "zeros", "ones", "empty", "normal"):
            yield WEIGHTS_ANEW.note(span, entries[:1], None, text=" ".join(run.case.text(call).split()))


def too_late(run: Record) -> Iterator[Note]:
    """``x.requires_grad_()`` behind the line that computes from ``x``."""
    if not any(one.complete for one in run.passes):
        return
    for event in run.events():
        if event.kind != "mark":
            continue
        for entry in event.tensors():
            used = run.consumers.get(entry.first, [])
            if not entry.tensor.requires_grad or entry.first in run.reached or not used or not entry.first.is_leaf:
                continue
            if all(node.number < event.nodes for node in used) and any(_goes_on(run, node) for node in used):
                span = run.span(event.place)
                yield TOO_LATE.note(
                    span,
                    [entry],
                    _sooner(run, event.place, used[0].place),
                    name=run.name(entry),
                    line=run.line(used[0].place),
                )


def _goes_on(run: Record, node: object) -> bool:
    outputs = node.outputs  # type: ignore[attr-defined]  # a function
    return any(one in run.ran_backward for out in outputs for one in run.consumers.get(out.first, ()))


def _sooner(run: Record, place: object, used: object) -> Fix | None:
    own, other = run.statement_at(run.span(place)), run.statement_at(run.span(used))  # type: ignore[arg-type]  # places in the program
    if own is None or other is None or run.case.parents.get(own) is not run.case.parents.get(other):
        return None
    return run.fix(moved_before(run.case, own, other), "Move it in front", "移到前面")


TRAPS: Final = (without_optimizer, given_twice, thawed, flags, replaced, anew, too_late)
