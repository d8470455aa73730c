"""Traps of habits: results that are thrown away, attributes that nobody reads, numbers that are cut off, masks at the wrong step."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import UNKNOWN, called
from gradflow.engine.diagnosis.traps.edits import line_after
from gradflow.engine.diagnosis.traps.record import Record, Trap, attributes_of
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Note, Span

THROWN_AWAY: Final = Trap(
    "result-thrown-away",
    "`{text}` gives a new tensor and leaves `{owner}` as it is, and nothing keeps the result. Write `{meant}`.",
    "`{text}` 返回一个新张量，`{owner}` 本身不变，而结果没有保存。请写成 `{meant}`。",
)


RATE_SET: Final = Trap(
    "rate-set-as-attribute",
    "`{text}` gives the optimizer a new attribute that nobody reads: it takes its learning rate from `param_groups`. Set it there, in every group:"
    " `{meant}`.",
    "`{text}` 只是给优化器加了一个没有人读的新属性：学习率来自 `param_groups`。请在每个组里设置：`{meant}`。",
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


ROW_OVERWRITTEN: Final = Trap(
    "padding-row-overwritten",
    "The row of `{name}` for padding was 0 until this line drew all rows anew, and it gets no gradient, so it stays random. Set it back:"
    " `{meant}`.",
    "`{name}` 里用于填充的那一行本来是 0，但这一行把所有行都重新取了随机数；它得不到梯度，会一直保持随机。请重新置零：`{meant}`。",
)


PURE: Final = frozenset(
    {
        "clamp",
        "clip",
        "abs",
        "exp",
        "sigmoid",
        "tanh",
        "relu",
        "normal",
        "unsqueeze",
        "squeeze",
        "view",
        "reshape",
        "transpose",
        "permute",
    }
    | {
        "detach",
        "float",
        "long",
        "double",
        "contiguous",
        "masked_fill",
        "add",
        "sub",
        "mul",
        "div",
        "scatter",
        "scatter_add",
        "index_add",
        "fill",
    }
)


_IN_PLACE: Final = frozenset(
    {
        "clamp",
        "clip",
        "abs",
        "exp",
        "sigmoid",
        "tanh",
        "relu",
        "masked_fill",
        "add",
        "sub",
        "mul",
        "div",
        "unsqueeze",
        "squeeze",
    }
)


def thrown_away(run: Record) -> Iterator[Note]:
    """``p.clamp(-1, 1)`` as a statement."""
    shown = run.program.tree.body[-1:]  # a notebook shows what its last line gives, and a session what any line gives
    for statement in run.case.nodes(ast.Expr):
        tried = run.case.enclosing(statement, ast.Try) is not None
        if statement in shown or tried or not run.case.is_plain(statement.lineno):
            continue
        match statement.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)) as call if name in PURE:
                pass
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="data") as data, attr=name)) as call if (
                name in _IN_PLACE
            ):
                yield _of_data(run, statement, call, data)
                continue
            case _:
                continue
        function = run.case.enclosing(statement, ast.FunctionDef)
        held = run.namespace if function is None else run.program.kept_locals.of(function.name, function.lineno)
        if not isinstance(held.get(owner), Tensor):
            continue
        loops = [
            one
            for one in run.case.nodes(ast.For)
            if owner in {n.id for n in ast.walk(one.target) if isinstance(n, ast.Name)}
        ]
        if loops and name not in _IN_PLACE:
            continue
        text = run.case.text(call)
        meant = text.replace(f".{name}(", f".{name}_(", 1) if loops else f"{owner} = {text}"
        edits = run.case.replace(statement, meant)
        yield THROWN_AWAY.note(
            run.program.span_of(statement),
            (),
            run.fix(edits, f"`{meant}`", f"`{meant}`"),
            text=text,
            owner=owner,
            meant=meant,
        )


def _of_data(run: Record, statement: ast.Expr, call: ast.Call, data: ast.Attribute) -> Note:
    """``p.data.clamp(-c, c)``, which was to write."""
    name, owner = called(call), run.case.text(data)
    text = run.case.text(call)
    meant = text.replace(f".{name}(", f".{name}_(", 1)
    fix = run.fix(run.case.replace(call, meant), f"`{meant}`", f"`{meant}`")
    return THROWN_AWAY.note(run.program.span_of(statement), (), fix, text=text, owner=owner, meant=meant)


def rates_set(run: Record) -> Iterator[Note]:
    """``optimizer.lr = 0.01``."""
    for statement in run.case.nodes(ast.Assign | ast.AugAssign):  # type: ignore[arg-type]  # isinstance takes a union
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        match target:
            case ast.Attribute(value=ast.Name(id=owner), attr="lr" | "learning_rate") if isinstance(
                run.namespace.get(owner), Optimizer
            ):
                value = run.case.text(statement.value)
            case _:
                continue
        operation = "=" if isinstance(statement, ast.Assign) else f"{_SYMBOLS.get(type(statement.op), '')}="
        meant = f'for group in {owner}.param_groups: group["lr"] {operation} {value}'
        fix = run.fix(run.case.replace(statement, meant), '`group["lr"]`', '`group["lr"]`')
        yield RATE_SET.note(run.program.span_of(statement), (), fix, text=run.case.text(target), meant=meant)


_SYMBOLS: Final = {ast.Mult: "*", ast.Div: "/", ast.Add: "+", ast.Sub: "-"}


_VARIANCE: Final = re.compile(r"(\w+_)?(var|variance|sigma2|sigma_sq|sigma_squared)(_\w+)?", re.IGNORECASE)

_FIRST_SIGMA: Final = re.compile(r"sigma_?[01]\b", re.IGNORECASE)


def variances_given(run: Record) -> Iterator[Note]:
    """``Normal(mu, var)``."""
    for call in run.case.nodes(ast.Call):
        kind = called(call)
        if kind not in ("Normal", "LogNormal") or len(call.args) < 2 or not isinstance(call.args[1], ast.Name):
            continue
        name = call.args[1].id
        # beside `sigma1`, `sigma2` is the second of several
        if _VARIANCE.fullmatch(name) and "log" not in name.lower() and not _FIRST_SIGMA.search(run.program.source):
            meant = f"{name}.sqrt()" if isinstance(run.namespace.get(name), Tensor) else f"{name} ** 0.5"
            fix = run.fix(run.case.replace(call.args[1], meant), f"`{meant}`", f"`{meant}`")
            yield VARIANCE_GIVEN.note(run.program.span_of(call), (), fix, kind=kind, name=name, meant=meant)


def thresholds(run: Record) -> Iterator[Note]:
    """``logits > 0.5``."""
    for node in run.case.nodes(ast.Compare):
        match node:
            case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE() as op], comparators=[ast.Constant(value=0.5)]):
                name = left.id if isinstance(left, ast.Name) else ""
            case _:
                continue
        held = run.case.value(left)
        named = "logit" in name.lower() and (isinstance(held, Tensor) or held is UNKNOWN)
        if named or _is_trained_as_score(run, left):
            meant = f"{run.case.text(left)} {'>' if isinstance(op, ast.Gt) else '>='} 0"
            fix = run.fix(run.case.replace(node, meant), f"`{meant}`", f"`{meant}`")
            yield THRESHOLD.note(run.program.span_of(node), (), fix, text=run.case.text(node), meant=meant)


def _is_trained_as_score(run: Record, node: ast.expr) -> bool:
    """Whether what is compared is the output of a model whose outputs a loss with logits takes, and is no probability."""
    if "ith_logits" not in run.program.source and "WithLogits" not in run.program.source:
        return False
    model = _model_of(run, node)
    if not model or not any(one.first.array.size for one in _scores_of(run, model)):
        return False
    span = run.program.span_of(node)
    compared = [
        one.inputs[0].array
        for one in run.calls("gt ge")
        if one.inputs and (own := run.span(one.place)) is not None and span is not None and own.line == span.line
    ]
    return any(bool(((one < 0) | (one > 1)).any()) for one in compared if one.dtype.kind == "f")


def _model_of(run: Record, node: ast.expr, depth: int = 0) -> str:
    """The text of what is called for an output: of ``net`` in ``net(x).squeeze(1)``, also under the name that it is given."""
    match node:
        case ast.Name(id=name) if depth < _SHAPED:
            made = [
                one.value
                for one in run.case.nodes(ast.Assign)
                if one.lineno < node.lineno
                and any(isinstance(each, ast.Name) and each.id == name for each in one.targets)
            ]
            return _model_of(run, made[-1], depth + 1) if made else ""
        case ast.Call(func=ast.Attribute(value=inner, attr="squeeze" | "view" | "reshape" | "flatten" | "detach")):
            return _model_of(run, inner, depth + 1) if depth < _SHAPED else ""
        case ast.Call(func=ast.Name() | ast.Attribute() as func):
            return run.case.text(func)
    return ""


_SHAPED: Final = 6


def _scores_of(run: Record, model: str) -> Iterator[TensorEntry]:
    """The outputs of a model that a loss with logits is given."""
    for call in run.case.nodes(ast.Call):
        text = run.case.text(call.func)
        made = run.case_at_end.assignment(text) if isinstance(call.func, ast.Name) else None
        whole = text if made is None else run.case.text(made)
        if ("WithLogits" in whole or "with_logits" in whole) and call.args and _model_of(run, call.args[0]) == model:
            line = call.lineno
            yield from (one for one in run.recorder.entries if run.line(one.place) == line)


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
            case ast.Call(func=ast.Attribute(value=ast.Call() as made, attr=method)) if (
                _is_parameter(run, made) and method != "requires_grad_"
            ):
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
    return called(call) == "Parameter"


def cut_off(run: Record) -> Iterator[Note]:
    """``means[i] = ratings[lo:hi].float().mean()`` of a tensor of whole numbers."""
    for place, (whole, lost) in run.recorder.chronology.fractions.items():
        match run.statement_at(run.span(place)):
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=owner))]) as statement:
                maker = run.case_at(run.program.span_of(statement) or Span(1, 0, 1, 0)).assignment(owner)
            case _:
                continue
        if whole._a.dtype == np.uint8 or (maker is not None and _WHOLE.search(run.case.text(maker))):
            continue  # whole numbers are what it is to hold
        meant = _as_floats(run, maker)
        fix = (
            run.fix(run.case.argument(maker, "dtype=torch.float"), f"`{meant}`", f"`{meant}`")
            if isinstance(maker, ast.Call) and meant
            else None
        )
        words = {
            "owner": owner,
            "dtype": f"torch.{whole._a.dtype.name}",
            "value": lost,
            "kept": int(lost),
            "meant": meant or "dtype=torch.float",
        }
        yield CUT_OFF.note(run.program.span_of(statement), (), fix, **words)


_WHOLE: Final = re.compile(r"\blong\b|\bu?int\d*\b|\bshort\b|quanti")
"""Of a tensor that is made of whole numbers in so many words."""


def _as_floats(run: Record, maker: ast.expr | None) -> str:
    if (
        not isinstance(maker, ast.Call)
        or any(one.arg == "dtype" for one in maker.keywords)
        or not run.case.text(maker.func).startswith("torch.")
    ):
        return ""
    return f"{run.case.text(maker)[:-1]}, dtype=torch.float)"


def rows_overwritten(run: Record) -> Iterator[Note]:
    """``nn.init.uniform_(emb.weight)`` of a table with a row for padding."""
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(
                func=ast.Attribute(attr=method), args=[ast.Attribute(value=ast.Name(id=name), attr="weight"), *_]
            ) if method.endswith("_"):
                held = run.namespace.get(name)
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr="weight"), attr="data"),
                    attr=method,
                )
            ):
                held = run.namespace.get(name)
            case _:
                continue
        own = attributes_of(held)
        held_parameters = own.get("_parameters")
        kept, weight = (
            own.get("padding_idx"),
            held_parameters.get("weight") if isinstance(held_parameters, dict) else None,
        )
        if type(held).__name__ != "Embedding" or not isinstance(kept, int) or not isinstance(weight, Tensor):
            continue
        if not weight._a[kept].any() or method in ("copy_", "zero_"):
            continue
        torch = run.case.module_alias("torch") or "torch"
        meant = f"with {torch}.no_grad(): {name}.weight[{kept}].zero_()"
        statement = run.case.statement(call)
        edits = line_after(run.case, statement, meant) if statement is not None else []
        yield ROW_OVERWRITTEN.note(
            run.program.span_of(call), (), run.fix(edits, f"`{meant}`", f"`{meant}`"), name=name, meant=meant
        )


TRAPS: Final = (thrown_away, rates_set, variances_given, thresholds, no_parameters, cut_off, rows_overwritten)
