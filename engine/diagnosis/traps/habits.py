"""Traps of habits: results that are thrown away, attributes that nobody reads, numbers that are cut off, masks at the wrong step."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import UNKNOWN
from gradflow.engine.diagnosis.traps.edits import line_after
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Note

THROWN_AWAY: Final = Trap(
    "result-thrown-away",
    "`{text}` gives a new tensor and leaves `{owner}` as it is, and nothing keeps the result. Keep it, or write in place: `{meant}`.",
    "`{text}` 返回一个新张量，`{owner}` 本身不变，而结果没有保存。请保存结果，或者就地写入：`{meant}`。",
)
RATE_SET: Final = Trap(
    "rate-set-as-attribute",
    "`{text}` gives the optimizer a new attribute that nobody reads: it takes its learning rate from `param_groups`. Set it there, in every group:"
    " `{meant}`.",
    "`{text}` 只是给优化器加了一个没有人读的新属性：学习率来自 `param_groups`。请在每个组里设置：`{meant}`。",
)
PADDING_AVERAGED: Final = Trap(
    "mean-over-masked",
    "`{text}` divides by all places of the dimension, also by those that the mask sets to 0, so short rows come out too small. Divide the sum by"
    " the number of places that count: `{meant}`.",
    "`{text}` 除以这一维的全部位置数，也包括被掩码置 0 的位置，所以短的行结果偏小。请用和除以有效位置的个数：`{meant}`。",
)
VARIANCE_GIVEN: Final = Trap(
    "variance-as-scale",
    "The second parameter of `{kind}` is the standard deviation, and `{name}` is a variance by its name. Take the root: `{meant}`.",
    "`{kind}` 的第二个参数是标准差，而从名字看 `{name}` 是方差。请取平方根：`{meant}`。",
)
THRESHOLD: Final = Trap(
    "threshold-on-scores",
    "`{text}` compares scores, which can be any number, with 0.5, the threshold of probabilities; a score of 0 is the probability 0.5. Write"
    " `{meant}`.",
    "`{text}` 把得分（可以是任何数）与 0.5 比较，而 0.5 是概率的阈值；得分 0 对应概率 0.5。请写 `{meant}`。",
)
MASKED_LATE: Final = Trap(
    "masked-after-softmax",
    "The weights are multiplied by a mask after softmax, so they do not add up to 1 any more, and what is masked has still taken its share. Mask the"
    " scores before softmax: `masked_fill(mask == 0, float('-inf'))`.",
    "这些权重在 softmax 之后才乘上掩码，于是相加不再等于 1，被遮住的位置也已经占去了份额。请在 softmax 之前遮住得分：`masked_fill(mask == 0, float('-inf'))`。",
)
NO_PARAMETER: Final = Trap(
    "parameter-computed-with",
    "`{text}` computes with the parameter, and what `self.{name}` then holds is the result, a plain tensor: it is not among the parameters, and is"
    " neither trained nor saved. Compute first, and make the parameter of that: `{meant}`.",
    "`{text}` 对参数做了运算，`self.{name}` 保存的是结果，即普通张量：它不在参数之列，既不会被训练也不会被保存。请先计算，再由结果创建参数：`{meant}`。",
)
CUT_OFF: Final = Trap(
    "fraction-cut-off",
    "`{owner}` holds whole numbers (`{dtype}`), and writing {value:g} into it cuts the fraction off: {kept} is kept. Make it of floats: `{meant}`.",
    "`{owner}` 存的是整数（`{dtype}`），写入 {value:g} 时小数部分被截掉，只留下 {kept}。请创建成浮点数：`{meant}`。",
)
ENTROPY: Final = Trap(
    "entropy-made-smaller",
    "The entropy is added to the loss, and the optimizer makes a loss smaller: the choices become less and less random. To reward entropy subtract"
    " it: `{meant}`.",
    "熵被加进了损失，而优化器会让损失变小：选择会越来越不随机。要鼓励熵，请减去它：`{meant}`。",
)
ROW_OVERWRITTEN: Final = Trap(
    "padding-row-overwritten",
    "The row of `{name}` for padding was 0 until this line drew all rows anew, and it gets no gradient, so it stays random. Set it back:"
    " `{meant}`.",
    "`{name}` 里用于填充的那一行本来是 0，但这一行把所有行都重新取了随机数；它得不到梯度，会一直保持随机。请重新置零：`{meant}`。",
)
END_IGNORED: Final = Trap(
    "end-of-episode-ignored",
    "`{name}` says which steps end an episode, and nothing uses it: the value of the next state is added there, too, where there is none. Leave it"
    " out at the end: `{meant}`.",
    "`{name}` 说明哪些步是一局的结尾，却没有被使用：在没有下一状态的地方也加上了下一状态的价值。请在结尾处去掉它：`{meant}`。",
)
BACKWARD_HALF: Final = Trap(
    "last-step-of-both-directions",
    "`{name}` runs in both directions, and in `{text}` the half of the backward direction has seen the last step alone. Take the last states of both:"
    " `{meant}`.",
    "`{name}` 是双向的，而在 `{text}` 里，反方向的那一半只看过最后一步。请取两个方向的最后状态：`{meant}`。",
)

_PURE: Final = frozenset(
    {"clamp", "clip", "abs", "exp", "sigmoid", "tanh", "relu", "normal", "unsqueeze", "squeeze", "view", "reshape", "transpose", "permute"}
    | {"detach", "float", "long", "double", "contiguous", "masked_fill", "add", "sub", "mul", "div", "scatter", "scatter_add", "index_add", "fill"}
)
_IN_PLACE: Final = frozenset({"clamp", "clip", "abs", "exp", "sigmoid", "tanh", "relu", "masked_fill", "add", "sub", "mul", "div", "unsqueeze", "squeeze"})


def thrown_away(run: Record) -> Iterator[Note]:
    """``p.clamp(-1, 1)`` as a statement."""
    for statement in run.case.nodes(ast.Expr):
        match statement.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)) as call if name in _PURE:
                pass
            case _:
                continue
        if not isinstance(run.namespace.get(owner), Tensor) or run.case.enclosing(statement, ast.FunctionDef) is not None:
            continue
        loops = [one for one in run.case.nodes(ast.For) if owner in {n.id for n in ast.walk(one.target) if isinstance(n, ast.Name)}]
        if loops and name not in _IN_PLACE:
            continue
        text = run.case.text(call)
        meant = text.replace(f".{name}(", f".{name}_(", 1) if loops else f"{owner} = {text}"
        edits = run.case.replace(statement, meant)
        yield THROWN_AWAY.note(run.program.span_of(statement), (), run.fix(edits, f"`{meant}`", f"`{meant}`"), text=text, owner=owner, meant=meant)


def rates_set(run: Record) -> Iterator[Note]:
    """``optimizer.lr = 0.01``."""
    for statement in run.case.nodes(ast.Assign | ast.AugAssign):  # type: ignore[arg-type]  # isinstance takes a union
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        match target:
            case ast.Attribute(value=ast.Name(id=owner), attr="lr" | "learning_rate") if isinstance(run.namespace.get(owner), Optimizer):
                value = run.case.text(statement.value)
            case _:
                continue
        operation = "=" if isinstance(statement, ast.Assign) else f"{_SYMBOLS.get(type(statement.op), '')}="
        meant = f'for group in {owner}.param_groups: group["lr"] {operation} {value}'
        fix = run.fix(run.case.replace(statement, meant), '`group["lr"]`', '`group["lr"]`')
        yield RATE_SET.note(run.program.span_of(statement), (), fix, text=run.case.text(target), meant=meant)


_SYMBOLS: Final = {ast.Mult: "*", ast.Div: "/", ast.Add: "+", ast.Sub: "-"}


def padding_averaged(run: Record) -> Iterator[Note]:
    """``(h * mask).mean(dim=1)``."""
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(
                func=ast.Attribute(value=ast.BinOp(left=left, op=ast.Mult(), right=right), attr="mean"), args=args, keywords=keywords
            ) if len(args) + len(keywords) == 1:
                pass
            case _:
                continue
        masks = [one for one in (left, right) if "mask" in run.case.text(one).lower()]
        if len(masks) != 1:
            continue
        given = ", ".join(run.case.text(one) for one in (*args, *keywords))
        inner = run.case.text(call.func.value)
        mask = run.case.text(masks[0])
        own = mask if isinstance(masks[0], ast.Name | ast.Call | ast.Attribute) else f"({mask})"
        meant = f"({inner}).sum({given}) / {own}.sum({given})"
        fix = run.fix(run.case.replace(call, meant), f"`{meant}`", f"`{meant}`")
        yield PADDING_AVERAGED.note(run.program.span_of(call), (), fix, text=run.case.text(call), meant=meant)


_VARIANCE: Final = re.compile(r"(\w+_)?(var|variance|sigma2|sigma_sq|sigma_squared)(_\w+)?", re.IGNORECASE)


def variances_given(run: Record) -> Iterator[Note]:
    """``Normal(mu, var)``."""
    for call in run.case.nodes(ast.Call):
        kind = str(getattr(call.func, "attr", getattr(call.func, "id", "")))
        if kind not in ("Normal", "LogNormal") or len(call.args) < 2 or not isinstance(call.args[1], ast.Name):
            continue
        name = call.args[1].id
        if _VARIANCE.fullmatch(name) and "log" not in name.lower():
            meant = f"{name}.sqrt()" if isinstance(run.namespace.get(name), Tensor) else f"{name} ** 0.5"
            fix = run.fix(run.case.replace(call.args[1], meant), f"`{meant}`", f"`{meant}`")
            yield VARIANCE_GIVEN.note(run.program.span_of(call), (), fix, kind=kind, name=name, meant=meant)


def thresholds(run: Record) -> Iterator[Note]:
    """``logits > 0.5``."""
    for node in run.case.nodes(ast.Compare):
        match node:
            case ast.Compare(left=ast.Name(id=name) as left, ops=[ast.Gt() | ast.GtE()], comparators=[ast.Constant(value=0.5)]):
                pass
            case _:
                continue
        if "logit" in name.lower() and (isinstance(run.case.value(left), Tensor) or run.case.value(left) is UNKNOWN):
            meant = f"{name} > 0"
            fix = run.fix(run.case.replace(node, meant), f"`{meant}`", f"`{meant}`")
            yield THRESHOLD.note(run.program.span_of(node), (), fix, text=run.case.text(node), meant=meant)


def masked_late(run: Record) -> Iterator[Note]:
    """``softmax(scores) * mask`` in front of a product."""
    for node in run.calls("softmax_dim"):
        out = node.outputs[0]
        if out.array.ndim < 2:
            continue
        for reader in run.consumers.get(out.first, ()):
            if not is_call_of(reader, "mul") or len(reader.inputs) != 2:
                continue
            mask = next((one.array for one in reader.inputs if one.first is not out.first), None)
            result = reader.outputs[0]
            masks = mask is not None and mask.ndim >= 2 and mask.size > 1 and bool(np.isin(mask, (0, 1)).all()) and not mask.all()
            mixes = [
                one
                for one in run.consumers.get(result.first, ())
                if is_call_of(one, "mm bmm") and one.inputs and one.inputs[0].first is result.first
            ]
            if masks and mixes and mask is not None and mask.shape[-1] == out.array.shape[-1]:
                yield MASKED_LATE.note(run.span(reader.place), [result], None)


def no_parameters(run: Record) -> Iterator[Note]:
    """``self.scale = nn.Parameter(torch.ones(1)) * 0.5``."""
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                pass
            case _:
                continue
        match value:
            case ast.BinOp(left=ast.Call() as made) if _is_parameter(run, made):
                outer = run.case.text(value)
            case ast.Call(func=ast.Attribute(value=ast.Call() as made, attr=method)) if _is_parameter(run, made) and method != "requires_grad_":
                outer = run.case.text(value)
            case _:
                continue
        if len(made.args) != 1:
            continue
        own, whole = run.case.text(made), run.case.text(made.args[0])
        inner = outer.replace(own, whole if isinstance(made.args[0], ast.Name | ast.Call) else f"({whole})", 1)
        meant = f"{run.case.text(made.func)}({inner})"
        fix = run.fix(run.case.replace(value, meant), f"`{meant}`", f"`{meant}`")
        yield NO_PARAMETER.note(run.program.span_of(value), (), fix, text=outer, name=name, meant=meant)


def _is_parameter(run: Record, call: ast.Call) -> bool:
    return str(getattr(call.func, "attr", getattr(call.func, "id", ""))) == "Parameter"


def cut_off(run: Record) -> Iterator[Note]:
    """``means[i] = ratings[lo:hi].float().mean()`` of a tensor of whole numbers."""
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=owner))], value=value):
                held = run.namespace.get(owner)
            case _:
                continue
        if not isinstance(held, Tensor) or held._a.dtype.kind not in "iu":
            continue
        span = run.program.span_of(value)
        made = [one.array for one in run.recorder.entries if run.span(one.place) == span and one.array.dtype.kind == "f"]
        lost = next((float(each) for array in made for each in array.reshape(-1)[:64] if np.isfinite(each) and each != int(each)), None)
        if lost is None:
            continue
        maker = run.case_at_end.assignment(owner)
        meant = _as_floats(run, maker)
        fix = run.fix(run.case.argument(maker, "dtype=torch.float"), f"`{meant}`", f"`{meant}`") if isinstance(maker, ast.Call) and meant else None
        words = {"owner": owner, "dtype": f"torch.{held._a.dtype.name}", "value": lost, "kept": int(lost), "meant": meant or "dtype=torch.float"}
        yield CUT_OFF.note(run.program.span_of(statement), (), fix, **words)


def _as_floats(run: Record, maker: ast.expr | None) -> str:
    if not isinstance(maker, ast.Call) or any(one.arg == "dtype" for one in maker.keywords) or run.case.module_alias("torch") != "torch":
        return ""
    return f"{run.case.text(maker)[:-1]}, dtype=torch.float)"


def entropies(run: Record) -> Iterator[Note]:
    """``loss = policy_loss + 0.01 * entropy``."""
    if not run.steps or "entropy" not in run.program.source:
        return
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.BinOp() as value) if "loss" in target.lower():
                pass
            case _:
                continue
        term = _entropy_in(value)
        if term is None or not _was_differentiated(run, target):
            continue
        outer = run.case.parents.get(term)
        added = isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Add) and outer.right is term
        text, own = run.case.text(value), run.case.text(term)
        meant = f"{run.case.text(outer.left)} - {own}" if added and isinstance(outer, ast.BinOp) else f"-{text}"
        node = outer if added and outer is not None else value
        fix = run.fix(run.case.replace(node, meant), f"`{meant}`", f"`{meant}`") if added or term is value else None
        yield ENTROPY.note(run.program.span_of(statement), (), fix, meant=meant)


def _entropy_in(value: ast.expr) -> ast.expr | None:
    """The term of a sum that is the entropy times a number greater than 0."""
    match value:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _entropy_in(right) or _entropy_in(left)
        case ast.BinOp(left=left, op=ast.Sub()):
            return _entropy_in(left)
        case ast.BinOp(left=ast.Constant(value=int() | float() as factor), op=ast.Mult(), right=ast.Name(id=name)) if factor > 0:
            return value if name.lower() in ("entropy", "ent") else None
        case ast.Name(id=name):
            return value if name.lower() in ("entropy", "ent") else None
    return None


def _was_differentiated(run: Record, name: str) -> bool:
    return any(name in root.first.names for one in run.passes for root, *_ in one.roots)


def rows_overwritten(run: Record) -> Iterator[Note]:
    """``nn.init.uniform_(emb.weight)`` of a table with a row for padding."""
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(attr=method), args=[ast.Attribute(value=ast.Name(id=name), attr="weight"), *_]) if method.endswith("_"):
                held = run.namespace.get(name)
            case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr="weight"), attr="data"), attr=method)):
                held = run.namespace.get(name)
            case _:
                continue
        kept, weight = getattr(held, "padding_idx", None), getattr(held, "weight", None)
        if type(held).__name__ != "Embedding" or not isinstance(kept, int) or not isinstance(weight, Tensor):
            continue
        if not weight._a[kept].any() or method in ("copy_", "zero_"):
            continue
        torch = run.case.module_alias("torch") or "torch"
        meant = f"with {torch}.no_grad(): {name}.weight[{kept}].zero_()"
        statement = run.case.statement(call)
        edits = line_after(run.case, statement, meant) if statement is not None else []
        yield ROW_OVERWRITTEN.note(run.program.span_of(call), (), run.fix(edits, f"`{meant}`", f"`{meant}`"), name=name, meant=meant)


_ENDS: Final = re.compile(r"(done|dones|terminal|terminals|terminated|is_done|done_mask)", re.IGNORECASE)


def ends_ignored(run: Record) -> Iterator[Note]:
    """``target = rewards + gamma * q_next.max(1).values``, and ``dones`` is not used."""
    stored = [one for one in run.case.nodes(ast.Name) if isinstance(one.ctx, ast.Store) and _ENDS.fullmatch(one.id)]
    for name in {one.id for one in stored}:
        if any(one.id == name and isinstance(one.ctx, ast.Load) for one in run.case.nodes(ast.Name)):
            continue
        for statement in run.case.nodes(ast.Assign):
            match statement.value:
                case ast.BinOp(left=rewards, op=ast.Add(), right=ast.BinOp(left=ast.Name(id=factor), op=ast.Mult()) as later) if (
                    "reward" in run.case.text(rewards).lower() or run.case.text(rewards) in ("r", "rew")
                ) and factor.lower() in ("gamma", "discount"):
                    pass
                case _:
                    continue
            held = run.namespace.get(name)
            truth = isinstance(held, Tensor) and held._a.dtype.kind == "b"
            keeps = f"(~{name})" if truth else f"(1 - {name})"
            meant = f"{run.case.text(later)} * {keeps}"
            fix = run.fix(run.case.replace(later, meant), f"`{meant}`", f"`{meant}`")
            yield END_IGNORED.note(run.program.span_of(statement), (), fix, name=name, meant=meant)


def backward_halves(run: Record) -> Iterator[Note]:
    """``out[:, -1]`` of a recurrent layer that runs in both directions."""
    if "bidirectional=True" not in run.program.source:
        return
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=output), state])], value=ast.Call(func=ast.Name(id=layer))):
                held = run.namespace.get(layer)
            case _:
                continue
        if not getattr(held, "bidirectional", False) or type(held).__name__ not in ("RNN", "GRU", "LSTM"):
            continue
        first = state.elts[0] if isinstance(state, ast.Tuple) else state
        h = run.case.text(first) if isinstance(first, ast.Name) and first.id != "_" else "h"
        for node in run.case.nodes(ast.Subscript):
            if not isinstance(node.value, ast.Name) or node.value.id != output or node.lineno <= statement.lineno:
                continue
            text = " ".join(run.case.text(node).split()).replace(" ", "")
            wanted = (f"{output}[:,-1]", f"{output}[:,-1,:]") if getattr(held, "batch_first", False) else (f"{output}[-1]", f"{output}[-1,:,:]")
            if text not in wanted:
                continue
            torch = run.case.module_alias("torch") or "torch"
            meant = f"{torch}.cat([{h}[-2], {h}[-1]], dim=1)"
            known = isinstance(first, ast.Name) and first.id != "_"
            fix = run.fix(run.case.replace(node, meant), f"`{meant}`", f"`{meant}`") if known else None
            yield BACKWARD_HALF.note(run.program.span_of(node), (), fix, name=layer, text=run.case.text(node), meant=meant)


TRAPS: Final = (
    thrown_away,
    rates_set,
    padding_averaged,
    variances_given,
    thresholds,
    masked_late,
    no_parameters,
    cut_off,
    entropies,
    rows_overwritten,
    ends_ignored,
    backward_halves,
)
