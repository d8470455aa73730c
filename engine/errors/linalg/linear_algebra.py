"""Errors of statistics, of linear algebra and of Fourier transforms."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

SPREAD_DTYPE = ErrorKind(
    "spread-dtype",
    RuntimeError,
    "{name} only support floating point and complex dtypes",
    "Variance and standard deviation are computed of floating point numbers only.\nConvert first, with `.float()`.",
    "只有浮点数才能求方差和标准差。\n请先用 `.float()` 转换。",
)
EMPTY_DIMENSION = ErrorKind(
    "empty-dimension",
    IndexError,
    "{name}: Expected reduction dim {dim} to have non-zero size.",
    "Dimension {dim} has no elements, so there is nothing to choose from.",
    "第 {dim} 维没有元素，无从选取。",
)
COVARIANCE_DIMENSIONS = ErrorKind(
    "covariance-dimensions",
    RuntimeError,
    "{name}(): expected input to have two or fewer dimensions but got an input with {ndim} dimensions",
    "The variables are the rows of a matrix, and the input has {ndim} dimensions.",
    "变量是矩阵的各行，而输入有 {ndim} 维。",
)
QUANTILE_RANGE = ErrorKind(
    "quantile-range",
    RuntimeError,
    "quantile() q must be in the range [0, 1] but got {q}",
    "A quantile is given by a share between 0 and 1, and here it is {q}.",
    "分位数由 0 到 1 之间的比例给出，而这里是 {q}。",
)
QUANTILE_SHAPE = ErrorKind(
    "quantile-shape",
    RuntimeError,
    "quantile() q must be a scalar or 1D tensor",
    "The shares are one number or a vector of numbers.",
    "比例要么是一个数，要么是一个向量。",
)
QUANTILE_EMPTY = ErrorKind(
    "quantile-empty",
    RuntimeError,
    "quantile() input tensor must be non-empty",
    "There are no elements to take a quantile of.",
    "没有元素，无法求分位数。",
)
QUANTILE_DTYPE = ErrorKind(
    "quantile-dtype",
    RuntimeError,
    "quantile() input tensor must be either float or double dtype",
    "Quantiles are computed of floating point numbers only. Convert first, with `.float()`.",
    "只有浮点数才能求分位数。请先用 `.float()` 转换。",
)
QUANTILE_SHARES_DTYPE = ErrorKind(
    "quantile-shares-dtype",
    RuntimeError,
    "quantile() q tensor must be same dtype as the input tensor",
    "The tensor of shares needs the dtype of the input. Convert one of the two.",
    "比例张量的类型要与输入相同，请转换其中一个。",
)
QUANTILE_INTERPOLATION = ErrorKind(
    "quantile-interpolation",
    RuntimeError,
    "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {given}",
    "Between two elements the value is chosen in one of these ways; `{given}` is none of them.",
    "两个元素之间的取值方式只能是这几种之一，`{given}` 不是。",
)
NANMEAN_DTYPE = ErrorKind(
    "nanmean-dtype",
    RuntimeError,
    "nanmean(): expected input to have floating point or complex dtype but got {dtype}",
    "Only floating point numbers can be NaN. Convert first, with `.float()`.",
    "只有浮点数才会是 NaN。请先用 `.float()` 转换。",
)
DIFF_DIMENSIONS = ErrorKind(
    "diff-dimensions",
    RuntimeError,
    "diff expects input to be at least one-dimensional",
    "A single number has no neighbours to subtract.",
    "单个数没有可以相减的相邻元素。",
)
DIFF_ORDER = ErrorKind(
    "diff-order",
    RuntimeError,
    "order must be non-negative but got {n}",
    "Differences are taken n times, and {n} is no such number.",
    "差分要做 n 次，而 {n} 不是这样的次数。",
)
TRAPEZOID_POINTS = ErrorKind(
    "trapezoid-points",
    RuntimeError,
    "trapezoid: There must be one `x` value for each sample point",
    "The points `x` and the values along the dimension are equally many.",
    "`x` 的个数要与该维上的取值个数相同。",
)

# -- products ----------------------------------------------------------------------------------------------------------

ADD_MATRIX = ErrorKind(
    "add-matrix",
    RuntimeError,
    "{name} must be a matrix, got {ndim}-D tensor",
    "`addmm` adds a product of two matrices, and {name} has {ndim} dimensions.",
    "`addmm` 加上两个矩阵的乘积，而 {name} 有 {ndim} 维。",
)
ADDR_DIMENSIONS = ErrorKind(
    "addr-dimensions",
    RuntimeError,
    "addr: Expected 1-D argument {name}, but got {ndim}-D",
    "`addr` adds an outer product of two vectors, and {name} has {ndim} dimensions.",
    "`addr` 加上两个向量的外积，而 {name} 有 {ndim} 维。",
)
TRACE_DIMENSIONS = ErrorKind(
    "trace-dimensions",
    RuntimeError,
    "trace: expected a matrix, but got tensor with dim {ndim}",
    "A trace is the sum of the diagonal of one matrix, and here are {ndim} dimensions.",
    "迹是一个矩阵的对角线之和，而这里有 {ndim} 维。",
)
CROSS_DIMENSIONS = ErrorKind(
    "cross-dimensions",
    RuntimeError,
    "linalg.cross: inputs must have the same number of dimensions.",
    "The two operands of a cross product have equally many dimensions. Add one with `unsqueeze`.",
    "叉积的两个操作数维数要相同，可以用 `unsqueeze` 增加一维。",
)
CROSS_LENGTH = ErrorKind(
    "cross-length",
    RuntimeError,
    "linalg.cross: inputs dimension {dim} must have length 3. Got {a} and {b}",
    "Cross products are of vectors of three elements. Along dimension {dim} there are {a} and {b}.",
    "叉积只对三个元素的向量有定义，而第 {dim} 维上有 {a} 个和 {b} 个。",
)
EINSUM_EQUATION = ErrorKind(
    "einsum-equation",
    RuntimeError,
    "einsum(): {problem}",
    "The equation does not fit the operands: each letter names one dimension of one operand, and equal letters stand for equal sizes.",
    "等式与操作数不符：每个字母表示某个操作数的一维，相同字母对应的大小要相同。",
)
EINSUM_OPERANDS = ErrorKind(
    "einsum-operands",
    ValueError,
    "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list",
    "`einsum` takes an equation and the tensors it names.",
    "`einsum` 需要一个等式和其中的各个张量。",
)
TENSORDOT = ErrorKind(
    "tensordot-dimensions",
    RuntimeError,
    "{problem}",
    "`tensordot` multiplies and sums over pairs of dimensions, and these do not fit.",
    "`tensordot` 沿成对的维相乘并求和，而这些维不匹配。",
)
INNER_SHAPE = ErrorKind(
    "inner-shape",
    RuntimeError,
    "inner() the last dimension must match on both input tensors but got shapes {a} and {b}",
    "Inner products are taken along the last dimension of both tensors, which must be equally long.",
    "内积沿两个张量的最后一维进行，它们的长度要相同。",
)
MULTI_DOT_COUNT = ErrorKind(
    "multi-dot-count",
    RuntimeError,
    "multi_dot(): expected at least 2 tensors but got {count}",
    "A chain of products needs at least two factors.",
    "连乘至少需要两个因子。",
)

# -- matrices ----------------------------------------------------------------------------------------------------------


class _LinAlgError(RuntimeError):
    """What PyTorch raises for a matrix without the wanted decomposition."""


_LinAlgError.__module__ = "torch._C"
LinAlgError = _LinAlgError

MATRIX_DIMENSIONS = ErrorKind(
    "matrix-dimensions",
    RuntimeError,
    "{function}: The input tensor {name} must have at least 2 dimensions.",
    "This works on a matrix, or on a batch of matrices in the last two dimensions.",
    "这个操作作用于矩阵，或最后两维上的一批矩阵。",
)
SQUARE_MATRIX = ErrorKind(
    "square-matrix",
    RuntimeError,
    "{function}: A must be batches of square matrices, but they are {rows} by {columns} matrices",
    "Only square matrices have this; here they have {rows} rows and {columns} columns.",
    "只有方阵才有意义，而这里是 {rows} 行 {columns} 列。",
)
MATRIX_DTYPE = ErrorKind(
    "matrix-dtype",
    RuntimeError,
    "{function}: Expected a floating point or complex tensor as input. Got {dtype}",
    "Linear algebra needs floating point numbers. Convert first, with `.float()`.",
    "线性代数需要浮点数。请先用 `.float()` 转换。",
)
SINGULAR_INVERSE = ErrorKind(
    "singular-inverse",
    _LinAlgError,
    "linalg.inv: {batch}The diagonal element {order} is zero, the inversion could not be completed because the input matrix is singular.",
    "The rows of the matrix depend on each other, so that it has no inverse. `torch.linalg.pinv` gives the pseudoinverse.",
    "矩阵的各行线性相关，所以没有逆矩阵。可以用 `torch.linalg.pinv` 求伪逆。",
)
SINGULAR_SOLVE = ErrorKind(
    "singular-solve",
    _LinAlgError,
    "torch.linalg.solve: {batch}The solver failed because the input matrix is singular.",
    "The rows of the matrix depend on each other, so that the equations have no single solution. `torch.linalg.lstsq` finds the nearest one.",
    "矩阵的各行线性相关，方程组没有唯一解。可以用 `torch.linalg.lstsq` 求最近的解。",
)
SOLVE_SHAPE = ErrorKind(
    "solve-shape",
    RuntimeError,
    "{function}: Incompatible shapes of A and B for the equation {equation} = B ({a:x} and {b:x})",
    "B has as many rows as A; here A is {a:x} and B {b:x}.",
    "B 的行数要与 A 相同，而这里 A 是 {a:x}，B 是 {b:x}。",
)
SOLVE_DTYPE = ErrorKind(
    "solve-dtype",
    RuntimeError,
    "{function}: Expected A and B to have the same dtype, but found A of type {a} and B of type {b} instead",
    "Both sides need one dtype; here they are {a} and {b}.",
    "两边的类型要相同，而这里是 {a} 和 {b}。",
)
NOT_POSITIVE = ErrorKind(
    "not-positive-definite",
    _LinAlgError,
    "{function}: {batch}The factorization could not be completed because the input is not positive-definite (the leading minor of order"
    " {order} is not positive-definite).",
    "A Cholesky factor exists only of a symmetric matrix whose eigenvalues are all positive. Adding a small multiple of the identity may help.",
    "只有特征值全为正的对称矩阵才有 Cholesky 分解。可以加上单位矩阵的一个小倍数。",
)
QR_MODE = ErrorKind(
    "qr-mode",
    RuntimeError,
    "qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'",
    "`{mode}` is not one of the three modes.",
    "`{mode}` 不是这三种方式之一。",
)
QR_DERIVATIVE = ErrorKind(
    "qr-derivative",
    RuntimeError,
    "{problem}",
    "In this mode not enough is computed for a gradient. Use `mode='reduced'`.",
    "这种方式算出的结果不足以求梯度。请用 `mode='reduced'`。",
)
MATRIX_NORM_ORDER = ErrorKind(
    "matrix-norm-order",
    RuntimeError,
    "linalg.matrix_norm: Order {order} not supported.",
    "Matrices have the norms 'fro', 'nuc', 1, -1, 2, -2, inf and -inf.",
    "矩阵范数只有 'fro'、'nuc'、1、-1、2、-2、inf 和 -inf。",
)
MATRIX_NORM_DIMENSIONS = ErrorKind(
    "matrix-norm-dimensions",
    RuntimeError,
    "linalg.matrix_norm: {problem}",
    "A matrix norm is taken over two different dimensions.",
    "矩阵范数沿两个不同的维求得。",
)
NORM_DIMENSIONS = ErrorKind(
    "norm-dimensions",
    RuntimeError,
    "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {ndim}D.",
    "With {ndim} dimensions it is not said which of them are meant. Give `dim`.",
    "有 {ndim} 维，没有说明是哪几维。请给出 `dim`。",
)
VANDER_COLUMNS = ErrorKind(
    "vander-columns",
    RuntimeError,
    "N must be greater than 1.",
    "A Vandermonde matrix has at least two columns.",
    "范德蒙德矩阵至少有两列。",
)
TENSORINV_SHAPE = ErrorKind(
    "tensorinv-shape",
    RuntimeError,
    "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {a} != {b}",
    "Seen as a matrix the tensor must be square.",
    "把张量看作矩阵时必须是方阵。",
)
PINV_INPUT = ErrorKind(
    "pinv-input",
    RuntimeError,
    "linalg.pinv({dtype}{{{shape}}}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types",
    "Pseudoinverses are of matrices of floating point numbers, and this is {shape}.",
    "伪逆只对浮点矩阵有定义，而这里是 {shape}。",
)
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
LOW_PRECISION = ErrorKind(
    "low-precision",
    RuntimeError,
    "{name}: Low precision dtypes not supported. Got {dtype}",
    """Half precision has too few digits for this. Convert the matrix to float32: `.float()`.""",
    """半精度的位数不够做这个计算。请把矩阵转换为 float32：`.float()`。""",
)
FOURIER_REFUSED = ErrorKind(
    "fourier-refused",
    RuntimeError,
    "{message}",
    """The transform does not take this tensor with these settings.
    Look at its dtype, at the number of points and at the dimensions.""",
    """变换不接受这样的张量或设置。
    请检查它的 dtype、点数和维度。""",
)
