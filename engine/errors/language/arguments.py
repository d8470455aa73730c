"""Errors of calls: names, number and types of arguments, and the data that a tensor is made of."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

UNEXPECTED_KEYWORD = ErrorKind(
    "unexpected-keyword",
    TypeError,
    "{function}() got an unexpected keyword argument '{keyword}'",
    """`{function}` has no argument called `{keyword}`.
    Check the spelling; PyTorch has renamed some arguments since 2018.""",
    """`{function}` 没有名为 `{keyword}` 的参数。
    请检查拼写；2018 年以来 PyTorch 改过一些参数的名字。""",
)
INVALID_KEYWORD = ErrorKind(
    "invalid-keyword",
    TypeError,
    "'{keyword}' is an invalid keyword argument for this function",
    """There is no argument called `{keyword}`.
    Check the spelling.""",
    """没有名为 `{keyword}` 的参数。
    请检查拼写。""",
)
MISSING_ARGUMENT = ErrorKind(
    "missing-argument",
    TypeError,
    "{function}() missing {count} required positional argument{plural}: {names}",
    """`{function}` was called without `{names}`.
    Put the missing value into the parentheses.""",
    """调用 `{function}` 时缺少 `{names}`。
    请在括号里补上。""",
)
MISSING_PYTHON_ARGUMENT = ErrorKind(
    "missing-python-argument",
    TypeError,
    "{function}() missing 1 required positional argument: '{name}'",
    """`{function}` was called without {name}.
    Put the missing value into the parentheses.""",
    """调用 `{function}` 时缺少 {name}。
    请在括号里补上。""",
)
TOO_MANY_ARGUMENTS = ErrorKind(
    "too-many-arguments",
    TypeError,
    "{function}() takes {expected} but {given} given",
    """`{function}` takes {expected}, and there are more in the parentheses.
    Leave out what is too much; options are named, as in `keepdim=True`.""",
    """`{function}` 接受的参数没有这么多。
    请去掉多余的；选项要写出名字，例如 `keepdim=True`。""",
)
NO_ARGUMENTS = ErrorKind(
    "no-arguments",
    TypeError,
    "TensorBase.{function}() takes no arguments ({given} given)",
    """`{function}` is called with empty parentheses.
    Leave out what stands in them.""",
    """`{function}` 的括号里不写任何东西。
    请去掉其中的内容。""",
)
NO_KEYWORDS = ErrorKind(
    "no-keywords",
    TypeError,
    "TensorBase.{function}() takes no keyword arguments",
    """`{function}` is called with empty parentheses.
    Leave out what stands in them.""",
    """`{function}` 的括号里不写任何东西。
    请去掉其中的内容。""",
)
REPEATED_ARGUMENT = ErrorKind(
    "repeated-argument",
    TypeError,
    "{function}() got multiple values for argument '{argument}'",
    """`{argument}` is given twice, once by its place and once by its name.
    Leave out one of the two.""",
    """`{argument}` 给了两次：一次按位置，一次按名字。
    请去掉其中一个。""",
)
UNPACK = ErrorKind(
    "size-element",
    TypeError,
    "{function}(): argument '{argument}' failed to unpack the object at pos {position} with error \"type must be tuple of "
    'ints,but got {actual}"',
    """`{argument}` is made of whole numbers, and its entry number {position} is `{actual}`.
    Round it with `int(...)`, or divide with `//`.""",
    """`{argument}` 由整数组成，而它的第 {position} 项是 `{actual}`。
    请用 `int(...)` 取整，或用 `//` 做除法。""",
)
ARGUMENT_TYPE = ErrorKind(
    "argument-type",
    TypeError,
    "{function}(): argument '{argument}' (position {position}) must be {expected}, not {actual}",
    """`{function}` needs `{expected}` for `{argument}`, and was given `{actual}`.
    Numbers and lists become a tensor with `torch.tensor(...)`.""",
    """`{function}` 的 `{argument}` 需要 `{expected}`，给的却是 `{actual}`。
    数和列表可以用 `torch.tensor(...)` 变成张量。""",
)
KEYWORD_TYPE = ErrorKind(
    "keyword-type",
    TypeError,
    "{function}(): argument '{argument}' must be {expected}, not {actual}",
    """`{function}` needs `{expected}` for `{argument}`, and was given `{actual}`.
    Numbers and lists become a tensor with `torch.tensor(...)`.""",
    """`{function}` 的 `{argument}` 需要 `{expected}`，给的却是 `{actual}`。
    数和列表可以用 `torch.tensor(...)` 变成张量。""",
)
ELEMENT_TYPE = ErrorKind(
    "element-type",
    TypeError,
    "{function}(): argument '{argument}' (position {position}) must be {expected}, but found element of type "
    "{actual} at"
    " pos {index}",
    """Element {index} of `{argument}` is `{actual}`.
    `{function}` needs `{expected}` there.""",
    """`{argument}` 的第 {index} 个元素是 `{actual}`。
    `{function}` 在这里需要 `{expected}`。""",
)
SEQUENCE_ELEMENT = ErrorKind(
    "sequence-element",
    TypeError,
    "expected Tensor as element {index} in argument {argument}, but got {actual}",
    """Element {index} of the list is `{actual}`, and a tensor is needed.
    Numbers and lists become a tensor with `torch.tensor(...)`.""",
    """列表的第 {index} 个元素是 `{actual}`，这里需要张量。
    数和列表可以用 `torch.tensor(...)` 变成张量。""",
)
INVALID_COMBINATION = ErrorKind(
    "invalid-combination",
    TypeError,
    "{function}() received an invalid combination of arguments - got ({given}), but expected {expected}",
    """`{function}` can be called in several ways, and ({given}) is none of them.
    The message lists them; compare the number, order and types of the arguments.""",
    """`{function}` 有几种调用方式，({given}) 不属于其中任何一种。
    报错信息列出了各种方式，请对照参数的个数、顺序和类型。""",
)
UNRECOGNIZED_KEYWORDS = ErrorKind(
    "unrecognized-keywords",
    TypeError,
    "{function}() received an invalid combination of arguments - got unrecognized keyword arguments: {keywords}",
    """`{function}` has no argument called `{keywords}`.
    Check the spelling; some names of 2018 are spelled differently now.""",
    """`{function}` 没有名为 `{keywords}` 的参数。
    请检查拼写；2018 年的一些名字现在已经改了。""",
)
UNSUPPORTED_ARGUMENTS = ErrorKind(
    "unsupported-arguments",
    NotImplementedError,
    "{function}() is not available in Gradflow for the arguments ({given})",
    """`{function}` is there, but not for values like these.
    Convert them first, to `float32` for example.""",
    """`{function}` 可以用，但不支持这样的参数。
    请先转换，例如转成 `float32`。""",
)
UNSUPPORTED_OPERANDS = ErrorKind(
    "unsupported-operands",
    TypeError,
    "unsupported operand type(s) for {operator}: '{left}' and '{right}'",
    """`{operator}` cannot combine `{left}` and `{right}`.
    Lists become a tensor with `torch.tensor(...)`.""",
    """`{operator}` 不能用于 `{left}` 和 `{right}`。
    列表可以用 `torch.tensor(...)` 变成张量。""",
)
WRONG_RECEIVER = ErrorKind(
    "wrong-receiver",
    TypeError,
    "descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{type}' object",
    """`{name}` is a method of tensors, and was called on `{type}`.
    Wrap the value in `torch.tensor(...)`.""",
    """`{name}` 是张量的方法，却用在了 `{type}` 上。
    请用 `torch.tensor(...)` 把它包起来。""",
)

# ---- data

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
    """数据里数和列表混在一起。
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

# ---- creation

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
NEGATIVE_SIZE = ErrorKind(
    "eye-size",
    RuntimeError,
    "n must be greater or equal to 0, got {n}",
    """A matrix cannot have {n} rows.
    Give zero or more.""",
    """矩阵不能有 {n} 行。
    请给出非负的行数。""",
)
CLAMP_BOUNDS = ErrorKind(
    "clamp-bounds",
    RuntimeError,
    "torch.clamp: At least one of 'min' or 'max' must not be None",
    """`clamp` keeps values between two bounds, and none was given.
    Give `min`, `max` or both.""",
    """`clamp` 把值限制在上下界之间，而这里没有给出界限。
    请给出 `min`、`max` 或两者。""",
)
NO_CUDA = ErrorKind(
    "no-cuda",
    AssertionError,
    "Torch not compiled with CUDA enabled",
    """There is no graphics card here; every tensor lives on the CPU.
    Leave out `.cuda()` and `device="cuda"`: the gradients are the same.""",
    """这里没有显卡，所有张量都在 CPU 上。
    请去掉 `.cuda()` 和 `device="cuda"`，梯度是一样的。""",
)
INVALID_DEVICE = ErrorKind(
    "invalid-device",
    RuntimeError,
    "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps,"
    " meta, hpu, mtia, privateuseone device type at start of device string: {device}",
    """`{device}` is not a kind of device.
    Every tensor lives on the CPU here, so leave the device out.""",
    """`{device}` 不是一种设备。
    这里所有张量都在 CPU 上，请去掉设备。""",
)
NO_ACCELERATOR = ErrorKind(
    "no-accelerator",
    RuntimeError,
    "Cannot access accelerator device when none is available.",
    """A number names a graphics card, and there is none here.
    Write `"cpu"`, or leave the device out.""",
    """数字表示显卡的编号，而这里没有显卡。
    请写 `"cpu"`，或去掉设备。""",
)
DEVICE_STRING = ErrorKind(
    "device-string",
    RuntimeError,
    "Invalid device string: '{device}'",
    """A device is written as its kind, or as its kind, a colon and a number: `cpu`, `cuda:1`.
    Every tensor lives on the CPU here, so leave the device out.""",
    """设备写成种类，或种类加冒号和编号：`cpu`、`cuda:1`。
    这里所有张量都在 CPU 上，请去掉设备。""",
)
NEGATIVE_DEVICE = ErrorKind(
    "negative-device",
    RuntimeError,
    "Device index must not be negative",
    """Devices of a kind are counted from 0.
    Every tensor lives on the CPU here, so leave the number out.""",
    """同一种设备从 0 开始编号。
    这里所有张量都在 CPU 上，请去掉编号。""",
)
DEVICE_NOT_LINKED = ErrorKind(
    "device-not-linked",
    RuntimeError,
    "PyTorch is not linked with support for {device} devices",
    """There is no such device here; every tensor lives on the CPU.
    Leave the device out: the gradients are the same.""",
    """这里没有这种设备，所有张量都在 CPU 上。
    请去掉设备，梯度是一样的。""",
)
DEVICE_ARGUMENTS = ErrorKind(
    "device-arguments",
    TypeError,
    "device() received an invalid combination of arguments - got ({given}), but expected one of:\n"
    " * (torch.device device)\n{mark} * (str type, int index = -1)\n",
    """`torch.device` takes the name of a device.
    Write `torch.device("cpu")`.""",
    """`torch.device` 需要设备的名字。
    请写 `torch.device("cpu")`。""",
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
DATA_DIMENSIONS = ErrorKind(
    "data-dimensions",
    ValueError,
    "too many dimensions '{type}'",
    """A tensor is made of numbers, and the list holds `{type}`.
    Convert the entries first, with `float(...)` for example.""",
    """张量由数组成，而列表里是 `{type}`。
    请先转换，例如用 `float(...)`。""",
)
RANDOM_RANGE = ErrorKind(
    "random-range",
    RuntimeError,
    "random_ expects 'from' to be less than 'to', but got from={low} >= to={high}",
    """There is no whole number from {low} up to {high} to draw: the upper bound is not included.
    Make the upper bound larger.""",
    """从 {low} 到 {high}（不含上界）之间没有可抽取的整数。
    请把上界取大一些。""",
)
