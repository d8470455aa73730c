"""Errors that come in many wordings of one meaning: the message is given whole."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

CONV_REFUSED = ErrorKind(
    "conv-refused",
    RuntimeError,
    "{message}",
    """The arguments of this convolution do not fit each other. PyTorch's words say which one.""",
    """这个卷积的参数互相不匹配。PyTorch 的原话说明了是哪一个。""",
)

POOL_REFUSED = ErrorKind(
    "pool-refused",
    RuntimeError,
    "{message}",
    """The windows of this pooling make no sense for the input. PyTorch's words say why.""",
    """这个池化的窗口对输入没有意义。PyTorch 的原话说明了原因。""",
)

LOSS_REFUSED = ErrorKind(
    "loss-refused",
    RuntimeError,
    "{message}",
    """Input, target and weights of this loss do not fit each other. PyTorch's words say where.""",
    """这个损失的输入、目标与权重不匹配。PyTorch 的原话说明了问题所在。""",
)

LOSS_ARGUMENT = ErrorKind(
    "loss-argument",
    ValueError,
    "{message}",
    """An argument of this loss has a value that makes no sense. PyTorch's words say which.""",
    """这个损失的某个参数值没有意义。PyTorch 的原话说明了是哪一个。""",
)

LAYER_ARGUMENT = ErrorKind(
    "layer-argument",
    ValueError,
    "{message}",
    """An argument of this layer has a value that makes no sense. PyTorch's words say which.""",
    """这个层的某个参数值没有意义。PyTorch 的原话说明了是哪一个。""",
)

GROUPS_ZERO = ErrorKind(
    "groups-zero",
    ZeroDivisionError,
    "integer division or modulo by zero",
    """The channels cannot be divided into 0 groups.""",
    """通道不能分成 0 组。""",
)

PRODUCT_REFUSED = ErrorKind(
    "product-refused",
    RuntimeError,
    "{message}",
    """This product is not defined for tensors of these sizes. PyTorch's words say why.""",
    """对这种大小的张量，这个乘积没有定义。PyTorch 的原话说明了原因。""",
)

WRITE_REFUSED = ErrorKind(
    "write-refused",
    RuntimeError,
    "{message}",
    """The result cannot be held by the tensor it is to be written into.
    Convert the tensor with `.float()` first, or use the operation that makes a new tensor.""",
    """结果无法存进要写入的张量。
    请先用 `.float()` 转换，或改用生成新张量的操作。""",
)

TYPE_NAME = ErrorKind(
    "type-name",
    ValueError,
    "invalid type: '{type}'",
    """`type` takes a dtype such as `torch.float64`, or the name of a type of tensors such as `'torch.DoubleTensor'`.""",
    """`type` 接受 `torch.float64` 这样的类型，或 `'torch.DoubleTensor'` 这样的张量类型名。""",
)

NUMPY_ELEMENTS = ErrorKind(
    "numpy-elements",
    TypeError,
    "can't convert np.ndarray of type numpy.{type}. The only supported types are: float64, float32, float16, complex64, "
    "complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool.",
    """The elements of the array are `{type}` and no numbers. Convert it with `.astype(float)`, if they can be.""",
    """数组的元素是 `{type}` 而不是数。如果可以，请用 `.astype(float)` 转换。""",
)

ARRAY_ELEMENTS = ErrorKind(
    "array-elements",
    TypeError,
    "NumPy arrays of dtype {dtype} are not available in Gradflow",
    """NumPy makes an array of Python objects or of records (`{dtype}`) where its elements are no numbers: `None`, objects of \
a class, integers beyond 64 bits, mixed texts and numbers.
    Keep such values in a list, and numbers in an array with a dtype of numbers, `np.array(values, dtype=float)`.""",
    """当元素不是数时（`None`、类的对象、超过 64 位的整数、混合的字符串与数），NumPy 会得到 Python 对象或记录的数组（`{dtype}`）。
    这些值请放在列表里；数请放在数值类型的数组里，例如 `np.array(values, dtype=float)`。""",
)

NUMPY_DTYPE = ErrorKind(
    "numpy-dtype",
    TypeError,
    "Got unsupported ScalarType {dtype}",
    """NumPy has no elements of this dtype. Convert the tensor first: `.float().numpy()`.""",
    """NumPy 没有这种元素类型。请先转换张量：`.float().numpy()`。""",
)
NUMBER_LOST = ErrorKind(
    "number-lost",
    RuntimeError,
    "value cannot be converted to type double without overflow",
    """A complex number stands where a real one is needed. Take its `.real`.""",
    """这里需要实数，却给了复数。请取它的 `.real`。""",
)

NORM_REFUSED = ErrorKind(
    "norm-refused",
    RuntimeError,
    "{message}",
    """This norm is not defined for the input and the dimensions that are given. PyTorch's words say why.""",
    """对给定的输入和维度，这个范数没有定义。PyTorch 的原话说明了原因。""",
)

STORAGE_INDEX = ErrorKind(
    "storage-index",
    IndexError,
    "{message}",
    """A storage has as many entries as its memory has, counted from 0.
    Ask for its length with `len`.""",
    """存储的元素从 0 开始编号，个数等于内存中的元素个数。
    可以用 `len` 查看长度。""",
)
