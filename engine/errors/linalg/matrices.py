"""What decompositions of matrices and systems of equations refuse, in PyTorch's words."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind
from gradflow.engine.errors.linalg.linear_algebra import LinAlgError

MATRIX_PROBLEM = ErrorKind(
    "matrix-problem",
    RuntimeError,
    "{problem}",
    "The matrices do not fit what is asked of them.\nCompare their shapes: a square matrix has as many rows as columns, and batches stand in front.",
    "这些矩阵不符合这个函数的要求。\n请对照它们的形状：方阵的行数等于列数，最前面的批次维要一致。",
)
MATRIX_FAILURE = ErrorKind(
    "matrix-failure",
    LinAlgError,
    "{problem}",
    "The matrix has no such decomposition or solution.\nIt may be singular; `torch.linalg.pinv` and `lstsq` need no inverse.",
    "这个矩阵没有这样的分解或解。\n它可能是奇异的；`torch.linalg.pinv` 和 `lstsq` 不要求可逆。",
)
SINGULAR_FACTOR = ErrorKind(
    "singular-factor",
    RuntimeError,
    "torch.linalg.lu_factor: {batch}U[{order},{order}] is zero and using it on lu_solve would result in a division by zero. "
    "If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)",
    "The matrix is singular: its rows depend on each other. `torch.linalg.lu` takes it all the same.",
    "矩阵是奇异的：各行线性相关。可以用 `torch.linalg.lu`。",
)
FLOAT_POWER_DTYPE = ErrorKind(
    "float-power-dtype",
    RuntimeError,
    "the base given to float_power_ has dtype {dtype} but the operation's result requires dtype {wanted}",
    "The result is in double precision, which does not fit into the tensor. Use `float_power`.",
    "结果是双精度的，这个张量放不下。请用 `float_power`。",
)
GAUGE = ErrorKind(
    "gauge",
    RuntimeError,
    "{function}: The {vectors} in the complex case are specified up to multiplication by e^{{i phi}}. "
    "The specified loss function depends on this quantity, so it is ill-defined.",
    "Each of the vectors can be turned in the complex plane without being wrong, and the loss would change.",
    "每个向量在复平面内旋转后仍然正确，而损失却会改变。",
)
UNRAVEL_DTYPE = ErrorKind(
    "unravel-dtype",
    TypeError,
    "expected 'indices' to be integer dtype, but got {dtype}",
    "The numbers of places are whole: convert with `.long()`.",
    "位置的编号是整数：请用 `.long()` 转换。",
)
UNRAVEL_SHAPE = ErrorKind(
    "unravel-shape",
    ValueError,
    "'shape' cannot have negative values, but got {shape}",
    "No dimension has a negative length.",
    "任何维度的长度都不能为负。",
)
