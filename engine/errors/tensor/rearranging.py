"""Errors of cutting, joining, gathering, scattering and sorting."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

REPEAT_REFUSED = ErrorKind(
    "repeat-refused",
    RuntimeError,
    "{message}",
    """How often elements are repeated is given by counts, one for each dimension or element, none of them negative.
    Compare the counts with the shape.""",
    """重复的次数用非负的整数给出，每一维或每个元素一个。
    请把这些次数与形状对照。""",
)
REPEAT_DTYPE = ErrorKind(
    "repeat-dtype",
    NotImplementedError,
    "\"repeat_interleave_cpu\" not implemented for '{dtype}'",
    """How often an element is repeated is a whole number.
    Convert the counts with `.long()`.""",
    """重复的次数必须是整数。
    请用 `.long()` 转换。""",
)
ARRANGEMENT_REFUSED = ErrorKind(
    "arrangement-refused",
    RuntimeError,
    "{message}",
    """The dimensions named do not fit the tensor.
    Look at `shape`, and name each dimension once.""",
    """给出的维度与张量不符。
    请查看 `shape`，每一维只写一次。""",
)
CUT_REFUSED = ErrorKind(
    "cut-refused",
    RuntimeError,
    "{message}",
    """The tensor cannot be cut in this way.
    Compare the lengths asked for with the length of the dimension.""",
    """张量不能这样切分。
    请把要求的长度与这一维的长度对照。""",
)
CUT_RANGE = ErrorKind(
    "cut-range",
    IndexError,
    "{message}",
    """There is no such place in the dimension.
    Compare the start with the length of the dimension.""",
    """这一维里没有这个位置。
    请把起点与这一维的长度对照。""",
)
JOIN_REFUSED = ErrorKind(
    "join-refused",
    RuntimeError,
    "{message}",
    """These tensors cannot be put together in this way.
    Compare their number, their shapes and their dtypes.""",
    """这些张量不能这样组合。
    请对照它们的个数、形状和类型。""",
)
BROADCAST_LENGTH = ErrorKind(
    "broadcast-length",
    ValueError,
    "Attempting to broadcast a dimension with negative length!",
    """A shape has a negative length.
    Sizes are zero or more.""",
    """形状中有负数。
    各维大小必须是非负整数。""",
)
PART_SHAPE = ErrorKind(
    "part-shape",
    RuntimeError,
    "expected src to have a size equal to the slice of self. src size = {src}, slice size = {part}",
    """A part of shape {part} is to be replaced, and {src} was given for it.
    Give it exactly that shape: it is not broadcast.""",
    """要替换的部分形状是 {part}，给出的却是 {src}。
    形状必须完全相同，这里不会广播。""",
)
GATHER_SHAPE = ErrorKind(
    "gather-shape",
    RuntimeError,
    "{message}",
    """The index has one entry for each element that is moved, so its shape has to fit into those of the tensors.
    It may be longer than the tensor only along the dimension that is indexed.""",
    """下标张量为每个被搬动的元素给出一个位置，所以它的形状要能放进各张量的形状。
    只有在被索引的那一维上它可以更长。""",
)
GATHER_RANGE = ErrorKind(
    "gather-range",
    RuntimeError,
    "index {index} is out of bounds for dimension {dim} with size {size}",
    """Dimension {dim} has {size} elements, and there is no number {index} among them.
    Indices count from 0; negative ones are not taken here.""",
    """第 {dim} 维有 {size} 个元素，没有编号为 {index} 的。
    下标从 0 开始数，这里不接受负数。""",
)
INDEX_KIND = ErrorKind(
    "index-kind",
    RuntimeError,
    "{message}",
    """An index tensor holds whole numbers.
    Convert it with `.long()`.""",
    """下标张量里必须是整数。
    请用 `.long()` 转换。""",
)
INDEX_FILL_KIND = ErrorKind(
    "index-fill-kind",
    IndexError,
    "index_fill_(): Expected dtype int64 for index.",
    """An index tensor holds whole numbers.
    Convert it with `.long()`.""",
    """下标张量里必须是整数。
    请用 `.long()` 转换。""",
)
SAME_DTYPE = ErrorKind(
    "same-dtype",
    RuntimeError,
    "{message}",
    """Elements that are moved are not converted on the way: both tensors need one dtype.
    Convert one of them with `.to(...)`.""",
    """搬动元素时不会转换类型：两个张量的类型必须相同。
    请用 `.to(...)` 转换其中一个。""",
)
REDUCE_NAME = ErrorKind(
    "reduce-name",
    RuntimeError,
    "{message}",
    """`reduce` names what is done with several values for one place.
    Use one of the names listed.""",
    """`reduce` 说明同一个位置有多个值时怎么办。
    请使用列出的名字之一。""",
)
INDEX_VECTOR = ErrorKind(
    "index-vector",
    IndexError,
    "{message}",
    """The index is a vector: one number for each slice along the dimension.
    Compare its length with that of the dimension.""",
    """下标应是一个向量：沿这一维每个切片一个数。
    请把它的长度与这一维的长度对照。""",
)
INDEX_PUT_COUNT = ErrorKind(
    "index-put-count",
    IndexError,
    "too many indices for tensor of dimension {dimensions} (got {given})",
    """{tensor} has {dimensions} dimensions, and {given} index tensors were given.
    Give at most one for each dimension.""",
    """{tensor} 有 {dimensions} 维，却给了 {given} 个下标张量。
    每一维最多一个。""",
)
INDEX_SOURCE = ErrorKind(
    "index-source",
    RuntimeError,
    "{message}",
    """The source has one slice for each index, and slices of the same shape as the tensor.
    Compare the two shapes.""",
    """源张量的每个切片对应一个下标，切片的形状与目标张量相同。
    请对照两个形状。""",
)
SLICE_RANGE = ErrorKind(
    "slice-range",
    IndexError,
    "{message}",
    """There is no slice with such a number.
    Indices count from 0 up to the length of the dimension.""",
    """没有这个编号的切片。
    下标从 0 开始，小于这一维的长度。""",
)
MASK_REFUSED = ErrorKind(
    "mask-refused",
    RuntimeError,
    "{message}",
    """A mask holds truth values, one for each element, and there must be enough values for the places it marks.
    A comparison such as `x > 0` gives one.""",
    """掩码是布尔张量，每个元素一个真假值，并且提供的值要够它标出的位置使用。
    像 `x > 0` 这样的比较就得到掩码。""",
)
SELECTION_RANGE = ErrorKind(
    "selection-range",
    RuntimeError,
    "{message}",
    """There are fewer elements along the dimension than asked for.
    Compare `k` with the length of the dimension.""",
    """沿这一维的元素没有那么多。
    请把 `k` 与这一维的长度对照。""",
)
SELECTION_EMPTY = ErrorKind(
    "selection-empty",
    IndexError,
    "{message}",
    """The dimension has no elements to choose from.
    Check how the tensor came to be empty.""",
    """这一维没有元素可选。
    请检查张量为什么是空的。""",
)
UNSORTABLE = ErrorKind(
    "unsortable",
    RuntimeError,
    "{message}",
    """Complex numbers have no order.
    Sort by their absolute values (`.abs()`) or real parts (`.real`).""",
    """复数没有大小顺序。
    请按绝对值（`.abs()`）或实部（`.real`）排序。""",
)
SEARCH_REFUSED = ErrorKind(
    "search-refused",
    RuntimeError,
    "{message}",
    """The boundaries are a sorted vector, or one sorted row for each row of values.
    Compare the shapes and the options.""",
    """边界是一个有序向量，或者每一行的值对应一行有序边界。
    请检查形状和选项。""",
)
COUNT_REFUSED = ErrorKind(
    "count-refused",
    RuntimeError,
    "{message}",
    """These values cannot be counted in this way.
    Compare the values and the bounds.""",
    """这些值不能这样计数。
    请检查这些值和界限。""",
)
WITHOUT_DERIVATIVE = ErrorKind(
    "without-derivative",
    NotImplementedError,
    "the derivative for '{name}' is not implemented.",
    """`{name}` has no derivative in PyTorch: which elements are equal jumps with their values.
    Take the gradient through another way.""",
    """`{name}` 在 PyTorch 里没有导数：哪些元素相等会随数值跳变。
    请换一种方式求梯度。""",
)
H_DIMENSIONS = ErrorKind(
    "h-dimensions",
    RuntimeError,
    "{message}",
    """These forms of the transpose are for matrices, and {tensor} is none.
    `transpose` and `permute` take any number of dimensions.""",
    """这些转置写法只用于矩阵，而 {tensor} 不是矩阵。
    `transpose` 和 `permute` 适用于任意维数。""",
)
VIEW_DTYPE = ErrorKind(
    "view-dtype",
    RuntimeError,
    "{message}",
    """The bytes of {tensor} cannot be read as that dtype, because elements of the two have different sizes.
    To convert the numbers, use `.to(dtype)`.""",
    """{tensor} 的字节不能看成那种类型，因为两种元素的大小不同。
    要转换数值，请用 `.to(dtype)`。""",
)
