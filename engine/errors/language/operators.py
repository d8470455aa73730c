"""Operators and the numbers in them: truth values, ``alpha``, conversions that lose something."""

from gradflow.engine.errors.error_kind import ErrorKind

BOOL_SUBTRACT_ONE = ErrorKind(
    "bool-subtract-one",
    RuntimeError,
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~`"
    " or `logical_not()` operator instead.",
    """Truth values cannot be subtracted, nor subtracted from.
    To turn a mask around write `~mask`; to count with it convert it by `.float()`.""",
    """布尔值不能做减法。
    要把掩码取反请写 `~mask`；要用它计数请用 `.float()` 转换。""",
)
ALPHA_COMPLEX = ErrorKind(
    "alpha-complex",
    RuntimeError,
    "For non-complex input tensors, argument alpha must not be a complex number.",
    """`alpha` multiplies the second operand and would make it complex.
    Give a real number, or convert the tensors to a complex dtype first.""",
    """`alpha` 乘在第二个操作数上，会使它变成复数。
    请给实数，或先把张量转换成复数类型。""",
)
ALPHA_FLOAT = ErrorKind(
    "alpha-float",
    RuntimeError,
    "For integral input tensors, argument alpha must not be a floating point number.",
    """`alpha` multiplies the second operand, and the tensors hold integers.
    Give an integer, or convert the tensors by `.float()`.""",
    """`alpha` 乘在第二个操作数上，而张量里是整数。
    请给整数，或用 `.float()` 转换张量。""",
)
ALPHA_BOOL = ErrorKind(
    "alpha-bool",
    RuntimeError,
    "Boolean alpha only supported for Boolean results.",
    """`alpha` is a number by which the second operand is multiplied.
    Write 1 for `True`.""",
    """`alpha` 是乘在第二个操作数上的数。
    请把 `True` 写成 1。""",
)
CONVERSION_OVERFLOW = ErrorKind(
    "conversion-overflow",
    RuntimeError,
    "value cannot be converted to type {target} without overflow",
    """The number does not fit into `{target}`; a complex one has an imaginary part too much.
    Take `.real`, or `abs()`, or a number in range.""",
    """这个数放不进 `{target}`；复数多出虚部。
    请取 `.real` 或 `abs()`，或换一个范围内的数。""",
)
UNSUPPORTED_INPUT = ErrorKind(
    "unsupported-input",
    RuntimeError,
    "{name}(): does not support {kind} input",
    """`{name}` needs numbers that have an order.
    Convert first: `.abs()` of complex numbers, `.int()` of truth values.""",
    """`{name}` 需要能比较大小的数。
    请先转换：复数用 `.abs()`，布尔值用 `.int()`。""",
)
EMPTY_ARGUMENT = ErrorKind(
    "empty-argument",
    IndexError,
    "{name}(): Expected reduction dim to be specified for input.numel() == 0.",
    """{tensor} has no elements, so it has no largest or smallest one.
    Check how it came to be empty.""",
    """{tensor} 没有元素，也就没有最大或最小的元素。
    请检查它为什么是空的。""",
)
NOT_OVERRIDDEN = ErrorKind(
    "not-overridden",
    TypeError,
    "Multiple dispatch failed for '{name}'; all __torch_function__ handlers returned NotImplemented:\n\n"
    "  - tensor subclass {types}\n\n"
    "For more information, try re-running with TORCH_LOGS=not_implemented",
    """`__torch_function__` of the class was asked for `{name}` and returned `NotImplemented`.
    Let it compute a result, or call `func` with tensors.""",
    """这个类的 `__torch_function__` 被问到 `{name}`，返回了 `NotImplemented`。
    请让它计算结果，或用张量调用 `func`。""",
)
