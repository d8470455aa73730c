"""Errors of statistics and of linear algebra."""

from __future__ import annotations

from engine.errors.kind import ErrorKind

SPREAD_DTYPE = ErrorKind(
    "spread-dtype", RuntimeError, "{name} only support floating point and complex dtypes",
    "Variance and standard deviation are computed of floating point numbers only.\nConvert first, with `.float()`.",
    "只有浮点数才能求方差和标准差。\n请先用 `.float()` 转换。",
)  # fmt: skip
EMPTY_DIMENSION = ErrorKind(
    "empty-dimension", IndexError, "{name}: Expected reduction dim {dim} to have non-zero size.",
    "Dimension {dim} has no elements, so there is nothing to choose from.",
    "第 {dim} 维没有元素，无从选取。",
)  # fmt: skip
COVARIANCE_DIMENSIONS = ErrorKind(
    "covariance-dimensions", RuntimeError,
    "{name}(): expected input to have two or fewer dimensions but got an input with {ndim} dimensions",
    "The variables are the rows of a matrix, and the input has {ndim} dimensions.", "变量是矩阵的各行，而输入有 {ndim} 维。",
)  # fmt: skip
QUANTILE_RANGE = ErrorKind(
    "quantile-range", RuntimeError, "quantile() q must be in the range [0, 1] but got {q}",
    "A quantile is given by a share between 0 and 1, and here it is {q}.", "分位数由 0 到 1 之间的比例给出，而这里是 {q}。",
)  # fmt: skip
QUANTILE_SHAPE = ErrorKind(
    "quantile-shape", RuntimeError, "quantile() q must be a scalar or 1D tensor",
    "The shares are one number or a vector of numbers.", "比例要么是一个数，要么是一个向量。",
)  # fmt: skip
QUANTILE_EMPTY = ErrorKind(
    "quantile-empty", RuntimeError, "quantile() input tensor must be non-empty",
    "There are no elements to take a quantile of.", "没有元素，无法求分位数。",
)  # fmt: skip
QUANTILE_DTYPE = ErrorKind(
    "quantile-dtype", RuntimeError, "quantile() input tensor must be either float or double dtype",
    "Quantiles are computed of floating point numbers only. Convert first, with `.float()`.",
    "只有浮点数才能求分位数。请先用 `.float()` 转换。",
)  # fmt: skip
QUANTILE_SHARES_DTYPE = ErrorKind(
    "quantile-shares-dtype", RuntimeError, "quantile() q tensor must be same dtype as the input tensor",
    "The tensor of shares needs the dtype of the input. Convert one of the two.", "比例张量的类型要与输入相同，请转换其中一个。",
)  # fmt: skip
QUANTILE_INTERPOLATION = ErrorKind(
    "quantile-interpolation", RuntimeError,
    "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {given}",
    "Between two elements the value is chosen in one of these ways; `{given}` is none of them.",
    "两个元素之间的取值方式只能是这几种之一，`{given}` 不是。",
)  # fmt: skip
NANMEAN_DTYPE = ErrorKind(
    "nanmean-dtype", RuntimeError, "nanmean(): expected input to have floating point or complex dtype but got {dtype}",
    "Only floating point numbers can be NaN. Convert first, with `.float()`.", "只有浮点数才会是 NaN。请先用 `.float()` 转换。",
)  # fmt: skip
DIFF_DIMENSIONS = ErrorKind(
    "diff-dimensions", RuntimeError, "diff expects input to be at least one-dimensional",
    "A single number has no neighbours to subtract.", "单个数没有可以相减的相邻元素。",
)  # fmt: skip
DIFF_ORDER = ErrorKind(
    "diff-order", RuntimeError, "order must be non-negative but got {n}",
    "Differences are taken n times, and {n} is no such number.", "差分要做 n 次，而 {n} 不是这样的次数。",
)  # fmt: skip
TRAPEZOID_POINTS = ErrorKind(
    "trapezoid-points", RuntimeError, "trapezoid: There must be one `x` value for each sample point",
    "The points `x` and the values along the dimension are equally many.", "`x` 的个数要与该维上的取值个数相同。",
)  # fmt: skip
