"""Tensors that are joined, or gone through together, and agree in too few sizes."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.beside.one_for_all import once
from gradflow.engine.diagnosis.findings.general.sources import Sized, decided, decided_by, shape_at, size_source
from gradflow.engine.diagnosis.findings.layers import constant
from gradflow.engine.diagnosis.findings.origins.branches import without_stride
from gradflow.engine.diagnosis.findings.origins.meetings import met
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import FIXERS, finds
from gradflow.engine.sandbox.positions import argument_of


@finds(errors.CAT_SIZE)
def _sizes(case: Case) -> Finding | None:
    """``torch.cat([a, b], dim=1)`` of different numbers of rows."""
    call = case.find(ast.Call)
    listed = call.args[0] if call is not None and call.args else None
    if call is None or not isinstance(listed, ast.List | ast.Tuple):
        return None
    shapes = [(one, shape) for one in listed.elts if (shape := shape_at(case, one)) is not None]
    given = argument_of(call, 1, "dim")
    dim = (
        constant(case, given)
        if given is not None and not isinstance(given, ast.UnaryOp)
        else -1
        if given is not None
        else 0
    )
    if len(shapes) < 2 or len({len(shape) for _, shape in shapes}) != 1 or not isinstance(dim, int):
        return None
    dim %= len(shapes[0][1])
    first, base = shapes[0]
    for other, shape in shapes[1:]:
        differing = [at for at, (a, b) in enumerate(zip(base, shape, strict=True)) if a != b and at != dim]
        if not differing:
            continue
        at = differing[0]
        said = (
            f"{code(case, first)} has the shape {list(base)} and {code(case, other)} {list(shape)}; joined along dimension {dim}, they must"
            f" agree in dimension {at}.",
            f"{code(case, first)} 的形状是 {list(base)}，{code(case, other)} 是 {list(shape)}；沿第 {dim} 维拼接时，第 {at} 维必须一致。",
        )
        pair, back = [first, other], len(base) - at
        if (found := without_stride(case, pair, back, said) or met(case, call, pair, back, said)) is not None:
            return found
        whose, whose_zh = decided(case, [(first, base[at]), (other, shape[at])])
        alone = len(differing) == 1 and base[dim] == shape[dim]
        once_only = once(case) is not None  # told with what a trial shows
        known = FIXERS.get(errors.CAT_SIZE.code)
        source = size_source(case, other, shape[at])
        action, action_zh = "Make both the same there", "请让那一维相同"
        if alone and given is None:
            action = (
                f"To put them side by side, join them in that dimension: `dim={at}`; otherwise make both the same there"
            )
            action_zh = f"要并排接起来，请沿那一维拼接：`dim={at}`；否则请让那一维相同"
        elif alone and not once_only:
            action += f"; to put them behind one another in that dimension, `dim={at}`"
            action_zh += f"；如果要沿那一维接起来，请写 `dim={at}`"
        return finding(
            case,
            f"{code(case, first)} has the shape {list(base)} and {code(case, other)} {list(shape)}; joined along dimension {dim}, they must agree in"
            f" dimension {at}, and there are {base[at]} and {shape[at]}{whose}. {action}.",
            f"{code(case, first)} 的形状是 {list(base)}，{code(case, other)} 是 {list(shape)}；沿第 {dim} 维拼接时，第 {at} 维必须一致，而这里是 {base[at]} 和"
            f" {shape[at]}{whose_zh}。{action_zh}。",
            (known(case) if known is not None and alone and not once_only else None) or (),
            source[0] if source is not None and not (alone and given is None) else None,
        )
    return None


def _lengths(case: Case, given: list[ast.expr]) -> list[Sized]:
    """What was given with its rows; nothing where all have as many."""
    pairs = [(one, shape[0]) for one in given if (shape := shape_at(case, one))]
    return pairs if len({size for _, size in pairs}) > 1 else []


def _listed(case: Case, pairs: list[Sized]) -> tuple[str, str]:
    return (
        ", ".join(f"{code(case, node)} has {size}" for node, size in pairs),
        "，".join(f"{code(case, node)} 有 {size} 个" for node, size in pairs),
    )


@finds(errors.DATA_SIZES)
def _samples(case: Case) -> Finding | None:
    """``TensorDataset(x, y)`` of different numbers of samples."""
    call = case.find(ast.Call)
    pairs = _lengths(case, call.args if call is not None else [])
    if not pairs:
        return None
    listed, listed_zh = _listed(case, pairs)
    whose, whose_zh = decided(case, pairs)
    return finding(
        case,
        f"Dimension 0 counts the samples, and it is not the same everywhere: {listed}{whose}. Sample k is row k of each of them, so"
        f" make all with the same number of rows, or cut them to {min(size for _, size in pairs)}.",
        f"第 0 维是样本数，而各处不一样：{listed_zh}{whose_zh}。第 k 个样本是每个张量的第 k 行，所以请让它们行数相同，或者都截到"
        f" {min(size for _, size in pairs)} 行。",
        (),
        decided_by(case, pairs),
    )


@finds(errors.DERIVATIVE_VALUE)
def _mapped(case: Case) -> Finding | None:
    """``vmap`` of batches of different sizes."""
    call = case.find(ast.Call)
    if call is None or "mapped dimension" not in str(case.details.get("message", "")):
        return None
    pairs = _lengths(case, call.args)
    if not pairs:
        return None
    listed, listed_zh = _listed(case, pairs)
    return finding(
        case,
        f"`vmap` goes through dimension 0 of all its arguments at once, and they are of different lengths: {listed}. Give as many of each,"
        f" or name with `in_dims` what is the same for every sample, such as `in_dims=(0, None)`.",
        f"`vmap` 会同时沿各个参数的第 0 维逐个取出，而它们的长度不同：{listed_zh}。请让个数相同，或者用 `in_dims` 说明哪个参数对每个样本都一样，例如"
        f" `in_dims=(0, None)`。",
        (),
        decided_by(case, pairs),
    )
