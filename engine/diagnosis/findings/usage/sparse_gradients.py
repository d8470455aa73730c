"""Sparse gradients of embeddings: optimizers that cannot use them, and one that takes no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.recording.optimizer_steps import tensors_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix

_REFUSED: Final = re.compile(r"does not support sparse gradients|compatible with sparse gradients|add\(sparse, dense\)")
_TAKEN: Final = frozenset({"params", "lr", "betas", "eps", "maximize"})
"""Arguments of Adam that SparseAdam has, too."""


@finds(errors.MODULE_RUNTIME)
def _sparse_refused(case: Case) -> Finding | None:
    """``nn.Embedding(..., sparse=True)`` and ``Adam``, or a decay of all weights."""
    if not _REFUSED.search(str(case.details.get("message", ""))):
        return None
    optimizer, made = _optimizer(case)
    places = _sparse_arguments(case, optimizer)
    if not places:
        return None
    call, given = places[0]
    rows = [str(line(one)) for one, _ in places]
    also, also_zh = (
        (f", like the one on line {joined(rows[1:], 'en')},", f"（第 {joined(rows[1:], 'zh')} 行也一样）")
        if len(rows) > 1
        else ("", "")
    )
    kind = type(optimizer).__name__ if optimizer is not None else "the optimizer"
    decayed = "does not support" not in str(case.details.get("message", ""))
    with_decay, with_decay_zh = (
        (" with `weight_decay`, which changes all weights,", "在设置 `weight_decay`（要改变所有权重）时")
        if decayed
        else ("", "")
    )
    where, where_zh = (f" (line {line(made)})", f"（第 {line(made)} 行）") if made is not None else ("", "")
    without = [edit for one, keyword in places for edit in _left_out(case, one, keyword)]
    plain = apply(case, without, "leave `sparse=True` out", "去掉 `sparse=True`")
    special = _for_sparse(case, optimizer, made)
    action, action_zh = (
        (
            f"Make it a `{special[0]}`, which is for these, or leave `sparse=True` out",
            f"请改用专为稀疏梯度准备的 `{special[0]}`，或者去掉 `sparse=True`",
        )
        if special is not None
        else ("Leave `sparse=True` out", "请去掉 `sparse=True`")
    )
    return finding(
        case,
        f"{code(case, call)} on line {line(call)}{also} gives sparse gradients, which hold only the rows that were used, and `{kind}`{where}{with_decay} cannot use"
        f" these. {action}.",
        f"第 {line(call)} 行的 {code(case, call)}{also_zh or ' '}给出稀疏梯度，其中只有用到的行，而 `{kind}`{where_zh}{with_decay_zh}不能使用这种梯度。{action_zh}。",
        [special[1], plain] if special is not None else [plain],
        made if special is not None else given,
    )


@finds(errors.SPARSE_REFUSED)
def _clipped(case: Case) -> Finding | None:
    """``clip_grad_norm_`` of the sparse gradients of an embedding."""
    node = case.find(ast.Call)
    name = called(node) if node is not None else ""
    places = _sparse_arguments(case, None)
    if not places or name not in ("clip_grad_norm_", "clip_grad_value_"):
        return None
    call, given = places[0]
    without = [edit for one, keyword in places for edit in _left_out(case, one, keyword)]
    return finding(
        case,
        f"{code(case, call)} on line {line(call)} gives sparse gradients, which hold only the rows that were used, and `{name}` cannot compute with these, in"
        f" PyTorch either. Leave `sparse=True` out.",
        f"第 {line(call)} 行的 {code(case, call)} 给出稀疏梯度，其中只有用到的行，而 `{name}` 不能处理这种梯度，在 PyTorch 里也不能。请去掉 `sparse=True`。",
        [apply(case, without, "leave `sparse=True` out", "去掉 `sparse=True`")],
        given,
    )


@finds(errors.MODULE_RUNTIME)
def _dense_refused(case: Case) -> Finding | None:
    """``SparseAdam`` of layers whose gradients are not sparse."""
    if "does not support dense gradients" not in str(case.details.get("message", "")):
        return None
    optimizer, made = _optimizer(case)
    if optimizer is None or made is None or not case.text(made.func).endswith("SparseAdam"):
        return None
    text = case.text(made.func).removesuffix("SparseAdam") + "Adam"
    places = _sparse_arguments(case, optimizer)
    edits = [*case.replace(made.func, text), *(edit for one, given in places for edit in _left_out(case, one, given))]
    also, also_zh = (
        (", and leave `sparse=True` out of the embedding", "，并去掉嵌入层的 `sparse=True`") if places else ("", "")
    )
    if isinstance(made.func, ast.Name):
        edits += case.import_line("from torch.optim import Adam") if "Adam" not in case.values else []
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} takes only sparse gradients, and only embeddings with `sparse=True` give such; what it is given here has"
        f" ordinary ones. Use `{text}`{also}.",
        f"第 {line(made)} 行的 {code(case, made)} 只接受稀疏梯度，而只有设置了 `sparse=True` 的嵌入层才给出这种梯度；这里给它的参数有普通的梯度。请用 `{text}`{also_zh}。",
        [apply(case, edits, f"`{text}`", f"`{text}`")],
        made,
    )


def _optimizer(case: Case) -> tuple[Optimizer | None, ast.Call | None]:
    """The optimizer whose step failed, and the call that made it."""
    node = case.find(ast.Call)
    if node is None or not isinstance(node.func, ast.Attribute):
        return None, None
    held = node.func.value
    if not isinstance(case.value(held), Optimizer) and node.args:
        held = node.args[0]  # of a scaler, which makes the step of the optimizer
    value, made = case.value(held), definition(case, held)
    known = value if isinstance(value, Optimizer) else None
    return known, made if isinstance(made, ast.Call) else None


def _sparse_arguments(case: Case, optimizer: Optimizer | None) -> list[tuple[ast.Call, ast.keyword]]:
    """The calls with ``sparse=True`` whose weights the optimizer has; all of them where that is not known."""
    found = [
        (call, one)
        for call in case.nodes(ast.Call)
        for one in call.keywords
        if one.arg == "sparse" and "mbedding" in case.text(call.func) and _is_true(case, one.value)
    ]
    own = {maker for layer in _layers_of(case, optimizer) if (maker := maker_of(case, layer)) is not None}
    return [one for one in found if one[0] in own] or found


def _is_true(case: Case, node: ast.expr) -> bool:
    made = definition(case, node)
    return isinstance(made, ast.Constant) and made.value is True


def _layers_of(case: Case, optimizer: Optimizer | None) -> Iterator[Layer]:
    """The layers whose weights are among those of an optimizer that have sparse gradients."""
    weights = {id(one) for one in _weights(optimizer) if _is_sparse(one)}
    for value in case.values.values():
        for layer in value.modules() if isinstance(value, Layer) else ():
            if any(id(one) in weights for one in vars(layer).get("_parameters", {}).values()):
                yield layer


def _weights(optimizer: Optimizer | None) -> list[Tensor]:
    return [one for group in optimizer.param_groups for one in tensors_of(group)] if optimizer is not None else []


def _is_sparse(weight: Tensor) -> bool:
    return bool(getattr(weight.grad, "is_sparse", False))


def _left_out(case: Case, call: ast.Call, given: ast.keyword) -> list[Edit]:
    """Without the argument; where it is handed on, False at the place that decides."""
    made = definition(case, given.value)
    return case.without_argument(call, given) if made is given.value else case.replace(made, "False")


def _for_sparse(case: Case, optimizer: Optimizer | None, made: ast.Call | None) -> tuple[str, Fix | None] | None:
    """``SparseAdam`` in the place of ``Adam``, where all that it has are embeddings with sparse gradients."""
    weights = [one for one in _weights(optimizer) if one.grad is not None]
    if made is None or called(made) != "Adam" or not weights or not all(map(_is_sparse, weights)):
        return None
    if not {one.arg for one in made.keywords} <= _TAKEN or len(made.args) > 2:
        return None
    text = case.text(made.func).removesuffix("Adam") + "SparseAdam"
    if isinstance(made.func, ast.Name):
        edits = [*case.replace(made.func, text), *case.import_line("from torch.optim import SparseAdam")]
        return text, apply(case, edits, f"`{text}`", f"`{text}`")
    return text, write(case, made.func, text, made)
