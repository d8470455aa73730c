"""Traps of signs and weights: what is to grow and is made smaller, averages that forget at once, layers that begin alike."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.proven.trails import behind
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of
from gradflow.engine.recording.entries import PassEntry, TensorEntry
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note, Text

DIVERGENCE_SIGN: Final = Trap(
    "divergence-made-larger",
    "`{text}` is the divergence with the sign turned: it is never above 0, and a step that makes the loss smaller makes the divergence larger. Turn the sign: `{meant}`.",
    "`{text}` 是变了号的散度：它永远不大于 0，让损失变小的更新会让散度变大。请改变符号：`{meant}`。",
)
PROBABILITY_SIGN: Final = Trap(
    "log-probability-made-smaller",
    "The step makes the loss smaller, and the log-probabilities {what} stand in it with a plus: {outcome} Put a minus sign before them.",
    "更新会让损失变小，而{what}的对数概率带着正号：{outcome}请在前面加上负号。",
)
FORGETS: Final = Trap(
    "average-forgets-at-once",
    "`{text}` keeps {kept:g} of the old value and takes {taken:g} of the new one, so after one call hardly anything of the average is left. The two weights are"
    " exchanged: `{meant}`.",
    "`{text}` 只保留旧值的 {kept:g}，而取新值的 {taken:g}，所以调用一次之后平均里几乎什么也不剩。两个权重写反了：`{meant}`。",
)
COLUMNS_ALIKE: Final = Trap(
    "hidden-units-alike",
    "{name} begins with the same number everywhere, and after {steps} steps its {units} units are still the same: all of them compute one number, and get one gradient. Begin"
    " with random numbers, as `torch.randn(...) * 0.1`.",
    "{name} 的初始值处处相同，{steps} 步之后它的 {units} 个单元仍然完全一样：它们算的是同一个数，得到同一个梯度。请从随机数开始，例如 `torch.randn(...) * 0.1`。",
)
_REWARDS: Final = re.compile(r"^(r|g|ret|rets)$|reward|return|adv|gain|delta", re.IGNORECASE)


def divergences(run: Record) -> Iterator[Note]:
    """``kl = 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())``, added to the loss."""
    if "exp" not in run.program.source or not run.steps:
        return
    for node in run.case.nodes(ast.BinOp):
        scale = log_variance(run, node)
        span = run.program.span_of(node)
        if not scale or (
            isinstance(run.case.parents.get(node), ast.BinOp) and log_variance(run, run.case.parents[node])
        ):
            continue
        made = [one for one in run.recorder.entries if run.span(one.place) == span and one.requires_grad]
        statement = run.case.statement(node)
        if made and _grows(run, made[-1]) == -scale and not _is_divergence(run, statement):
            fix, meant = _turned(run, statement)
            text = " ".join(run.case.text(statement).split()) if statement is not None else ""
            yield DIVERGENCE_SIGN.note(
                run.program.span_of(statement) if statement else span, made[-1:], fix, text=text, meant=meant
            )
            return


def _is_divergence(run: Record, statement: ast.stmt | None) -> bool:
    """Whether a statement gives the divergence alone, as it is: never below 0. Past a bound a loss may well make it larger."""
    value = statement.value if isinstance(statement, ast.Assign | ast.Return) else None
    if value is None or (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub)):
        return False
    span = run.program.span_of(value)
    made = [one.array for one in run.recorder.entries if run.span(one.place) == span]
    return bool(made) and all((each >= 0).all() for each in made)


def log_variance(run: Record, node: ast.AST) -> int:
    """Whether terms are those of a divergence: -1 for ``1 + L - M**2 - exp(L)``, 1 with all signs turned."""
    signs: dict[str, int] = {}
    for sign, term in _terms(node, 1):
        text = ast.unparse(term)
        signs[text] = sign
    for text, sign in signs.items():
        grown = [other for other in signs if other in (f"torch.exp({text})", f"{text}.exp()")]
        if grown and signs[grown[0]] == -sign and len(signs) == 4 and "1" in signs and signs["1"] == sign:
            squares = [other for other in signs if "pow(2)" in other or "** 2" in other or "square" in other]
            return -sign if squares and signs[squares[0]] == -sign else 0
    return 0


def _terms(node: ast.AST, sign: int) -> Iterator[tuple[int, ast.expr]]:
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _terms(left, sign)
            yield from _terms(right, sign)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            yield from _terms(left, sign)
            yield from _terms(right, -sign)
        case ast.expr():
            yield sign, node


def _grows(run: Record, entry: TensorEntry) -> int:
    """1 where a step makes a tensor smaller, for its gradient is above 0 everywhere; -1 where it makes it larger."""
    grad = next((found for one in reversed(run.passes) if (found := _gradient(one, entry)) is not None), None)
    if grad is None or not grad.any():
        return 0
    return 1 if (grad >= 0).all() else -1 if (grad <= 0).all() else 0


def _gradient(one: PassEntry, entry: TensorEntry) -> np.ndarray | None:
    found = one.gradients.get(entry)
    return None if found is None else np.asarray(found)


def _turned(run: Record, statement: ast.stmt | None) -> tuple[Fix | None, str]:
    match statement:
        case ast.Assign(value=ast.BinOp(left=ast.Constant() as number) as value):
            text = " ".join(f"-{run.case.text(value)}".split())
            return run.fix(run.case.before(number, "-"), f"`{text}`", f"`{text}`"), text
        case ast.Assign(value=ast.BinOp(left=ast.UnaryOp(op=ast.USub(), operand=number)) as value):
            text = run.case.text(value).replace("-", "", 1)
            return run.fix(run.case.replace(value, text), f"`{text}`", f"`{text}`"), text
        case ast.Assign(value=value):
            return None, f"-({run.case.text(value)})"
    return None, "-..."


def probabilities(run: Record) -> Iterator[Note]:
    """``(dist.log_prob(action) * reward).mean()``, ``dist.log_prob(data).mean()``, made smaller."""
    if ".log_prob(" not in run.program.source or not run.steps or "maximize" in run.program.source:
        return
    for call in run.case.nodes(ast.Call):
        if called(call) != "log_prob" or len(call.args) != 1:
            continue
        span = run.program.span_of(call)
        made = [one for one in run.recorder.entries if run.span(one.place) == span and one.requires_grad]
        found = _wrong_sign(run, made[-1], _of_data(run, call.args[0], made[-1])) if made else None
        if found is not None:
            what, what_zh, outcome, outcome_zh = _WORDS[found]
            words = {"what": Text(what, what_zh), "outcome": Text(outcome, outcome_zh)}
            yield PROBABILITY_SIGN.note(span, made[-1:], _negated(run, call), **words)


_WORDS: Final = {
    "data": (
        "of the data",
        "数据",
        "the data become less and less likely.",
        "数据会变得越来越不可能。",
    ),
    "reward": (
        "of what brings a reward",
        "带来奖励的动作",
        "what is rewarded is done less and less.",
        "得到奖励的动作会越来越少。",
    ),
}


def _of_data(run: Record, node: ast.expr, entry: TensorEntry) -> bool:
    """Whether an argument is data of the program, and was not drawn from a distribution."""
    held = run.case.value(node)
    name = node.id if isinstance(node, ast.Name) else ""
    known = [one for one in run.recorder.entries if name and name in one.first.names]
    plain = bool(known) and not known[-1].requires_grad and "sample" not in _maker(run, name)
    return plain and (isinstance(held, Tensor) or bool(known)) and entry.array.size > 1


def _maker(run: Record, name: str) -> str:
    made = run.case_at_end.assignment(name)
    return run.case.text(made) if made is not None else ""


def _wrong_sign(run: Record, entry: TensorEntry, data: bool) -> str | None:
    """Whether a step makes log-probabilities of data smaller, or those of what has rewards in proportion to them."""
    for one in reversed(run.passes):
        grad = _gradient(one, entry)
        if grad is None or not grad.any():
            continue
        for reader in run.consumers.get(entry.first, ()):
            others = [each for each in reader.inputs if each.first is not entry.first]
            if len(reader.inputs) == 2 and others and is_call_of(reader, "mul"):
                weights = others[0]
                named = any(map(_REWARDS.search, _names(weights))) and not weights.requires_grad
                return "reward" if named and (np.sign(grad) == np.sign(weights.array)).all() else None
        return "data" if data and (grad > 0).all() and _is_alone(one, entry) else None
    return None


def _names(entry: TensorEntry) -> list[str]:
    """The names of a tensor; of one that was cut off those of what it was."""
    node = entry.first.node
    cut = node is not None and is_call_of(node, "detach data")
    return [*entry.first.names, *(node.inputs[0].first.names if node is not None and cut else ())]


def _is_alone(one: PassEntry, entry: TensorEntry) -> bool:
    """Whether a loss is nothing but these log-probabilities, added up or averaged."""
    if not one.roots:
        return False
    later = [each for each in behind(one.roots[0][0], 12) if each.first.number > entry.first.number]
    return all(node is None or is_call_of(node, _GATHERING) for each in later for node in [each.first.node])


_GATHERING: Final = "mean_all sum_all mean_dim sum_dim div_scalar div mul mul_scalar"


def _negated(run: Record, call: ast.Call) -> Fix | None:
    """A minus sign before the statement's value."""
    statement = run.case.statement(call)
    if not isinstance(statement, ast.Assign):
        return None
    value = statement.value
    if isinstance(value, ast.Call) and run.case.text(value).startswith(("(", "torch.", run.case.text(call.func))):
        return run.fix(run.case.before(value, "-"), "Put a minus sign before it", "在前面加上负号")
    return None


# -- averages and beginnings -------------------------------------------------------------------------------------------


def forgets(run: Record) -> Iterator[Note]:
    """``target.data.copy_(tau * target.data + (1 - tau) * p.data)`` with ``tau = 0.005``."""
    for node in run.case.nodes(ast.AST):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="copy_"), args=[ast.BinOp(op=ast.Add()) as value]):
                pass
            case ast.Assign(targets=[ast.Attribute(value=owner, attr="data")], value=ast.BinOp(op=ast.Add()) as value):
                pass
            case _:
                continue
        first, second = _weighted(run, value.left), _weighted(run, value.right)
        if first is None or second is None or abs(first[0] + second[0] - 1) > 1e-6:
            continue
        own = _bare(run.case.text(owner))
        kept, taken = (first, second) if _bare(run.case.text(first[1])) == own else (second, first)
        if _bare(run.case.text(kept[1])) != own or not 0 < kept[0] < 0.25 or not run.steps:
            continue
        exchanged = {id(first[1]): run.case.text(second[1]), id(second[1]): run.case.text(first[1])}
        edits = [edit for one in (first[1], second[1]) for edit in run.case.replace(one, exchanged[id(one)])]
        numbers = [
            f"({run.case.text(one)})" if isinstance(one, ast.BinOp) else run.case.text(one)
            for one in (first[2], second[2])
        ]
        meant = f"{numbers[0]} * {exchanged[id(first[1])]} + {numbers[1]} * {exchanged[id(second[1])]}"
        fix = run.fix(edits, "Exchange the weights", "交换两个权重")
        yield FORGETS.note(
            run.program.span_of(node),
            (),
            fix,
            text=" ".join(run.case.text(value).split()),
            kept=kept[0],
            taken=taken[0],
            meant=meant,
        )


def _bare(text: str) -> str:
    return text.removesuffix(".data").removesuffix(".detach()")


def _weighted(run: Record, node: ast.expr) -> tuple[float, ast.expr, ast.expr] | None:
    """A number, and what it weighs, with its text: of ``tau * p.data``."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            for number, held in ((left, right), (right, left)):
                value = _number(run, number)
                if value is not None:
                    return value, held, number
    return None


def _number(run: Record, node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.Name(id=name):
            held = run.namespace.get(name)
            if held is None:
                defaults = [
                    default
                    for one in run.case.nodes(ast.FunctionDef)
                    for argument, default in zip(one.args.args[::-1], one.args.defaults[::-1], strict=False)
                    if argument.arg == name
                ]
                return _number(run, defaults[0]) if len(defaults) == 1 else None
            return float(held) if type(held) in (int, float) else None  # type: ignore[arg-type]  # none of the program's own
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            a, b = _number(run, left), _number(run, right)
            return None if a is None or b is None else a - b
    return None


def columns_alike(run: Record) -> Iterator[Note]:
    """``W1 = torch.zeros(3, 5, requires_grad=True)`` in front of another matrix."""
    moved = run.moved
    matrices = [one for one in moved if one.array.ndim == 2 and min(one.array.shape) > 1]
    others = [one for one in moved if one.array.ndim == 2]
    for entry in matrices:
        begun, now = entry.array, entry.tensor._a
        if len(others) < 2 or moved[entry] < 2 or np.ptp(begun) or np.ptp(now, axis=1).any() or entry.node is not None:
            continue
        if entry is others[-1] or run.call_at(run.span(entry.place)) is None or not _is_multiplied(run, entry):
            continue
        yield COLUMNS_ALIKE.note(
            run.span(entry.place), [entry], None, name=run.name(entry), steps=moved[entry], units=now.shape[1]
        )


def _is_multiplied(run: Record, entry: TensorEntry) -> bool:
    """Whether something is multiplied by the matrix: a table has no units."""
    return any(is_call_of(one, "mm addmm bmm baddbmm t transpose mv") for one in run.consumers.get(entry.first, ()))


TRAPS: Final = (divergences, probabilities, forgets, columns_alike)
