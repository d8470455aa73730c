"""Errors of shapes and dimensions."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

VIEW_SIZE = ErrorKind(
    "view-size",
    RuntimeError,
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
    "contiguous"
    " subspaces). Use .reshape(...) instead.",
    """The elements of {tensor} do not lie one after the other in memory (after a transposition, for example), so \
this shape cannot be a view of them.
    `reshape` copies where it must.""",
    """{tensor} 的元素在内存中不是依次排列的（例如转置之后），所以不能直接看成这个形状。
    `reshape` 会在必要时复制。""",
)
INVALID_SHAPE = ErrorKind(
    "invalid-shape",
    RuntimeError,
    "shape '{shape}' is invalid for input of size {size}",
    """{tensor} has {size} elements, and the shape {shape} has room for another number.
    The sizes must multiply to {size}; one of them may be `-1`, and is then computed.""",
    """{tensor} 有 {size} 个元素，与形状 {shape} 容纳的个数不同。
    各维大小的乘积必须是 {size}；其中一个可以写 `-1`，由 PyTorch 算出。""",
)
ONE_DIMENSION_INFERRED = ErrorKind(
    "one-dimension-inferred",
    RuntimeError,
    "only one dimension can be inferred",
    """`-1` stands for a size that is computed from the others, and two of them cannot be told apart.
    Write `-1` once.""",
    """`-1` 表示由其余各维算出的大小，写两个就无法确定。
    请只写一个 `-1`。""",
)
INVALID_SHAPE_DIMENSION = ErrorKind(
    "invalid-shape-dimension",
    RuntimeError,
    "invalid shape dimension {size} at index {index} of shape {shape}",
    """A size cannot be {size}.
    Sizes are zero or more; a single `-1` stands for one that is computed.""",
    """大小不能是 {size}。
    各维大小是非负整数；可以有一个 `-1` 表示自动计算。""",
)
AMBIGUOUS_SHAPE = ErrorKind(
    "ambiguous-shape",
    RuntimeError,
    "cannot reshape tensor of 0 elements into shape {shape} because the unspecified dimension size -1 can be any value "
    "and is ambiguous",
    """With no elements, every length would do in the place of `-1`.
    Write the length.""",
    """没有元素时，`-1` 的位置可以是任意长度。
    请写出长度。""",
)
NEGATIVE_DIMENSION = ErrorKind(
    "negative-dimension",
    RuntimeError,
    "Trying to create tensor with negative dimension {size}: {shape}",
    """A tensor was asked for with {size} elements along one dimension.
    Sizes are zero or more.""",
    """要创建的张量有一维的大小是 {size}。
    各维大小必须是非负整数。""",
)
EXPAND_SIZE = ErrorKind(
    "expand-size",
    RuntimeError,
    "The expanded size of the tensor ({target}) must match the existing size ({size}) at non-singleton dimension "
    "{dim}. "
    " Target sizes: {targets}.  Tensor sizes: {shape}",
    """A tensor of shape {shape} is to take the shape {targets}, and in dimension {dim} {size} elements cannot \
become {target}.
    Only a dimension of size 1 can be repeated.""",
    """形状为 {shape} 的张量要变成 {targets}，而第 {dim} 维的 {size} 个元素不能变成 {target} 个。
    只有大小为 1 的维度才能重复。""",
)
EXPAND_LEADING = ErrorKind(
    "expand-leading",
    RuntimeError,
    "The expanded size of the tensor ({target}) isn't allowed in a leading, non-existing dimension {dim}",
    """`-1` keeps the size of a dimension, and a new leading dimension has none yet.
    Write its size as a number.""",
    """`-1` 表示保持原来的大小，而新增的前面的维度还没有大小。
    请把它写成一个数。""",
)
EXPAND_DIMENSIONS = ErrorKind(
    "expand-dimensions",
    RuntimeError,
    "expand({dtype_type}{{{shape}}}, size={targets}): the number of sizes provided ({given}) must be greater or "
    "equal to"
    " the number of dimensions in the tensor ({dimensions})",
    """{tensor} has {dimensions} dimensions and only {given} sizes were given.
    Give a size for each; `-1` keeps one as it is.""",
    """{tensor} 有 {dimensions} 维，却只给了 {given} 个大小。
    请为每一维给出大小；`-1` 表示保持不变。""",
)
DIM_OF_SCALAR = ErrorKind(
    "dim-of-scalar",
    IndexError,
    "Dimension specified as {dim} but tensor has no dimensions",
    """The tensor is a single number and has no dimension {dim}.
    Give it one first, with `reshape(1)` or `unsqueeze(0)`.""",
    """这个张量是单个数，没有第 {dim} 维。
    请先用 `reshape(1)` 或 `unsqueeze(0)` 加上一维。""",
)
DIM_RANGE = ErrorKind(
    "dim-range",
    IndexError,
    "Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})",
    """There is no dimension {dim}: here they are numbered from {low} to {high}.
    Dimensions count from 0; negative ones count from the end.""",
    """没有第 {dim} 维：这里的维度编号从 {low} 到 {high}。
    维度从 0 开始数，负数从末尾数起。""",
)
DIM_REPEATED = ErrorKind(
    "dim-repeated",
    RuntimeError,
    "dim {dim} appears multiple times in the list of dims",
    """Dimension {dim} is named twice.
    Name each dimension once.""",
    """第 {dim} 维写了两次。
    每一维只写一次。""",
)
PERMUTE_REPEATED = ErrorKind(
    "permute-repeated",
    RuntimeError,
    "permute(): duplicate dims are not allowed.",
    """The new order names one dimension twice.
    Name every dimension exactly once.""",
    """新的顺序里有一维写了两次。
    每一维都要恰好写一次。""",
)
PERMUTE_COUNT = ErrorKind(
    "permute-count",
    RuntimeError,
    "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of"
    " dimensions i.e. input.dim() = {dimensions} is not equal to len(dims) = {given}",
    """{tensor} has {dimensions} dimensions and the new order names {given}.
    Name every dimension exactly once.""",
    """{tensor} 有 {dimensions} 维，而新的顺序写了 {given} 个。
    每一维都要恰好写一次。""",
)
FLATTEN_ORDER = ErrorKind(
    "flatten-order",
    RuntimeError,
    "flatten() has invalid args: start_dim cannot come after end_dim",
    """The first dimension to flatten lies behind the last one.
    Swap the two numbers.""",
    """要展平的起始维在结束维之后。
    请交换这两个数。""",
)
CAT_SIZE = ErrorKind(
    "cat-size",
    RuntimeError,
    "Sizes of tensors must match except in dimension {dim}. Expected size {expected} but got size {actual} for tensor"
    " number {index} in the list.",
    """Tensor number {index} of the list has size {actual} where the first has {expected}.
    To be joined along dimension {dim}, tensors must agree in all others.""",
    """列表中第 {index} 个张量的大小是 {actual}，而第一个是 {expected}。
    沿第 {dim} 维拼接时，其余各维必须一致。""",
)
CAT_DIMENSIONS = ErrorKind(
    "cat-dimensions",
    RuntimeError,
    "Tensors must have same number of dimensions: got {a} and {b}",
    """Tensors of {a} and of {b} dimensions are to be joined.
    Add the missing dimension with `unsqueeze`, or use `stack`.""",
    """要拼接的张量分别是 {a} 维和 {b} 维。
    请用 `unsqueeze` 补上缺的一维，或者改用 `stack`。""",
)
CAT_EMPTY = ErrorKind(
    "cat-empty",
    ValueError,
    "torch.cat(): expected a non-empty list of Tensors",
    """The list has no tensors in it.
    Put at least one in.""",
    """列表里没有张量。
    请至少放入一个。""",
)
STACK_SIZE = ErrorKind(
    "stack-size",
    RuntimeError,
    "stack expects each tensor to be equal size, but got {a} at entry 0 and {b} at entry {index}",
    """Entry 0 has the shape {a} and entry {index} the shape {b}.
    `stack` lays equal shapes on top of each other; `cat` joins along a dimension that is there.""",
    """第 0 个的形状是 {a}，第 {index} 个是 {b}。
    `stack` 把形状相同的张量叠在一起；沿已有的维度拼接请用 `cat`。""",
)
STACK_EMPTY = ErrorKind(
    "stack-empty",
    RuntimeError,
    "stack expects a non-empty TensorList",
    """The list has no tensors in it.
    Put at least one in.""",
    """列表里没有张量。
    请至少放入一个。""",
)
CHUNK_COUNT = ErrorKind(
    "chunk-count",
    RuntimeError,
    "chunk expects `chunks` to be greater than 0, got: {chunks}",
    """A tensor cannot be cut into {chunks} pieces.
    Ask for one or more.""",
    """张量不能切成 {chunks} 块。
    请至少切成一块。""",
)
SPLIT_SIZES = ErrorKind(
    "split-sizes",
    RuntimeError,
    "split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension {dim}), but got"
    " split_sizes={sizes}",
    """The pieces {sizes} do not add up to the {size} elements along dimension {dim}.
    Change the sizes so that they do.""",
    """各块大小 {sizes} 加起来不等于第 {dim} 维的 {size} 个元素。
    请调整各块的大小。""",
)
EMPTY_REDUCTION = ErrorKind(
    "empty-reduction",
    RuntimeError,
    "{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim'"
    " argument.",
    """{tensor} has no elements, so it has no largest or smallest one.
    Check how it came to be empty.""",
    """{tensor} 没有元素，也就没有最大或最小的元素。
    请检查它为什么是空的。""",
)
EMPTY_AMINMAX = ErrorKind(
    "empty-aminmax",
    RuntimeError,
    "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.",
    """{tensor} has no elements, so it has no largest or smallest one.
    Check how it came to be empty.""",
    """{tensor} 没有元素，也就没有最大或最小的元素。
    请检查它为什么是空的。""",
)
UNIQUE_EMPTY = ErrorKind(
    "unique-empty",
    RuntimeError,
    "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied",
    """The slices that are to be compared have no elements.
    Check how the tensor came to be empty.""",
    """要比较的切片没有元素。
    请检查这个张量为什么是空的。""",
)
INVALID_ORDER = ErrorKind(
    "invalid-order",
    RuntimeError,
    "linalg.matrix_norm: Order {order} not supported.",
    """There is no norm of order `{order}`.
    Use a number, `float("inf")` or `"fro"`.""",
    """没有 `{order}` 阶的范数。
    请使用一个数、`float("inf")` 或 `"fro"`。""",
)
MT_DIMENSIONS = ErrorKind(
    "mt-dimensions",
    RuntimeError,
    "tensor.mT is only supported on matrices or batches of matrices. Got {dimensions}-D tensor.",
    """`.mT` swaps the last two dimensions, and {tensor} has only {dimensions}.""",
    """`.mT` 交换最后两维，而 {tensor} 只有 {dimensions} 维。""",
)
NEGATIVE_ZEROS = ErrorKind(
    "negative-zeros",
    RuntimeError,
    "zeros: Dimension size must be non-negative.",
    """A tensor was asked for with a negative number of elements along one dimension.
    Check how the size was computed.""",
    """请求的张量在某一维上的元素个数是负数。
    请检查大小是怎样算出来的。""",
)
FILL_DIMENSIONS = ErrorKind(
    "fill-dimensions",
    RuntimeError,
    "fill_ only supports 0-dimension value tensor but got tensor with {dimensions} dimensions.",
    """`fill_` writes one number everywhere, and the value given has {dimensions} dimensions.
    Use `copy_` for several values, or `item()` to get a number.""",
    """`fill_` 把同一个数写到所有位置，而给出的值有 {dimensions} 维。
    多个值请用 `copy_`，或用 `item()` 取出一个数。""",
)
SUM_TO_SIZE = ErrorKind(
    "sum-to-size",
    RuntimeError,
    "size {{{size}}} is not expandable to size {{{shape}}}.",
    """Only a shape that broadcasts to {shape} can be summed to, and {size} does not.
    Each length must be 1 or equal to that of the tensor.""",
    """只能求和到可以广播为 {shape} 的形状，而 {size} 不行。
    每一维必须是 1，或与张量相同。""",
)
