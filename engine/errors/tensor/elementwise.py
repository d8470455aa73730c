"""Errors of functions of single elements, and of complex numbers."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

SIGN_COMPLEX = ErrorKind(
    "sign-complex",
    NotImplementedError,
    "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
    """A complex number is neither positive nor negative.
    `torch.sgn` gives z / |z|, its direction.""",
    """复数没有正负之分。
    `torch.sgn` 给出 z / |z|，也就是它的方向。""",
)
COMPLEX_UNORDERED = ErrorKind(
    "complex-unordered",
    RuntimeError,
    "{name} not implemented for complex tensors.",
    """Complex numbers have no order, so none of two is the larger one.
    Compare their absolute values (`.abs()`) or their real parts (`.real`).""",
    """复数没有大小顺序，不能比较哪个更大。
    请比较绝对值（`.abs()`）或实部（`.real`）。""",
)
COMPLEX_REFUSED = ErrorKind(
    "complex-refused",
    NotImplementedError,
    "{name} is not supported for complex {what}",
    """`{name}` has no meaning for complex numbers.
    Apply it to the real part (`.real`), to the imaginary part (`.imag`) or to the absolute value (`.abs()`).""",
    """`{name}` 对复数没有意义。
    请对实部（`.real`）、虚部（`.imag`）或绝对值（`.abs()`）使用它。""",
)
COMPLEX_UNSUPPORTED = ErrorKind(
    "complex-unsupported",
    RuntimeError,
    "{name} {what}",
    """`{name}` is a function of real numbers.
    Apply it to the real part (`.real`), to the imaginary part (`.imag`) or to the absolute value (`.abs()`).""",
    """`{name}` 是实数的函数。
    请对实部（`.real`）、虚部（`.imag`）或绝对值（`.abs()`）使用它。""",
)
SIGNBIT_COMPLEX = ErrorKind(
    "signbit-complex",
    NotImplementedError,
    "signbit is not implemented for complex tensors.",
    """A complex number has no sign.
    Look at the real part (`.real`) or at the imaginary part (`.imag`).""",
    """复数没有符号。
    请查看实部（`.real`）或虚部（`.imag`）。""",
)
IMAG_OF_REAL = ErrorKind(
    "imag-of-real",
    RuntimeError,
    "imag is not implemented for tensors with non-complex dtypes.",
    """{tensor} is real and has no imaginary part to show.
    `.to(torch.complex64)` makes it complex.""",
    """{tensor} 是实数张量，没有虚部。
    用 `.to(torch.complex64)` 可以变成复数。""",
)
LAZY_VIEW_AS_REAL = ErrorKind(
    "mirrored-as-real",
    RuntimeError,
    "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view it as"
    " real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original.",
    """{tensor} shows the conjugates of numbers that lie in memory as they are, so their parts cannot be shown as a view.
    Call `.resolve_conj()` first.""",
    """{tensor} 显示的是共轭，而内存中存放的是原来的数，因此不能作为视图显示其实部和虚部。
    请先调用 `.resolve_conj()`。""",
)

LAZY_VIEW_NUMPY = ErrorKind(
    "mirrored-numpy",
    RuntimeError,
    "Can't call numpy() on Tensor that has {bit} bit set. Use tensor.resolve_{resolve}().numpy() instead.",
    """{tensor} is a view that shows conjugates or negatives of what lies in memory, and NumPy has no such views.""",
    """{tensor} 是一个显示内存中数值的共轭或相反数的视图，而 NumPy 没有这种视图。""",
)

VIEW_AS_REAL = ErrorKind(
    "view-as-real",
    RuntimeError,
    "view_as_real is only supported for complex tensors",
    """{tensor} is real already.
    `view_as_real` shows complex numbers as pairs of real ones.""",
    """{tensor} 已经是实数。
    `view_as_real` 把复数看成实部和虚部两个数。""",
)
VIEW_AS_COMPLEX_DTYPE = ErrorKind(
    "view-as-complex-dtype",
    RuntimeError,
    "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: {dtype}",
    """Real and imaginary parts are floating point numbers.
    Call `.float()` first.""",
    """实部和虚部必须是浮点数。
    请先调用 `.float()`。""",
)
VIEW_AS_COMPLEX_SCALAR = ErrorKind(
    "view-as-complex-scalar",
    RuntimeError,
    "Input tensor must have one or more dimensions",
    """A complex number is made of two real ones, which lie along the last dimension, and {tensor} is a single number.
    `torch.complex(real, imag)` puts two tensors together.""",
    """复数由最后一维上的两个实数组成，而 {tensor} 只是一个数。
    用 `torch.complex(real, imag)` 可以把两个张量合在一起。""",
)
VIEW_AS_COMPLEX_SIZE = ErrorKind(
    "view-as-complex-size",
    RuntimeError,
    "Tensor must have a last dimension of size 2",
    """A complex number is made of two real ones, which lie along the last dimension.
    `torch.complex(real, imag)` puts two tensors together.""",
    """复数由最后一维上的两个实数组成。
    用 `torch.complex(real, imag)` 可以把两个张量合在一起。""",
)
PARTS_DTYPE = ErrorKind(
    "parts-dtype",
    RuntimeError,
    "Expected both inputs to be Half, Float or Double tensors but got {first} and {second}",
    """The parts of a complex number are floating point numbers.
    Call `.float()` on both.""",
    """复数的两个部分必须是浮点数。
    请对两者都调用 `.float()`。""",
)
PARTS_DIFFER = ErrorKind(
    "parts-differ",
    RuntimeError,
    "Expected object of scalar type {first} but got scalar type {second} for second argument",
    """The two parts of a complex number have one precision.
    Convert one of the tensors with `.to(...)`.""",
    """复数的两个部分必须精度相同。
    请用 `.to(...)` 转换其中一个。""",
)
HEAVISIDE_DTYPES = ErrorKind(
    "heaviside-dtypes",
    RuntimeError,
    "heaviside is not yet implemented for tensors with different dtypes.",
    """`heaviside` takes two tensors of the same dtype.
    Convert one of them with `.to(...)`.""",
    """`heaviside` 的两个张量必须 dtype 相同。
    请用 `.to(...)` 转换其中一个。""",
)
ADDCDIV_INTEGERS = ErrorKind(
    "addcdiv-integers",
    RuntimeError,
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
    "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
    "float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
    "for all dtypes.",
    """`addcdiv` divides floating point numbers only.
    Call `.float()` on one of the tensors.""",
    """`addcdiv` 只能对浮点数做除法。
    请对其中一个张量调用 `.float()`。""",
)
LERP_DTYPE = ErrorKind(
    "lerp-dtype",
    RuntimeError,
    "expected dtype {expected} for `{argument}` but got dtype {actual}",
    """`lerp` goes from one tensor to another of the same dtype, with weights of that dtype.
    Convert `{argument}` with `.to(...)`.""",
    """`lerp` 的起点、终点和权重必须 dtype 相同。
    请用 `.to(...)` 转换 `{argument}`。""",
)
ROUNDING_MODE = ErrorKind(
    "rounding-mode",
    RuntimeError,
    "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{mode}'",
    """A quotient is left as it is (`None`), rounded towards zero (`'trunc'`) or rounded down (`'floor'`).
    Choose one of the three.""",
    """商可以保持不变（`None`）、向零取整（`'trunc'`）或向下取整（`'floor'`）。
    请选择其中一种。""",
)
FREXP_DTYPE = ErrorKind(
    "frexp-dtype",
    RuntimeError,
    "torch.frexp() only supports floating-point dtypes",
    """Only floating point numbers have a mantissa and an exponent.
    Call `.float()` first.""",
    """只有浮点数才有尾数和指数。
    请先调用 `.float()`。""",
)
POLYGAMMA_ORDER = ErrorKind(
    "polygamma-order",
    RuntimeError,
    "polygamma(n, x) does not support negative n.",
    """The order says how often digamma is differentiated.
    It is 0 or more.""",
    """阶数表示对 digamma 求导的次数。
    它不能是负数。""",
)
BOOL_POSITIVE = ErrorKind(
    "bool-positive",
    RuntimeError,
    "The `+` operator, on a bool tensor is not supported.",
    """{tensor} holds truth values, which have no sign.
    `.int()` turns them into 0 and 1.""",
    """{tensor} 存的是真假值，没有正负号。
    `.int()` 把它们变成 0 和 1。""",
)
CLOSE_DTYPES = ErrorKind(
    "close-dtypes",
    RuntimeError,
    "{first} did not match {second}",
    """Only tensors of the same dtype are compared for closeness.
    Convert one of them with `.to(...)`.""",
    """只有 dtype 相同的张量才能比较是否接近。
    请用 `.to(...)` 转换其中一个。""",
)
CLOSE_TOLERANCE = ErrorKind(
    "close-tolerance",
    RuntimeError,
    "{name} must be greater than or equal to zero, but got {value}",
    """A tolerance is a distance.
    It is 0 or more.""",
    """容差是一个距离。
    它不能是负数。""",
)
IN_PLACE_DERIVATIVE = ErrorKind(
    "in-place-derivative",
    NotImplementedError,
    "the derivative for 'inplace version of {name}' is not implemented.",
    """PyTorch can differentiate `{name}`, but not `{name}_`, which overwrites its input.
    Write `y = x.{name}()`.""",
    """PyTorch 可以对 `{name}` 求导，但不能对覆盖输入的 `{name}_` 求导。
    请写成 `y = x.{name}()`。""",
)
LISTS_OF_TENSORS = ErrorKind(
    "lists-of-tensors",
    RuntimeError,
    "{message}",
    """A function of a list of tensors takes one tensor or more, and beside it one number or one tensor for each of them.
    Compare the lengths of the lists.""",
    """对一列张量作用的函数需要至少一个张量；另外的列表里，每个张量对应一个数或一个张量。
    请比较这些列表的长度。""",
)
