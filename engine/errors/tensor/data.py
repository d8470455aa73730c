"""Errors of the data that a tensor is made of: lists, numbers and arrays."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

RAGGED_DATA = ErrorKind(
    "ragged-data",
    ValueError,
    "expected sequence of length {expected} at dim {dim} (got {actual})",
    """The rows are not equally long: one has {expected} entries and another {actual}.
    A tensor is rectangular, so give every row the same length.""",
    """各行长度不一致：一行有 {expected} 个，另一行有 {actual} 个。
    张量是方正的，请让每一行一样长。""",
)


DATA_NOT_SEQUENCE = ErrorKind(
    "data-not-sequence",
    TypeError,
    "not a sequence",
    """Numbers and lists stand side by side in the data.
    A tensor is rectangular: put every entry at the same depth of brackets.""",
    """数据里数字和列表混在一起。
    张量是方正的：请让每个数处在同样深的括号里。""",
)


DATA_NOT_NUMBER = ErrorKind(
    "data-not-number",
    TypeError,
    "'{type}' object cannot be interpreted as an integer",
    """Numbers and `{type}` stand side by side in the data.
    A tensor is rectangular: put every entry at the same depth of brackets.""",
    """数据里数和 `{type}` 混在一起。
    张量是方正的：请让每个数处在同样深的括号里。""",
)


DATA_INVALID = ErrorKind(
    "data-invalid",
    TypeError,
    "new(): invalid data type '{type}'",
    """A tensor is made of numbers, and `{type}` is not a number.
    Convert it first, with `float(...)` for example.""",
    """张量由数组成，而 `{type}` 不是数。
    请先转换，例如用 `float(...)`。""",
)


DATA_NOT_REAL = ErrorKind(
    "data-not-real",
    TypeError,
    "must be real number, not {type}",
    """A tensor of this type is made of real numbers, and `{type}` is none.
    Convert it first, with `float(...)` for example.""",
    """这种张量由实数组成，而 `{type}` 不是实数。
    请先转换，例如用 `float(...)`。""",
)


DATA_DTYPE_UNKNOWN = ErrorKind(
    "data-dtype-unknown",
    RuntimeError,
    "Could not infer dtype of {type}",
    """A tensor is made of numbers, and nothing is known of how to make one of `{type}`.
    Check what the data holds.""",
    """张量由数组成，无法由 `{type}` 得到数。
    请检查数据里有什么。""",
)


DATA_SEQUENCE = ErrorKind(
    "data-sequence",
    TypeError,
    "new(): data must be a sequence (got {type})",
    """The old constructors take sizes (whole numbers) or a list of values, and `{type}` is neither.
    Use `torch.tensor(...)`.""",
    """旧式构造函数接受大小（整数）或数值列表，而 `{type}` 都不是。
    请用 `torch.tensor(...)`。""",
)


NOT_NDARRAY = ErrorKind(
    "not-ndarray",
    TypeError,
    "expected np.ndarray (got {type})",
    """`from_numpy` shares the memory of a NumPy array, and was given `{type}`.
    Use `torch.tensor(...)` for lists and numbers.""",
    """`from_numpy` 与 NumPy 数组共享内存，而这里给的是 `{type}`。
    列表和数请用 `torch.tensor(...)`。""",
)


DATA_DIMENSIONS = ErrorKind(
    "data-dimensions",
    ValueError,
    "too many dimensions '{type}'",
    """A tensor is made of numbers, and the list holds `{type}`.
    Convert the entries first, with `float(...)` for example.""",
    """张量由数组成，而列表里是 `{type}`。
    请先转换，例如用 `float(...)`。""",
)
