"""Matrices that are no covariances: what is wrong with this one, and where it became so."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Span

_CONSTRAINT: Final = re.compile(r"Expected parameter (\w+) .*constraint (\w+)", re.DOTALL)
_DIAGONAL: Final = frozenset({"eye", "diag", "diag_embed", "eye_like"})
_ROUNDING: Final = 1e-5
_MOST: Final = 1000


@dataclass(frozen=True)
class _Given:
    """A matrix that should have been positive definite, with the call that took it and its smallest eigenvalue."""

    call: ast.Call
    node: ast.expr
    array: np.ndarray
    smallest: float

    @property
    def size(self) -> int:
        """Of its rows."""
        return len(self.array)

    @property
    def is_singular(self) -> bool:
        """Whether it is not positive definite for the sake of rounding alone."""
        scale = float(np.abs(self.array).max()) or 1.0
        return self.smallest > -_ROUNDING * self.size * scale


def _given(case: Case) -> _Given | None:
    call = case.find(ast.Call)
    if call is None:
        return None
    told = _CONSTRAINT.search(str(case.details.get("message", "")))
    if told is not None:
        if told[1] != "covariance_matrix" or told[2] != "PositiveDefinite":
            return None
        node = argument_of(call, 1, "covariance_matrix")
    elif "order" not in case.details:
        return None  # another argument of another layer
    else:
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        method = owner is not None and isinstance(case.value(owner), Tensor)
        node = owner if method else call.args[0] if call.args else None
    held = Flow(case).tensor(node) if node is not None else None
    if node is None or held is None or held.dim() < 2 or held.shape[-1] != held.shape[-2]:
        return None
    if not 0 < held.shape[-1] <= _MOST or held._a.dtype.kind != "f" or not np.isfinite(held._a).all():
        return None
    every = held._a.reshape(-1, *held._a.shape[-2:])[:_MOST].astype(float)
    lowest = np.linalg.eigvalsh((every + every.swapaxes(1, 2)) / 2)[:, 0]
    at = int(lowest.argmin())
    return _Given(call, node, every[at], float(lowest[at]))


def _jitter(case: Case, given: _Given) -> tuple[str, Fix | None]:
    """A little noise on the diagonal, at the call."""
    torch, imports = case.with_torch()
    text = case.text(given.node)
    text = f"{text} + 1e-3 * {torch}.eye({given.size if not isinstance(given.node, ast.Name) else f'{text}.size(-1)'})"
    return text, case.fix([*case.replace(given.node, text), *imports], given.call)


@finds(errors.NOT_POSITIVE, errors.MODULE_ARGUMENT)
def _taken_from_the_diagonal(case: Case) -> Finding | None:
    """``K - noise * torch.eye(n)``: noise is added."""
    given = _given(case)
    if given is None:
        return None
    for node in Flow(case).behind(given.node):
        parent = case.parents.get(node)
        if isinstance(parent, ast.AugAssign) and parent.value is node and isinstance(parent.op, ast.Sub):
            left, right, whole = parent.target, node, parent
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            left, right, whole = node.left, node.right, node  # type: ignore[assignment]  # a node, too
        else:
            continue
        if not _is_diagonal(case, right) or not _would_be(case, given, left, right):
            continue
        edits = _added(case, left, right)
        made = " ".join(case.text(whole).split())
        new = made.replace("-=", "+=", 1) if whole is parent else f"{case.text(left)} + {case.text(right)}"
        shown = f": `{new}`" if len(new) <= 72 else ""
        return finding(
            case,
            f"{code(case, whole)} on line {line(whole)} takes {code(case, right)} from the diagonal, which makes every eigenvalue smaller: the smallest is"
            f" {given.smallest:.2g}, and a covariance needs all of them above 0. Add it instead{shown}.",
            f"第 {line(whole)} 行的 {code(case, whole)} 从对角线上减去 {code(case, right)}，每个特征值都因此变小：最小的是 {given.smallest:.2g}，而协方差矩阵的特征值必须全部大于 0。请改为加上它"
            f"{shown.replace(': ', '：')}。",
            case.fix(edits, whole) if shown else apply(case, edits, "Add it: `+` for `-`", "改为相加：`-` 改成 `+`"),
            whole,
        )
    return None


def _would_be(case: Case, given: _Given, left: ast.expr, right: ast.expr) -> bool:
    """Whether a matrix would be positive definite, were a diagonal added that is subtracted."""
    first, taken = shape_at(case, left), Flow(case).tensor(right)
    if (first is not None and first[-1:] != (given.size,)) or isinstance(left, ast.Constant):
        return False
    if np.abs(given.array - given.array.T).max() > _ROUNDING * (np.abs(given.array).max() or 1.0):
        return False
    if taken is None:
        return True
    if taken.dim() != 2 or len(taken) != given.size:
        return False
    return bool(np.linalg.eigvalsh(given.array + 2 * taken._a.astype(float))[0] > 0)


def _is_diagonal(case: Case, node: ast.expr) -> bool:
    """Whether an expression is a multiple of the identity or the like."""
    node = definition(case, node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        return _is_diagonal(case, node.left) or _is_diagonal(case, node.right)
    return isinstance(node, ast.Call) and called(node) in _DIAGONAL


def _added(case: Case, left: ast.expr, right: ast.expr) -> list[Edit]:
    """A plus in the place of the minus between two operands."""
    first, second = case.program.span_of(left), case.program.span_of(right)
    if first is None or second is None or first.end_line != second.line:
        return []
    between = case.line(second.line)[first.end_column : second.column]
    at = between.find("-")
    column = first.end_column + at
    return (
        [Edit(Span(second.line, column, second.line, column + 1), "+")] if at >= 0 and between.count("-") == 1 else []
    )


@finds(errors.NOT_POSITIVE, errors.MODULE_ARGUMENT)
def _few_samples(case: Case) -> Finding | None:
    """``torch.cov`` or ``X.T @ X`` of fewer samples than there are dimensions."""
    given = _given(case)
    if given is None or not given.is_singular:
        return None
    for node in Flow(case).behind(given.node):
        if isinstance(node, ast.Call) and called(node) == "cov":
            held: ast.expr | None = argument_of(node, 0, "input")
            shape = shape_at(case, held) if held is not None else None
            if shape is None or held is None or len(shape) != 2 or shape[0] != given.size or shape[1] > shape[0]:
                continue
            turned = shape[0] > 2 * shape[1] and not case.text(held).endswith((".T", ".mT", ".t()"))
            if turned:
                return _rows_of_variables(case, given, node, held)
            return _rank(case, given, node, (shape[1], True))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            left, right = shape_at(case, node.left), shape_at(case, node.right)
            if left is None or right is None or len(left) != 2 or len(right) != 2:
                continue
            if left[0] == right[1] == given.size and left[1] < given.size:
                return _rank(case, given, node, (left[1], case.text(node.left).endswith(("T", ".t()"))))
    return None


def _rows_of_variables(case: Case, given: _Given, made: ast.Call, held: ast.expr) -> Finding:
    shape = shape_at(case, held) or ()
    text = text_with(case, made, held, f"{case.operand(held)}.T")
    return finding(
        case,
        f"`torch.cov` takes each row for a variable, and {code(case, held)} has the shape {list(shape)}: {code(case, made)} on line {line(made)} is a"
        f" {given.size}×{given.size} matrix of {shape[1]} observations, and singular. If the rows are the samples, transpose: `{text}`.",
        f"`torch.cov` 把每一行当作一个变量，而 {code(case, held)} 的形状是 {list(shape)}：第 {line(made)} 行的 {code(case, made)} 是由 {shape[1]} 次观测得到的"
        f" {given.size}×{given.size} 矩阵，是奇异的。如果每行是一个样本，请转置：`{text}`。",
        case.fix(case.followed(held, ".T"), made),
        made,
    )


def _rank(case: Case, given: _Given, made: ast.expr, of: tuple[int, bool]) -> Finding:
    """A matrix of too low a rank: of so many samples, or of rows with so many numbers."""
    text, fix = _jitter(case, given)
    most, samples = of
    what = f"of {most} samples" if samples else f"of rows with {most} numbers each"
    what_zh = f"由 {most} 个样本" if samples else f"由每行 {most} 个数的矩阵"
    more = f"Take more than {given.size} samples, or add" if samples else "Add"
    more_zh = f"请用多于 {given.size} 个样本，或者" if samples else "请"
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} makes a {given.size}×{given.size} matrix {what}, so its rank is at most {most} and it is singular: the"
        f" smallest eigenvalue is {given.smallest:.2g}, and all have to be above 0. {more} a little to the diagonal: `{text}`.",
        f"第 {line(made)} 行的 {code(case, made)} {what_zh}得到 {given.size}×{given.size} 的矩阵，它的秩最多是 {most}，因此是奇异的：最小的特征值是 {given.smallest:.2g}，而特征值必须全部大于 0。"
        f"{more_zh}在对角线上加一点：`{text}`。",
        fix,
        made,
    )


@finds(errors.NOT_POSITIVE, errors.MODULE_ARGUMENT)
def _wrong_entries(case: Case) -> Finding | None:
    """Entries that no covariance can have: two that differ across the diagonal, one of it that is not positive, one that is too large."""
    given = _given(case)
    if given is None:
        return None
    array, made = given.array, definition(case, given.node)
    where, where_zh = on_line(made)
    scale = float(np.abs(array).max()) or 1.0
    apart = np.abs(array - array.T)
    name = code(case, given.node)
    i, j = (int(one) for one in np.unravel_index(int(apart.argmax()), array.shape))
    diagonal = np.diag(array)
    low = int(diagonal.argmin())
    if apart[i, j] > 1e-4 * scale:
        why = f"is not symmetric: `[{i}, {j}]` is {array[i, j]:.4g}, and `[{j}, {i}]` is {array[j, i]:.4g}"
        why_zh = f"不对称：`[{i}, {j}]` 是 {array[i, j]:.4g}，而 `[{j}, {i}]` 是 {array[j, i]:.4g}"
        text = case.text(given.node) if isinstance(given.node, ast.Name) else "A"
        action = (
            f"Write the same number at both places; of any matrix `A @ A.mT` is symmetric, here `{text} @ {text}.mT`"
        )
        action_zh = f"请在两处写同一个数；任何矩阵的 `A @ A.mT` 都是对称的，这里是 `{text} @ {text}.mT`"
    elif (
        not array.any()
        or diagonal[low] < -_ROUNDING * scale
        or (diagonal[low] <= _ROUNDING * scale and not given.is_singular)
    ):
        if not array.any():
            why, why_zh = "holds only zeros", "全是零"
        else:
            why = f"has {diagonal[low] + 0.0:.3g} on its diagonal (`[{low}, {low}]`), where a covariance has its variances"
            why_zh = f"的对角线上有 {diagonal[low] + 0.0:.3g}（`[{low}, {low}]`），而协方差矩阵的对角线是方差"
        action, action_zh = "Make the diagonal positive where the matrix is made", "请在创建矩阵的地方让对角线为正"
    elif given.is_singular:
        return _singular_covariance(case, given) if case.details.get("message") else None
    else:
        return _too_large(case, given)
    return finding(
        case,
        f"{name}{where} {why}, so it is no covariance and has no Cholesky factor. {action}.",
        f"{name}{where_zh} {why_zh}，所以它不是协方差矩阵，没有 Cholesky 分解。{action_zh}。",
        (),
        made,
    )


def _too_large(case: Case, given: _Given) -> Finding:
    """An entry off the diagonal that is larger than the two variances allow, or only the eigenvalue."""
    array, made = given.array, definition(case, given.node)
    where, where_zh = on_line(made)
    name = code(case, given.node)
    bound = np.sqrt(np.outer(np.diag(array).clip(0), np.diag(array).clip(0)))
    over = np.abs(array) - bound
    np.fill_diagonal(over, -np.inf)
    i, j = (int(one) for one in np.unravel_index(int(over.argmax()), over.shape)) if given.size > 1 else (0, 0)
    if given.size > 1 and over[i, j] > 0:
        return finding(
            case,
            f"{name}{where} has {array[i, j]:.4g} at `[{i}, {j}]`, and the variances `[{i}, {i}]` and `[{j}, {j}]` allow at most"
            f" √({array[i, i]:.4g} · {array[j, j]:.4g}) = {bound[i, j]:.4g}: its smallest eigenvalue is {given.smallest:.3g}, and all have to be above 0. Make this"
            f" entry smaller, or the variances larger.",
            f"{name}{where_zh} 的 `[{i}, {j}]` 是 {array[i, j]:.4g}，而方差 `[{i}, {i}]` 和 `[{j}, {j}]` 最多允许 √({array[i, i]:.4g} · {array[j, j]:.4g}) ="
            f" {bound[i, j]:.4g}：最小的特征值是 {given.smallest:.3g}，而特征值必须全部大于 0。请减小这个元素，或者增大方差。",
            (),
            made,
        )
    return finding(
        case,
        f"{name}{where} is symmetric, but its smallest eigenvalue is {given.smallest:.3g}, and a Cholesky factor needs all of them above 0: it is no covariance."
        f" Look at how it is made; to make it one, more than {-given.smallest:.3g} would have to be added to the diagonal.",
        f"{name}{where_zh} 是对称的，但最小的特征值是 {given.smallest:.3g}，而 Cholesky 分解要求全部大于 0：它不是协方差矩阵。请检查它是怎样得到的；要让它成为协方差矩阵，对角线上要加上大于"
        f" {-given.smallest:.3g} 的数。",
        (),
        made,
    )


def _singular_covariance(case: Case, given: _Given) -> Finding:
    """A covariance whose smallest variance is nothing but rounding."""
    text, fix = _jitter(case, given)
    made = definition(case, given.node)
    same = len(np.unique(given.array, axis=0)) < given.size
    why = "has equal rows" if same else "has eigenvalues that are 0 but for rounding"
    why_zh = "有相同的行" if same else "有些特征值在舍入误差内为 0"
    return finding(
        case,
        f"{code(case, given.node)} (line {line(made)}) {why}, so it is singular: its smallest eigenvalue is {given.smallest:.2g}, and a covariance needs all"
        f" of them above 0. Add a little to the diagonal: `{text}`.",
        f"{code(case, given.node)}（第 {line(made)} 行）{why_zh}，因此是奇异的：最小的特征值是 {given.smallest:.2g}，而协方差矩阵的特征值必须全部大于 0。请在对角线上加一点：`{text}`。",
        fix,
        made,
    )


@finds(errors.MODULE_ARGUMENT)
def _no_factor(case: Case) -> Finding | None:
    """``scale_tril`` of a covariance, or of a factor whose diagonal is not positive."""
    told = _CONSTRAINT.search(str(case.details.get("message", "")))
    call = case.find(ast.Call)
    if call is None or told is None or (told[1], told[2]) != ("scale_tril", "LowerCholesky"):
        return None
    given = next((one for one in call.keywords if one.arg == "scale_tril"), None)
    held = Flow(case).tensor(given.value) if given is not None else None
    if given is None or held is None or held.dim() != 2:
        return None
    array = held._a.astype(float)
    made = definition(case, given.value)
    where, where_zh = on_line(made)
    name = code(case, given.value)
    if np.triu(array, 1).any():
        symmetric = bool(np.allclose(array, array.T))
        text = (
            f"covariance_matrix={case.text(given.value)}"
            if symmetric
            else f"scale_tril={case.operand(given.value)}.tril()"
        )
        why = "is a symmetric matrix, a covariance, and" if symmetric else "has numbers above its diagonal, and"
        why_zh = "是对称矩阵，也就是协方差" if symmetric else "的对角线上方有数"
        return finding(
            case,
            f"{name}{where} {why} `scale_tril` is the lower triangle of the Cholesky factor. Write `{text}`.",
            f"{name}{where_zh} {why_zh}，而 `scale_tril` 是 Cholesky 分解的下三角矩阵。请写 `{text}`。",
            write(case, given, text, call) if symmetric else (),
            made,
        )
    low = int(np.diag(array).argmin())
    return finding(
        case,
        f"{name}{where} has {array[low, low]:.3g} on its diagonal (`[{low}, {low}]`), and the diagonal of `scale_tril`, a Cholesky factor, has to be positive."
        f" Make it so: `exp` or `softplus` of any number is.",
        f"{name}{where_zh} 的对角线上有 {array[low, low]:.3g}（`[{low}, {low}]`），而 `scale_tril` 是 Cholesky 因子，对角线必须为正。请让它为正：任何数的 `exp` 或 `softplus` 都是正的。",
        (),
        made,
    )
