"""Errors of indexing, and of tensors used as Python numbers."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

INDEX_RANGE = ErrorKind(
    "index-range",
    IndexError,
    "index {index} is out of bounds for dimension {dim} with size {size}",
    """Dimension {dim} has {size} elements, and there is no number {index} among them.
    Indices count from 0; negative ones count from the end.""",
    """第 {dim} 维有 {size} 个元素，没有编号为 {index} 的。
    下标从 0 开始数，负数从末尾数起。""",
)
INDEX_COUNT = ErrorKind(
    "index-count",
    IndexError,
    "too many indices for tensor of dimension {dimensions}",
    """{tensor} has {dimensions} dimensions, and more indices than that were given.
    Give at most one index for each dimension.""",
    """{tensor} 有 {dimensions} 维，给出的下标却更多。
    每一维最多一个下标。""",
)
INDEX_SCALAR = ErrorKind(
    "index-scalar",
    IndexError,
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim"
    " tensor to a number",
    """{tensor} is a single number and has nothing to index.
    Use it as it is, or take the Python number with `.item()`.""",
    """{tensor} 是单个数，没有可以索引的维度。
    请直接使用它，或用 `.item()` 取出 Python 的数。""",
)
INDEX_TYPE = ErrorKind(
    "index-type",
    IndexError,
    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {type})",
    """An index is a whole number, a slice or a tensor of these, and `{type}` is none of them.
    Convert it with `int(...)`.""",
    """下标应是整数、切片或由它们组成的张量，而 `{type}` 都不是。
    请用 `int(...)` 转换。""",
)
INDEX_DTYPE = ErrorKind(
    "index-dtype",
    IndexError,
    "tensors used as indices must be long, int, byte or bool tensors",
    """A tensor that is used as an index must hold whole numbers or truth values.
    Convert it with `.long()`.""",
    """用作下标的张量必须是整数或布尔类型。
    请用 `.long()` 转换。""",
)
MASK_SHAPE = ErrorKind(
    "mask-shape",
    IndexError,
    "The shape of the mask {mask} at index {index} does not match the shape of the indexed tensor {shape} at index"
    " {place}",
    """The mask has the shape {mask}, the tensor {shape}.
    A mask chooses elements one by one, so it has the shape of the dimensions that it is used on.""",
    """掩码的形状是 {mask}，张量的形状是 {shape}。
    掩码逐个选择元素，所以形状要与它作用的维度一致。""",
)
INDEX_BROADCAST = ErrorKind(
    "index-broadcast",
    IndexError,
    "shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}",
    """The index tensors have the shapes {shapes}, which do not fit together.
    They are read in parallel, one element from each, so they must be equally long.""",
    """各下标张量的形状是 {shapes}，彼此不匹配。
    它们是并行读取的，每次各取一个元素，所以长度必须相同。""",
)
SLICE_STEP = ErrorKind(
    "slice-step",
    ValueError,
    "step must be greater than zero",
    """A tensor cannot be sliced backwards.
    Use `flip` to reverse a dimension.""",
    """张量不支持反向切片。
    要把一维反过来请用 `flip`。""",
)
ASSIGN_TYPE = ErrorKind(
    "assign-type",
    TypeError,
    "can't assign a {type} to a {dtype_type}",
    """The elements of a tensor are numbers, and `{type}` was assigned to some of them.
    Assign a number or a tensor.""",
    """张量的元素是数，而这里赋给它们的是 `{type}`。
    请赋一个数或张量。""",
)
# ---- tensors as Python numbers

ITEM_NOT_SCALAR = ErrorKind(
    "item-not-scalar",
    RuntimeError,
    "a Tensor with {elements} elements cannot be converted to Scalar",
    """{tensor} has {elements} elements, and `item()` gives the number in a tensor that holds exactly one.
    Use `tolist()`, or reduce it first, with `sum()` for example.""",
    """{tensor} 有 {elements} 个元素，而 `item()` 只能取出恰好含一个元素的张量中的数。
    请用 `tolist()`，或先化为一个数，例如 `sum()`。""",
)
NUMBER_NOT_SCALAR = ErrorKind(
    "number-not-scalar",
    ValueError,
    "only one element tensors can be converted to Python scalars",
    """A tensor with several elements cannot become one Python number.
    Choose an element, or reduce the tensor first, with `sum()` for example.""",
    """含多个元素的张量不能变成一个 Python 数。
    请选出一个元素，或先化为一个数，例如 `sum()`。""",
)
INDEX_NOT_SCALAR = ErrorKind(
    "index-not-scalar",
    TypeError,
    "only integer tensors of a single element can be converted to an index",
    """Python needs a whole number here.
    Convert the tensor with `int(...)`.""",
    """Python 在这里需要一个整数。
    请用 `int(...)` 转换。""",
)
BOOL_AMBIGUOUS = ErrorKind(
    "bool-ambiguous",
    RuntimeError,
    "Boolean value of Tensor with {elements} is ambiguous",
    """A tensor with {elements} is neither true nor false as a whole.
    Say what is meant with `.all()` or `.any()`.""",
    """含多个（或没有）元素的张量整体上说不上真假。
    请用 `.all()` 或 `.any()` 说明意思。""",
)
LEN_SCALAR = ErrorKind(
    "len-scalar",
    TypeError,
    "len() of a 0-d tensor",
    """{tensor} is a single number and has no length.
    The number of elements is `numel()`.""",
    """{tensor} 是单个数，没有长度。
    元素个数请用 `numel()`。""",
)
ITERATE_SCALAR = ErrorKind(
    "iterate-scalar",
    TypeError,
    "iteration over a 0-d tensor",
    """{tensor} is a single number, so there is nothing to go through.
    Use it as it is.""",
    """{tensor} 是单个数，没有可以遍历的内容。
    请直接使用它。""",
)
SELECT_SCALAR = ErrorKind(
    "select-scalar",
    IndexError,
    "select() cannot be applied to a 0-dim tensor.",
    """{tensor} is a single number and has no slices to select.
    Use the number itself, or `item()`.""",
    """{tensor} 是单个数，没有可选取的切片。
    请直接使用这个数，或用 `item()`。""",
)
SELECT_RANGE = ErrorKind(
    "select-range",
    IndexError,
    "select(): index {index} out of range for tensor of size {shape} at dimension {dim}",
    """Dimension {dim} of {tensor} has no slice number {index}: its shape is {shape}.
    Indices count from 0, or from -1 at the end.""",
    """{tensor} 的形状是 {shape}，第 {dim} 维没有第 {index} 个切片。
    下标从 0 开始，或从末尾的 -1 开始。""",
)
DELETE_ITEMS = ErrorKind(
    "delete-items",
    TypeError,
    "Tensor does not support deleting items",
    """The length of a tensor is fixed.
    Index the elements that are to stay: `x[keep]`.""",
    """张量的长度是固定的。
    请索引要保留的元素：`x[keep]`。""",
)
SLICE_ZERO = ErrorKind(
    "slice-zero",
    ValueError,
    "slice step cannot be zero",
    """A slice goes on by 1 or more.
    Leave the step away to take every element.""",
    """切片的步长至少是 1。
    要取每个元素就不写步长。""",
)
INDEX_EMPTY = ErrorKind(
    "index-empty",
    IndexError,
    "index is out of bounds for dimension with size 0",
    """The dimension has no elements, so there is nothing to index.
    Look at `shape`.""",
    """这一维没有元素，无法索引。
    请查看 `shape`。""",
)
SLICE_TYPE = ErrorKind(
    "slice-type",
    TypeError,
    "slice indices must be integers or None or have an __index__ method",
    """The bounds of a slice are whole numbers, and one of them is something else.
    Convert it with `int()`.""",
    """切片的边界必须是整数，而其中一个不是。
    请用 `int()` 转换。""",
)
INDEX_PUT_SHAPE = ErrorKind(
    "index-put-shape",
    RuntimeError,
    "shape mismatch: value tensor of shape {values} cannot be broadcast to indexing result of shape {target}",
    """{values} values are assigned to a place of shape {target}, and they cannot be broadcast to it.
    Give the values that shape, or assign a single number.""",
    """形状为 {values} 的值被赋给形状为 {target} 的位置，无法广播。
    请让值的形状与之相同，或只赋一个数。""",
)
INDEX_PUT_DTYPE = ErrorKind(
    "index-put-dtype",
    RuntimeError,
    "Index put requires the source and destination dtypes match, got {destination} for the destination and {source} "
    "for the source.",
    """Assigning through an index tensor does not convert: {tensor} holds `{destination}` and the values are `{source}`.
    Convert the values first, for example with `.to({tensor}.dtype)`.""",
    """通过下标张量赋值时不会转换类型：{tensor} 是 `{destination}`，而值是 `{source}`。
    请先转换，例如 `.to({tensor}.dtype)`。""",
)
