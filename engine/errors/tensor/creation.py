"""Errors of new tensors: windows, ranges, default dtypes, numbers that do not fit their dtype."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

WINDOW_LENGTH = ErrorKind(
    "window-length",
    RuntimeError,
    "{function} requires non-negative window_length, got window_length={length}",
    """A window has 0 elements or more.
    Check how its length was computed.""",
    """窗的长度不能为负数。
    请检查长度是怎样算出来的。""",
)
WINDOW_DTYPE = ErrorKind(
    "window-dtype",
    RuntimeError,
    "{function} expects floating point dtypes, got: TensorOptions(dtype={dtype}, device=cpu, layout=Strided (default), "
    "requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))",
    """The elements of a window lie between 0 and 1.
    Leave out `dtype`, or choose a floating point one.""",
    """窗的元素在 0 和 1 之间。
    请去掉 `dtype`，或使用浮点类型。""",
)
RANGE_STEP = ErrorKind(
    "range-step",
    RuntimeError,
    "step must be nonzero",
    """With a step of 0 a range never ends.
    Choose another step.""",
    """步长为 0 时区间永远不会结束。
    请选择别的步长。""",
)
STEP_CUT_OFF = ErrorKind(
    "step-cut-off",
    ValueError,
    "step must be nonzero",
    """The range is one of whole numbers, and the step cut off to a whole number is 0.
    Choose a floating point dtype, or a longer step.""",
    """区间由整数组成，而步长取整后为 0。
    请选择浮点类型，或更大的步长。""",
)
RANGE_TENSORS = ErrorKind(
    "range-tensors",
    RuntimeError,
    "{name} only supports 0-dimensional start and end tensors, but got {given}.",
    """A range begins and ends with one number each.
    Pick one element of the tensor, for instance `t[0]`.""",
    """区间的两端各是一个数。
    请取张量的一个元素，例如 `t[0]`。""",
)
NEGATIVE_EYE = ErrorKind(
    "negative-eye",
    RuntimeError,
    "{name} must be greater or equal to 0, got {value}",
    """A matrix has 0 rows and columns or more.
    Check how the number was computed.""",
    """矩阵的行数和列数不能为负数。
    请检查这个数是怎样算出来的。""",
)
INTEGER_TOO_LARGE = ErrorKind(
    "integer-too-large",
    ValueError,
    "Overflow when unpacking long long",
    """A whole number in a tensor has at most 64 bits.
    Write it with a decimal point to keep its size.""",
    """张量里的整数最多 64 位。
    写成带小数点的数可以保留它的大小。""",
)
NUMBER_TOO_LARGE = ErrorKind(
    "number-too-large",
    RuntimeError,
    "value cannot be converted to type {dtype} without overflow",
    """The number lies outside of what `{dtype}` can hold.
    Choose a larger dtype.""",
    """这个数超出了 `{dtype}` 的范围。
    请选择更大的 dtype。""",
)
TENSORS_AS_NUMBERS = ErrorKind(
    "tensors-as-numbers",
    ValueError,
    "only one element tensors can be converted to Python scalars",
    """`torch.tensor` makes a tensor of numbers, and some of the tensors in the list hold several.
    `torch.stack` puts tensors together, and gradients flow through it.""",
    """`torch.tensor` 用数来构造张量，而列表里有的张量含有多个数。
    用 `torch.stack` 把张量堆在一起，梯度也能通过它。""",
)
FINFO_DTYPE = ErrorKind(
    "finfo-dtype",
    TypeError,
    "{message}",
    """`finfo` tells the limits of floating point numbers, `iinfo` those of whole numbers.
    Use the one that fits the dtype.""",
    """`finfo` 给出浮点数的范围，`iinfo` 给出整数的范围。
    请使用与 dtype 相符的那个。""",
)
MEMORY_FORMAT = ErrorKind(
    "memory-format",
    RuntimeError,
    "{message}",
    """`channels_last` is an order of the elements of images in memory: (N, C, H, W), or (N, C, D, H, W) for the 3d form.
    Leave the memory format out.""",
    """`channels_last` 是图像元素在内存中的顺序，形状为 (N, C, H, W)，三维形式为 (N, C, D, H, W)。
    请去掉内存格式。""",
)
BUFFER = ErrorKind(
    "buffer",
    ValueError,
    "{message}",
    """`frombuffer` reads the bytes of an object, `offset` bytes from its beginning, as numbers of one dtype.
    The bytes that are left have to be whole numbers of that dtype.""",
    """`frombuffer` 从第 `offset` 个字节起，把对象的字节读成同一类型的数。
    剩下的字节必须正好是整数个这种类型的数。""",
)
TENSOR_TYPE = ErrorKind(
    "tensor-type",
    TypeError,
    "{message}",
    """The default type is one of floating point numbers: `torch.FloatTensor` or `torch.DoubleTensor`.
    `torch.set_default_dtype(torch.float64)` is the form of today.""",
    """默认类型必须是浮点类型：`torch.FloatTensor` 或 `torch.DoubleTensor`。
    现在的写法是 `torch.set_default_dtype(torch.float64)`。""",
)

ARRAY_LAYOUT = ErrorKind(
    "array-layout",
    ValueError,
    "{message}",
    """A tensor shares the memory of an array only where its elements lie forward, whole elements apart, in this machine's
    byte order. A copy lies that way: `array.copy()`.""",
    """只有元素向前排列、间隔为整数个元素、字节序与本机相同时，张量才能共享数组的内存。
    副本 `array.copy()` 就是这样。""",
)

LEGACY_DTYPE = ErrorKind(
    "legacy-dtype",
    TypeError,
    "expected {wanted} (got {given})",
    """`torch.LongTensor`, `torch.FloatTensor` and their like take a tensor only if it has their dtype already.
    Convert it with `.to(...)`, `.long()` or `.float()`.""",
    """`torch.LongTensor`、`torch.FloatTensor` 等只接受类型已经相同的张量。
    请用 `.to(...)`、`.long()` 或 `.float()` 转换。""",
)


FRACTIONAL_STEP = ErrorKind(
    "arange-direction",
    RuntimeError,
    "upper bound and lower bound inconsistent with step sign",
    """The steps lead away from the end and would never reach it.
    Swap the bounds, or change the sign of the step.""",
    """步长的方向与终点相反，永远到不了。
    请交换两端，或改变步长的符号。""",
)


ZERO_STEP = ErrorKind(
    "arange-zero-step",
    RuntimeError,
    "step must be nonzero",
    """With a step of zero the end is never reached.
    Give another step.""",
    """步长为零就永远到不了终点。
    请换一个步长。""",
)


INFINITE_RANGE = ErrorKind(
    "arange-infinite",
    RuntimeError,
    "unsupported range: {start} -> {end}",
    """A range from {start} to {end} has no last element.
    Give finite bounds.""",
    """从 {start} 到 {end} 的范围没有最后一个元素。
    请给出有限的两端。""",
)


NEGATIVE_STEPS = ErrorKind(
    "linspace-steps",
    RuntimeError,
    "number of steps must be non-negative",
    """A tensor cannot have a negative number of elements.
    Give zero or more.""",
    """张量的元素个数不能是负数。
    请给出非负的个数。""",
)


DEFAULT_DTYPE = ErrorKind(
    "default-dtype",
    TypeError,
    "only floating-point types are supported as the default type",
    """The default dtype is that of numbers with a decimal point.
    Take `torch.float32` or `torch.float64`.""",
    """默认 dtype 是小数使用的类型。
    请用 `torch.float32` 或 `torch.float64`。""",
)


DEFAULT_DTYPE_OBJECT = ErrorKind(
    "default-dtype-object",
    TypeError,
    "invalid dtype object: only floating-point types are supported as the default type",
    """This is no dtype.
    Take `torch.float32` or `torch.float64`, without quotes.""",
    """这不是 dtype。
    请用 `torch.float32` 或 `torch.float64`，不加引号。""",
)


REQUIRES_GRAD_ARGUMENT = ErrorKind(
    "requires-grad-argument",
    TypeError,
    "tensor(): argument 'requires_grad' must be bool, not {type}",
    """`requires_grad` is either `True` or `False`, and here it is `{type}`.""",
    """`requires_grad` 只能是 `True` 或 `False`，而这里是 `{type}`。""",
)
