"""Arguments of PyTorch's functions that a call does not give: what they are, and which variable can be meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, start_of
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.calls import definition_of
from gradflow.engine.diagnosis.findings.general.sources import names_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import FIXERS, finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_NEEDED: Final = {
    "metrics": ("the number that it watches, such as the loss", "它要观察的数，例如损失"),
    "inputs": ("the tensors to differentiate with respect to", "要对之求导的张量"),
    "outputs": ("the tensor to differentiate", "要求导的张量"),
    "step_size": ("after how many epochs the learning rate is changed", "每隔多少轮改变一次学习率"),
    "gamma": ("the factor of the learning rate", "学习率要乘的系数"),
    "max_norm": ("the largest norm that is let through, such as `1.0`", "允许的最大范数，例如 `1.0`"),
    "optimizer": ("the optimizer whose learning rate it changes", "要改变学习率的优化器"),
    "params": ("the parameters to train, `model.parameters()`", "要训练的参数 `model.parameters()`"),
    "out_features": ("how many numbers it gives for each sample", "每个样本输出多少个数"),
    "out_channels": ("how many channels it gives", "输出多少个通道"),
    "kernel_size": ("the size of its window", "卷积核的大小"),
    "embedding_dim": ("how many numbers stand for each index", "每个下标用多少个数表示"),
    "hidden_size": ("how many numbers its state has", "状态有多少个数"),
    "num_heads": ("among how many heads the features are divided", "特征分给多少个头"),
    "target": ("what the prediction is compared with", "与预测比较的目标"),
    "dim": ("the dimension, such as `dim=1`", "维度，例如 `dim=1`"),
    "lr_lambda": ("a function from the epoch to a factor", "由轮数得到系数的函数"),
    "T_max": ("how many epochs one half of the wave lasts", "余弦半个周期有多少轮"),
    "index": ("the positions", "位置下标"),
    "tgt": ("the target sequence", "目标序列"),
    "memory": ("the output of the encoder", "编码器的输出"),
    "key": ("the keys that the queries are compared with", "与查询比较的键"),
    "value": ("the values that are mixed", "被加权混合的值"),
    "num_features": ("how many channels are normalised", "归一化多少个通道"),
    "state_dict": ("the values to load", "要加载的状态"),
    "hx": ("the state of the step before", "上一步的状态"),
}
"""What an argument of PyTorch is."""


@finds(errors.MISSING_PYTHON_ARGUMENT, errors.MISSING_ARGUMENT)
def _argument_of_pytorch(case: Case) -> Finding | None:
    """An argument of a function of PyTorch that the call does not give."""
    call = case.find(ast.Call)
    missing = re.findall(r"'(\w+)'", str(case.details.get("name", ""))) or re.findall(
        r"\w+", str(case.details.get("name", case.details.get("names", "")))
    )
    if call is None or not missing or definition_of(case) is not None or Flow(case).called(call):
        return None
    if missing == ["self"] and isinstance(call.func, ast.Attribute):
        return _of_class(case, call.func)
    if missing == ["closure"]:
        return _closure(case, call)
    if (
        call.args
        and str(getattr(call.func, "attr", "")).startswith("register_")
        and missing[0] in ("tensor", "param", "module")
    ):
        return _without_name(case, call)
    if (known := _known_fix(case)) is not None:
        return finding(
            case,
            f"{code(case, call.func)} needs {names_of(missing)[0]}, and this call does not give {_it(missing)}. Write {known.title.en}.",
            f"{code(case, call.func)} 需要 {names_of(missing)[1]}，而这次调用没有给出。请写成 {known.title.zh}。",
            known,
        )
    found = [_candidate(case, one) for one in missing]
    texts = [one for one in found if one]
    listed, listed_zh = names_of(missing)
    told = [_NEEDED.get(one) for one in missing]
    what = f", {told[0][0]}" if len(missing) == 1 and told[0] else ""
    what_zh = f"，即{told[0][1]}" if len(missing) == 1 and told[0] else ""
    if len(texts) == len(missing):
        inside = ", ".join([*(case.text(one) for one in call.args), *texts, *(case.text(one) for one in call.keywords)])
        whole = f"{case.text(call.func)}({inside})"
        action, action_zh = f"Write `{whole}`", f"请写成 `{whole}`"
        given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        first = min(given, key=start_of, default=None)
        front = first is not None and not call.args
        edits = (
            case.before(first, f"{', '.join(texts)}, ")
            if front and first is not None
            else case.argument(call, ", ".join(texts))
        )
        if call.args and call.keywords:
            edits = case.argument(call, ", ".join(f"{a}={b}" for a, b in zip(missing, texts, strict=True)))
        fix = case.fix(edits, call)
    else:
        shown = f"{case.text(call.func)}({', '.join([*(case.text(one) for one in call.args), *(f'{one}=...' for one in missing)])})"
        action, action_zh = f"Add {_it(missing)}: `{shown}`", f"请补上：`{shown}`"
        fix = None
    return finding(
        case,
        f"{code(case, call.func)} needs {listed}{what}, and this call does not give {_it(missing)}. {action}.",
        f"{code(case, call.func)} 需要 {listed_zh}{what_zh}，而这次调用没有给出。{action_zh}。",
        fix or (),
    )


def _of_class(case: Case, function: ast.Attribute) -> Finding:
    """``net = Net`` and ``net.parameters()``."""
    made = case.assignment(function.value.id) if isinstance(function.value, ast.Name) else None
    named = made if isinstance(made, ast.Name | ast.Attribute) else function.value
    text = f"{case.text(named)}()"
    return finding(
        case,
        f"{code(case, function.value)} is the class itself{f' (line {line(named)})' if named is made else ''}, and `{function.attr}` works on an object of it."
        f" Make one with brackets: `{text}`.",
        f"{code(case, function.value)} 是类本身{f'（第 {line(named)} 行）' if named is made else ''}，而 `{function.attr}` 要作用在它的对象上。请用括号创建对象：`{text}`。",
        case.fix(case.after(named, "()"), case.statement(named)),
        named,
    )


def _closure(case: Case, call: ast.Call) -> Finding:
    """An optimizer that computes the loss several times in a step."""
    name = code(case, call.func)
    return finding(
        case,
        f"{name} of this optimizer computes the loss several times in one step, so it needs a function that does that. Write"
        f" `def closure():` with `zero_grad()`, the loss, `loss.backward()` and `return loss`, and call `{case.text(call.func)}(closure)`.",
        f"这个优化器的 {name} 在一步里要多次计算损失，所以需要一个完成计算的函数。请写 `def closure():`，依次是 `zero_grad()`、计算损失、`loss.backward()` 和"
        f" `return loss`，再调用 `{case.text(call.func)}(closure)`。",
        (),
    )


def _without_name(case: Case, call: ast.Call) -> Finding:
    """``self.register_buffer(tensor)``."""
    owner = case.enclosing(call, ast.ClassDef)
    parts = (
        [one for one in ast.walk(owner) if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "self"]
        if owner is not None
        else []
    )
    set_ = {one.attr for one in parts if isinstance(one.ctx, ast.Store)}
    methods = {one.name for one in owner.body if isinstance(one, ast.FunctionDef)} if owner is not None else set()
    open_ = list(
        dict.fromkeys(one.attr for one in parts if one.attr not in set_ | methods and not hasattr(Layer, one.attr))
    )
    name = open_[0] if len(open_) == 1 else "name"
    text = f'{case.text(call.func)}("{name}", {case.text(call.args[0])})'
    return finding(
        case,
        f"{code(case, call.func)} takes the name first, under which the module keeps the tensor, and then the tensor. Write `{text}`.",
        f"{code(case, call.func)} 的第一个参数是模块保存这个张量时用的名字，然后才是张量。请写 `{text}`。",
        case.fix(case.before(call.args[0], f'"{name}", '), call) if len(open_) == 1 else (),
    )


def _it(missing: Sequence[str]) -> str:
    return "it" if len(missing) == 1 else "them"


def _known_fix(case: Case) -> Fix | None:
    """The fix that is known for this call, such as ``x.t()`` for a transposition without dimensions."""
    fixers = [FIXERS.get(kind.code) for kind in (errors.MISSING_ARGUMENT, errors.MISSING_PYTHON_ARGUMENT)]
    return next((found for fixer in fixers if fixer is not None and (found := fixer(case)) is not None), None)


_OF_VALIDATION: Final = frozenset({"val", "valid", "validation", "dev", "test"})
_WATCHED: Final = frozenset({"loss", "losses", "error", "err", *_OF_VALIDATION})


def _watched(held: Mapping[str, object]) -> list[str]:
    """The numbers that a schedule can watch: those of the validation, if there are some."""
    found = {
        key: set(key.lower().split("_"))
        for key, value in held.items()
        if (isinstance(value, float) or (isinstance(value, Tensor) and value.numel() == 1))
        and (_WATCHED & set(key.lower().split("_")) or "loss" in key)
    }
    return [key for key, words in found.items() if words & _OF_VALIDATION] or list(found)


def _averaged(case: Case, names: Sequence[str]) -> list[str]:
    """The mean of the one of several numbers that adds up in a loop, as the program writes it elsewhere; else the sum."""
    sums = {one.target.id for one in case.nodes(ast.AugAssign) if isinstance(one.target, ast.Name)} & set(names)
    if len(names) < 2 or len(sums) != 1:
        return []
    name = sums.pop()
    means = [
        case.text(one)
        for one in case.nodes(ast.BinOp)
        if isinstance(one.op, ast.Div) and isinstance(one.left, ast.Name) and one.left.id == name
    ]
    return means[:1] or [name]


def _candidate(case: Case, name: str) -> str:
    """The one variable of the program that an argument can mean; nothing where there is none, or several."""
    held = {key: value for key, value in case.values.items() if not key.startswith("_")}
    found: list[str] = []
    if name in ("metrics", "metric"):
        found = _watched(held)
        found = _averaged(case, found) or found
    elif name == "inputs":
        found = [
            key
            for key, value in held.items()
            if isinstance(value, Tensor) and value.requires_grad and value.grad_fn is None
        ]
    elif name == "optimizer":
        found = [key for key, value in held.items() if isinstance(value, Optimizer)]
    elif name == "max_norm":
        return "1.0"
    elif name == "params":
        found = [
            f"{key}.parameters()"
            for key, value in held.items()
            if isinstance(value, Layer) and list(value.parameters())
        ]
    elif name == "target":
        found = [key for key in ("target", "targets", "y", "labels", "label") if isinstance(held.get(key), Tensor)]
    elif name in held:
        return name
    return found[0] if len(found) == 1 else ""
