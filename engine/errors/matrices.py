"""What decompositions of matrices and systems of equations refuse, in PyTorch's words."""

from __future__ import annotations

from engine.errors.kind import ErrorKind
from engine.errors.linear_algebra import LinAlgError

MATRIX_PROBLEM = ErrorKind(
    "matrix-problem",
    RuntimeError,
    "{problem}",
    "The matrices do not fit what is asked of them.",
    "这些矩阵不符合这个函数的要求。",
)
MATRIX_FAILURE = ErrorKind(
    "matrix-failure",
    LinAlgError,
    "{problem}",
    "The matrix has no such decomposition or solution.",
    "这个矩阵没有这样的分解或解。",
)
SINGULAR_FACTOR = ErrorKind(
    "singular-factor",
    RuntimeError,
    "torch.linalg.lu_factor: {batch}U[{order},{order}] is zero and using it on lu_solve would result in a division by zero. "
    "If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)",
    "The matrix is singular: its rows depend on each other. `torch.linalg.lu` takes it all the same.",
    "矩阵是奇异的：各行线性相关。可以用 `torch.linalg.lu`。",
)
GAUGE = ErrorKind(
    "gauge",
    RuntimeError,
    "{function}: The {vectors} in the complex case are specified up to multiplication by e^{{i phi}}. "
    "The specified loss function depends on this quantity, so it is ill-defined.",
    "Each of the vectors can be turned in the complex plane without being wrong, and the loss would change.",
    "每个向量在复平面内旋转后仍然正确，而损失却会改变。",
)
