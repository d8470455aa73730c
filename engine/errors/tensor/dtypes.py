"""Errors about the kind of numbers in a tensor: what single functions do not take."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

_FLOATS = (
    """This function works with floating point numbers, and here they are `{dtype}`.
    Convert with `.float()` first.""",
    """这个函数用于浮点数，而这里是 `{dtype}`。
    请先用 `.float()` 转换。""",
)
_BOOL = (
    """Truth values are no numbers to compute with here.
    Convert them with `.float()` or `.int()`.""",
    """布尔值在这里不能当作数来计算。
    请用 `.float()` 或 `.int()` 转换。""",
)
_SAME = (
    """Both tensors need one dtype.
    Convert one of them, for example with `.float()`.""",
    """两个张量的类型要相同。
    请转换其中一个，例如 `.float()`。""",
)

ABS_IN_PLACE = ErrorKind(
    "abs-in-place",
    RuntimeError,
    "In-place abs is not supported for complex tensors.",
    """An absolute value is a real number, which a complex tensor cannot take on.
    Write `y = x.abs()`.""",
    """绝对值是实数，不能写回复数张量。
    请写成 `y = x.abs()`。""",
)
COSINE_DTYPE = ErrorKind(
    "cosine-dtype",
    RuntimeError,
    "expected common dtype to be floating point, yet common dtype is {dtype}",
    *_FLOATS,
)
DIST_DTYPE = ErrorKind(
    "dist-dtype",
    RuntimeError,
    "norm(): input dtype should be either floating point or complex. Got {dtype} instead.",
    *_FLOATS,
)
ISIN_DTYPE = ErrorKind(
    "isin-dtype",
    RuntimeError,
    "Unsupported input type encountered for isin(): {dtype}",
    """`isin` does not look for `{dtype}` elements.
    Convert them to integers or floats first.""",
    """`isin` 不支持查找 `{dtype}` 元素。
    请先转换成整数或浮点数。""",
)
KL_COMPLEX = ErrorKind(
    "kl-complex",
    RuntimeError,
    "kl_div: Complex inputs not supported.",
    """`kl_div` compares probabilities, which are real.
    Take the real part (`.real`) or the absolute value (`.abs()`).""",
    """`kl_div` 比较的是概率，应为实数。
    请取实部（`.real`）或绝对值（`.abs()`）。""",
)
TRAPEZOID_BOOL = ErrorKind(
    "trapezoid-bool",
    RuntimeError,
    "{name}: received a bool input for {which}, but bool is not supported",
    *_BOOL,
)
MVLGAMMA_BOOL = ErrorKind("mvlgamma-bool", RuntimeError, "The input tensor may not be a boolean tensor.", *_BOOL)
COVARIANCE_BOOL = ErrorKind("covariance-bool", RuntimeError, "cov(): bool dtype is not supported for input", *_BOOL)
COVARIANCE_WEIGHTS = ErrorKind(
    "covariance-weights",
    RuntimeError,
    "cov(): {problem}",
    """The weights of `cov` are one for each observation: whole numbers that count it, or floating point ones, none negative.
    Check their shape and dtype.""",
    """`cov` 的权重与观测一一对应：`fweights` 是整数次数，`aweights` 是浮点数，都不能为负。
    请检查它们的形状和 dtype。""",
)
MVLGAMMA_ORDER = ErrorKind(
    "mvlgamma-order",
    RuntimeError,
    "p has to be greater than or equal to 1",
    """The dimension of a multivariate function is 1 or more.
    With 1, `mvlgamma` is `lgamma`.""",
    """多元函数的维数至少是 1。
    维数为 1 时，`mvlgamma` 就是 `lgamma`。""",
)
VANDER_DTYPE = ErrorKind(
    "vander-dtype",
    RuntimeError,
    "linalg.vander supports floating point, complex, and integer tensors, but got {dtype}",
    """Powers of `{dtype}` elements are not computed here.
    Convert with `.float()` first.""",
    """这里不能计算 `{dtype}` 元素的幂。
    请先用 `.float()` 转换。""",
)
MV_DTYPE = ErrorKind(
    "mv-dtype",
    RuntimeError,
    "addmv input tensors must have the same dtype, but got {added}, {mat}, and {vec}",
    *_SAME,
)
CONTRACTION_DTYPES = ErrorKind(
    "contraction-dtypes",
    RuntimeError,
    "both inputs should have same dtype",
    *_SAME,
)
BADDBMM_DTYPES = ErrorKind(
    "baddbmm-dtypes",
    RuntimeError,
    "Input dtypes must be the same, got: input {added}, batch1: {first}, batch2: {second}",
    *_SAME,
)
VECDOT_DTYPES = ErrorKind(
    "vecdot-dtypes",
    RuntimeError,
    "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {a} and y of type {b} instead",
    *_SAME,
)
