"""Errors of broadcasting, of matrix products and of dtypes."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

SHAPE_BROADCAST = ErrorKind(
    "shape-broadcast",
    RuntimeError,
    "The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}",
    """The two operands differ in dimension {dim}: one has {a} elements there, the other {b}.
    Sizes are compared from the right, and they must be equal unless one of them is 1.""",
    """两个操作数在第 {dim} 维不一致：一个有 {a} 个元素，另一个有 {b} 个。
    形状从右往左比较，除非其中一个是 1，否则必须相等。""",
)
MM_SHAPE = ErrorKind(
    "mm-shape",
    RuntimeError,
    "mat1 and mat2 shapes cannot be multiplied ({mat1:x} and {mat2:x})",
    """A matrix product needs as many columns on the left as there are rows on the right, and here they are {mat1:x} \
and {mat2:x}.
    Transpose one of them (`.t()`), or use `*` for the product element by element.""",
    """矩阵乘法要求左边的列数等于右边的行数，而这里是 {mat1:x} 与 {mat2:x}。
    请转置其中一个（`.t()`）；要逐元素相乘则用 `*`。""",
)
MM_NOT_MATRIX = ErrorKind(
    "mm-not-matrix",
    RuntimeError,
    "{name} must be a matrix",
    """`mm` multiplies two matrices, and one operand is not two-dimensional.
    Use `mv` for a matrix and a vector, or `@`, which finds the right product by itself.""",
    """`mm` 计算两个矩阵的乘积，而其中一个操作数不是二维的。
    矩阵乘向量请用 `mv`，或者用 `@`，它会自己选择合适的乘法。""",
)
MV_SHAPE = ErrorKind(
    "mv-shape",
    RuntimeError,
    "size mismatch, got input ({rows}), mat ({mat:x}), vec ({vec})",
    """The matrix is {mat:x} and the vector has {vec} elements.
    A matrix times a vector needs as many columns as the vector has elements.""",
    """矩阵是 {mat:x}，向量有 {vec} 个元素。
    矩阵乘向量要求矩阵的列数等于向量的元素个数。""",
)
DOT_DIMENSIONS = ErrorKind(
    "dot-dimensions",
    RuntimeError,
    "1D tensors expected, but got {a}D and {b}D tensors",
    """`dot` multiplies two vectors, and here are tensors of {a} and {b} dimensions.
    For matrices use `mm` or `@`; for the sum of all products `(a * b).sum()`.""",
    """`dot` 计算两个向量的内积，而这里是 {a} 维和 {b} 维的张量。
    矩阵请用 `mm` 或 `@`；要把所有乘积相加请用 `(a * b).sum()`。""",
)
DOT_SIZE = ErrorKind(
    "dot-size",
    RuntimeError,
    "inconsistent tensor size, expected tensor [{a}] and src [{b}] to have the same number of elements, but got {a} and"
    " {b} elements respectively",
    """The two vectors have {a} and {b} elements.
    For an inner product they must be equally long.""",
    """两个向量分别有 {a} 个和 {b} 个元素。
    求内积时它们必须一样长。""",
)
BMM_DIMENSIONS = ErrorKind(
    "bmm-dimensions",
    RuntimeError,
    "{name} must be a 3D tensor",
    """`bmm` multiplies matrix by matrix along a first, batch dimension, so both operands have three dimensions.
    For two single matrices use `mm`.""",
    """`bmm` 沿第一维（批次）逐个相乘矩阵，所以两个操作数都要是三维的。
    单个矩阵相乘请用 `mm`。""",
)
BMM_SHAPE = ErrorKind(
    "bmm-shape",
    RuntimeError,
    "Expected size for first two dimensions of batch2 tensor to be: {expected} but got: {actual}.",
    """The second batch of matrices begins with the sizes {actual}, and the first one asks for {expected}.
    Both need the same number of matrices, and as many columns on the left as rows on the right.""",
    """第二批矩阵的前两维是 {actual}，而第一批要求是 {expected}。
    两批的矩阵个数要相同，并且左边的列数等于右边的行数。""",
)
MATMUL_SCALAR = ErrorKind(
    "matmul-scalar",
    RuntimeError,
    "both arguments to matmul need to be at least 1D, but they are {a}D and {b}D",
    """A matrix product needs vectors or matrices, and a single number is neither.
    Multiply by a number with `*`.""",
    """矩阵乘法需要向量或矩阵，单个数两者都不是。
    与一个数相乘请用 `*`。""",
)
T_DIMENSIONS = ErrorKind(
    "t-dimensions",
    RuntimeError,
    "{name}() expects a tensor with <= 2 dimensions, but self is {dimensions}D",
    """`t()` swaps rows and columns, and with {dimensions} dimensions it is not said which two to swap.
    Name them: `transpose(-2, -1)` swaps the last two, `permute` gives an order.""",
    """`t()` 交换行和列，而 {dimensions} 维张量没有说明要交换哪两维。
    请写明：`transpose(-2, -1)` 交换最后两维，`permute` 给出顺序。""",
)
OUTER_DIMENSIONS = ErrorKind(
    "outer-dimensions",
    RuntimeError,
    "outer: Expected 1-D argument {name}, but got {dimensions}-D",
    """`outer` takes two vectors, and one operand has {dimensions} dimensions.
    Flatten it with `flatten()` if every element is meant.""",
    """`outer` 需要两个向量，而其中一个操作数是 {dimensions} 维的。
    如果要用到每个元素，请先 `flatten()`。""",
)

# ---- dtypes

MM_DTYPE = ErrorKind(
    "mm-dtype",
    RuntimeError,
    "expected m1 and m2 to have the same dtype, but got: {a} != {b}",
    """A matrix product does not convert its operands, and here they are `{a}` and `{b}`.
    Convert one of them, with `.float()` for example.""",
    """矩阵乘法不会自动转换类型，而这里是 `{a}` 和 `{b}`。
    请转换其中一个，例如用 `.float()`。""",
)
DTYPE_NOT_FLOATING = ErrorKind(
    "dtype-not-floating",
    RuntimeError,
    "{name}(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
    "{dtype}",
    """The `{name}` of whole numbers, or of truth values, is a fraction, and PyTorch does not choose a dtype for it.
    Convert first, with `.float()`.""",
    """整数或真假值的 `{name}` 一般是小数，PyTorch 不会替你选类型。
    请先用 `.float()` 转换。""",
)
DTYPE_CHOSEN = ErrorKind(
    "dtype-chosen",
    RuntimeError,
    "{name}(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: "
    "{dtype}",
    """`{name}` is not a whole number, and `dtype` asks for one.
    Choose a floating point dtype.""",
    """`{name}` 一般不是整数，而 `dtype` 要求整数。
    请选择浮点类型。""",
)
NORM_EMPTY = ErrorKind(
    "norm-empty",
    RuntimeError,
    "linalg.vector_norm cannot compute the {order} norm on {where} operation does not have an identity",
    """Nothing has no largest or smallest absolute value.
    Check how the tensor came to be empty.""",
    """空张量没有最大或最小的绝对值。
    请检查它为什么是空的。""",
)
NORM_RESULT = ErrorKind(
    "norm-result",
    RuntimeError,
    "linalg.vector_norm: dtype should be {wanted}, but got {dtype}",
    """A norm is computed of floating point numbers, complex ones where the input is complex.
    Choose another `dtype`.""",
    """范数用浮点数计算，输入是复数时才用复数。
    请选择别的 `dtype`。""",
)
NORM_DTYPE = ErrorKind(
    "norm-dtype",
    RuntimeError,
    "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {dtype}",
    """A norm is computed of floating point numbers only.
    Convert first, with `.float()`.""",
    """只有浮点数才能求范数。
    请先用 `.float()` 转换。""",
)
NEGATIVE_POWER = ErrorKind(
    "negative-power",
    RuntimeError,
    "Integers to negative integer powers are not allowed.",
    """A whole number to a negative power is a fraction, which an integer tensor cannot hold.
    Make the base floating point.""",
    """整数的负数次幂是分数，整数张量存不下。
    请把底数变成浮点数。""",
)
BOOL_SUBTRACT = ErrorKind(
    "bool-subtract",
    RuntimeError,
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator"
    " instead.",
    """Truth values cannot be subtracted.
    Use `^` for "either, but not both", or convert with `.float()`.""",
    """布尔值不能相减。
    “二者恰有其一”请用 `^`，或用 `.float()` 转换。""",
)
BOOL_NEGATIVE = ErrorKind(
    "bool-negative",
    RuntimeError,
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or"
    " `logical_not()` operator instead.",
    """A truth value has no negative.
    Use `~` to turn true into false.""",
    """布尔值没有相反数。
    要取反请用 `~`。""",
)
NOT_IMPLEMENTED_DTYPE = ErrorKind(
    "dtype-not-implemented",
    NotImplementedError,
    "\"{name}\" not implemented for '{dtype}'",
    """This operation does not exist for `{dtype}`.
    Convert the operand to another dtype first.""",
    """这个操作不支持 `{dtype}` 类型。
    请先把操作数转换成别的类型。""",
)
WHERE_CONDITION = ErrorKind(
    "where-condition",
    RuntimeError,
    "where expected condition to be a boolean tensor, but got a tensor with dtype {dtype}",
    """The condition of `where` must be true or false for each element, and here it is `{dtype}`.
    Compare first: `x > 0`.""",
    """`where` 的条件对每个元素都要是真或假，而这里是 `{dtype}`。
    请先做比较：`x > 0`。""",
)
DIVIDE_BY_ZERO = ErrorKind(
    "integer-division-by-zero",
    RuntimeError,
    "ZeroDivisionError",
    """Whole numbers cannot be divided by zero.
    Floating point numbers can: the result is infinite.""",
    """整数不能除以零。
    浮点数可以：结果是无穷大。""",
)
INVERT_DTYPE = ErrorKind(
    "invert-dtype",
    TypeError,
    "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
    """`~` turns truth values and the bits of whole numbers around, and {tensor} is floating point.
    Use `-x` for the negative, or compare first: `~(x > 0)`.""",
    """`~` 对布尔值或整数的各位取反，而 {tensor} 是浮点数。
    取相反数请用 `-x`，或先做比较：`~(x > 0)`。""",
)
DOT_DTYPE = ErrorKind(
    "dot-dtype",
    RuntimeError,
    "dot : expected both vectors to have same dtype, but found {a} and {b}",
    """A scalar product does not convert its operands, and here they are `{a}` and `{b}`.
    Convert one of them, for example with `.float()`.""",
    """点积不会转换类型，而这里是 `{a}` 和 `{b}`。
    请先转换其中一个，例如 `.float()`。""",
)
MV_DIMENSIONS = ErrorKind(
    "mv-dimensions",
    RuntimeError,
    "vector + matrix @ vector expected, got {out}, {mat}, {vec}",
    """`mv` takes a matrix and a vector, and here are tensors of {mat} and {vec} dimensions.
    Use `@`, which also takes other combinations.""",
    """`mv` 需要一个矩阵和一个向量，而这里分别是 {mat} 维和 {vec} 维。
    请使用 `@`，它支持其他组合。""",
)
