"""Errors of convolutions and pools."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

# -- convolutions ------------------------------------------------------------------------------------------------------

CONV_GROUPS = ErrorKind(
    "conv-groups",
    RuntimeError,
    "non-positive groups is not supported",
    """The number of groups of channels is at least 1.""",
    """通道的组数至少是 1。""",
)

CONV_PADDING = ErrorKind(
    "conv-padding",
    RuntimeError,
    "negative padding is not supported",
    """Padding adds zeros around the input, so it is not negative. To cut the input use `F.pad` with negative \
numbers.""",
    """填充是在输入周围加零，不能为负。要裁剪输入请用带负数的 `F.pad`。""",
)

CONV_STRIDE = ErrorKind(
    "conv-stride",
    RuntimeError,
    "non-positive stride is not supported",
    """The window moves by at least one element at a time.""",
    """窗口每次至少移动一个元素。""",
)

CONV_DILATION = ErrorKind(
    "conv-dilation",
    RuntimeError,
    "dilation should be greater than zero, but got {dilation}",
    """`dilation` is the distance between the places of a window: at least 1.
    It is {dilation}.""",
    """`dilation` 是窗口内各位置的间距：至少是 1。
    现在是 {dilation}。""",
)

CONV_WEIGHT_COUNT = ErrorKind(
    "conv-weight-count",
    RuntimeError,
    "Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of "
    "size {shape} instead",
    """Every group has at least one filter.
    There are {groups} groups, and the weight has shape {shape}.""",
    """每组至少有一个卷积核。
    有 {groups} 组，而权重形状是 {shape}。""",
)

CONV_WEIGHT_GROUPS = ErrorKind(
    "conv-weight-groups",
    RuntimeError,
    "Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
    "size [{shape}] instead",
    """All groups have the same number of filters.
    {groups} groups do not divide the filters of the weight, {shape}.""",
    """各组的卷积核个数相同。
    {groups} 组不能整除权重 {shape} 的卷积核个数。""",
)

CONV_CHANNELS = ErrorKind(
    "conv-channels",
    RuntimeError,
    "Given groups={groups}, weight of size {weight}, expected input{input} to have {wanted} channels, but "
    "got {given} channels instead",
    """The input of a convolution is (N, channels, ...), the weight (filters, channels / groups, ...).
    With the weight {weight} and {groups} groups the input needs {wanted} channels; {input} has {given}.
    Perhaps the channels stand last: move them with `.permute`.""",
    """卷积的输入是 (N, 通道, ...)，权重是 (卷积核, 通道 / 组, ...)。
    权重为 {weight}、{groups} 组时输入需要 {wanted} 个通道，而 {input} 有 {given} 个。
    也许通道在最后：请用 `.permute` 移动。""",
)

CONV_TRANSPOSED_CHANNELS = ErrorKind(
    "conv-transposed-channels",
    RuntimeError,
    "Given transposed=1, weight of size {weight}, expected input{input} to have {wanted} channels, but "
    "got {given} channels instead",
    """The weight of a transposed convolution is (channels, filters / groups, ...).
    With {weight} the input needs {wanted} channels; {input} has {given}.""",
    """转置卷积的权重是 (通道, 卷积核 / 组, ...)。
    权重为 {weight} 时输入需要 {wanted} 个通道，而 {input} 有 {given} 个。""",
)

CONV_BIAS = ErrorKind(
    "conv-bias",
    RuntimeError,
    "Given weight of size {weight}, expected bias to be 1-dimensional with {count} elements, but got bias "
    "of size {bias} instead",
    """There is one bias for each filter.
    The weight {weight} has {count} filters, and the bias has shape {bias}.""",
    """每个卷积核一个偏置。
    权重 {weight} 有 {count} 个卷积核，而偏置形状是 {bias}。""",
)

CONV_TRANSPOSED_BIAS = ErrorKind(
    "conv-transposed-bias",
    RuntimeError,
    "Given transposed=1, weight of size {weight}, expected bias to be 1-dimensional with {count} "
    "elements, but got bias of size {bias} instead",
    CONV_BIAS.en,
    CONV_BIAS.zh,
)

SCALAR_TYPE = ErrorKind(
    "scalar-type",
    RuntimeError,
    "expected scalar type {expected} but found {found}",
    """Both tensors need one dtype. Convert one of them, for example with `.float()`.
    They are {expected} and {found}.""",
    """两个张量的类型要相同，请转换其中一个，例如 `.float()`。
    它们是 {expected} 和 {found}。""",
)

CONV_BIAS_DTYPE = ErrorKind(
    "conv-bias-dtype",
    RuntimeError,
    "Input type ({input}) and bias type ({bias}) should be the same",
    """The input and the bias need one dtype. Convert one of them, for example with `.float()`.
    They are {input} and {bias}.""",
    """输入与偏置的类型要相同，请转换其中一个，例如 `.float()`。
    它们是 {input} 和 {bias}。""",
)

CONV_KERNEL = ErrorKind(
    "conv-kernel",
    RuntimeError,
    "Calculated padded input size per channel: ({size}). Kernel size: ({kernel}). Kernel size can't be "
    "greater than actual input size",
    """The window does not fit into the input.
    The input has {size} with its padding, the window {kernel}: use a larger input, a smaller window or more \
padding.""",
    """窗口放不进输入。
    加上填充后输入是 {size}，窗口是 {kernel}：请用更大的输入、更小的窗口或更多填充。""",
)

CONV_OUTPUT_PADDING = ErrorKind(
    "conv-output-padding",
    RuntimeError,
    "output padding must be smaller than either stride or dilation, but got {given}",
    """`output_padding` decides between output sizes that one stride maps to the same input size, so it is \
smaller than the stride.
    Here: {given}.""",
    """`output_padding` 用来在步幅对应的多个输出尺寸中选择，因此要小于步幅。
    现在：{given}。""",
)

CONV_INPUT = ErrorKind(
    "conv-input",
    RuntimeError,
    "Expected {dims}D (unbatched) or {batched}D (batched) input to {name}, but got input of size: {shape}",
    """The input of `{name}` has {dims} dimensions, or {batched} with a batch.
    This one has shape {shape}: add a dimension with `.unsqueeze`.""",
    """`{name}` 的输入有 {dims} 维，带批次时 {batched} 维。
    现在的形状是 {shape}：请用 `.unsqueeze` 加一维。""",
)

CONV_PARAMETER = ErrorKind(
    "conv-parameter",
    RuntimeError,
    "expected {name} to be a single integer value or a list of {dims} values to match the convolution "
    "dimensions, but got {name}={given}",
    """`{name}` is one integer, or one for each of the {dims} dimensions.
    Here it is {given}.""",
    """`{name}` 是一个整数，或 {dims} 个维度各一个。
    现在是 {given}。""",
)

CONV_SAME_STRIDE = ErrorKind(
    "conv-same-stride",
    RuntimeError,
    "padding='same' is not supported for strided convolutions",
    """With a stride the result cannot have the size of the input. Give the padding as a number.""",
    """有步幅时结果不可能与输入同样大。请用数字给出填充。""",
)

CONV_PADDING_WORD = ErrorKind(
    "conv-padding-word",
    RuntimeError,
    "Invalid padding string: '{word}'",
    """As a word, `padding` is `'valid'` or `'same'`.
    `{word}` is neither.""",
    """用单词时，`padding` 是 `'valid'` 或 `'same'`。
    `{word}` 不在其中。""",
)

# -- pools -------------------------------------------------------------------------------------------------------------

POOL_OUTPUT = ErrorKind(
    "pool-output",
    RuntimeError,
    "Given input size: ({size}). Calculated output size: ({out}). Output size is too small",
    """The window of the pool does not fit into the input.
    From {size} nothing is left ({out}): use a smaller window or fewer pools.""",
    """池化窗口放不进输入。
    从 {size} 算出的输出是 {out}：请用更小的窗口或更少的池化。""",
)

POOL_PADDING = ErrorKind(
    "pool-padding",
    RuntimeError,
    "pad should be at most half of effective kernel size, but got pad={pad}, kernel_size={kernel} and "
    "dilation={dilation}",
    """A window has to reach the input: at most half of it may lie in the padding.
    The padding is {pad}, the window {kernel} (dilation {dilation}).""",
    """窗口必须碰到输入：最多一半在填充中。
    填充是 {pad}，窗口是 {kernel}（间距 {dilation}）。""",
)

POOL_STRIDE = ErrorKind(
    "pool-stride",
    RuntimeError,
    "stride should not be zero",
    """The window moves by at least one element at a time, and without `stride` by its own size.""",
    """窗口每次至少移动一个元素；不写 `stride` 时移动窗口的大小。""",
)

POOL_DILATION = ErrorKind(
    "pool-dilation",
    RuntimeError,
    "dilation should be greater than zero, but got {given}",
    """`dilation` is the distance between the places of a window: at least 1.
    Here: {given}.""",
    """`dilation` 是窗口内各位置的间距：至少是 1。
    现在：{given}。""",
)

POOL_INPUT = ErrorKind(
    "pool-input",
    RuntimeError,
    "non-empty {dims}D or {batched}D (batch mode) tensor expected for input",
    """The input of the pool has {dims} dimensions, or {batched} with a batch. Add a dimension with \
`.unsqueeze`.""",
    """池化的输入有 {dims} 维，带批次时 {batched} 维。请用 `.unsqueeze` 加一维。""",
)

POOL_INPUT_1D = ErrorKind(
    "pool-input-1d",
    RuntimeError,
    "{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:{shape}",
    """The input of `{name}` is (C, L) or (N, C, L).
    This one has shape {shape}.""",
    """`{name}` 的输入是 (C, L) 或 (N, C, L)。
    现在的形状是 {shape}。""",
)

POOL_AVERAGE_1D = ErrorKind(
    "pool-average-1d",
    RuntimeError,
    "Expected 2 to 3 dimensions, but got {ndim}-dimensional tensor for argument #1 'self' (while checking "
    "arguments for {name})",
    """The input of `{name}` is (C, L) or (N, C, L).
    This one has {ndim} dimensions.""",
    """`{name}` 的输入是 (C, L) 或 (N, C, L)。
    现在它有 {ndim} 维。""",
)

POOL_OUTPUT_1D = ErrorKind(
    "pool-output-1d",
    RuntimeError,
    "max_pool1d() Invalid computed output size: {out}",
    """The window of the pool does not fit into the input.
    The output would have length {out}.""",
    """池化窗口放不进输入。
    输出长度会是 {out}。""",
)

POOL_PADDING_1D = ErrorKind(
    "pool-padding-1d",
    RuntimeError,
    "max_pool1d() padding should be at most half of kernel size, but got padding={pad} and kernel_size={kernel}",
    """A window has to reach the input: at most half of it may lie in the padding.
    The padding is {pad}, the window {kernel}.""",
    """窗口必须碰到输入：最多一半在填充中。
    填充是 {pad}，窗口是 {kernel}。""",
)

POOL_TUPLE = ErrorKind(
    "pool-tuple",
    RuntimeError,
    "{name}: {argument} must either be a single int, or a tuple of {count} ints",
    """`{argument}` of `{name}` is one integer, or {count} of them.""",
    """`{name}` 的 `{argument}` 是一个整数，或 {count} 个整数。""",
)

POOL_DIVISOR = ErrorKind(
    "pool-divisor",
    RuntimeError,
    "divisor must be not zero",
    """The sums of the windows cannot be divided by 0.""",
    """窗口的和不能除以 0。""",
)

POOL_SMALL_3D = ErrorKind(
    "pool-small-3d",
    RuntimeError,
    "input image (T: {t} H: {h} W: {w}) smaller than kernel size (kT: {kt} kH: {kh} kW: {kw})",
    """The window of the pool does not fit into the input.
    The input is {t}×{h}×{w}, the window {kt}×{kh}×{kw}.""",
    """池化窗口放不进输入。
    输入是 {t}×{h}×{w}，窗口是 {kt}×{kh}×{kw}。""",
)

ADAPTIVE_INPUT = ErrorKind(
    "adaptive-input",
    RuntimeError,
    "{name}(): Expected {dims}D or {batched}D tensor, but got{colon} {shape}",
    """The input of `{name}` has {dims} dimensions, or {batched} with a batch.
    This one has shape {shape}.""",
    """`{name}` 的输入有 {dims} 维，带批次时 {batched} 维。
    现在的形状是 {shape}。""",
)

ADAPTIVE_NEGATIVE = ErrorKind(
    "adaptive-negative",
    RuntimeError,
    "{name}: elements of output_size must be greater than or equal to 0 but received {{{given}}}",
    """An output size of `{name}` cannot be negative.
    Here: {given}.""",
    """`{name}` 的输出尺寸不能为负。
    现在：{given}。""",
)

ADAPTIVE_SIZE = ErrorKind(
    "adaptive-size",
    RuntimeError,
    "{name}: output_size must be {count}",
    """`output_size` of `{name}` is one integer, or {count} of them.""",
    """`{name}` 的 `output_size` 是一个整数，或 {count} 个整数。""",
)

UNPOOL_SHAPE = ErrorKind(
    "unpool-shape",
    RuntimeError,
    "Expected shape of indices to be same as that of the input tensor ({input}) but got indices tensor "
    "with shape: {indices}",
    """There is one index for each value.
    The values have shape {input}, the indices {indices}.""",
    """每个值有一个索引。
    值的形状是 {input}，索引是 {indices}。""",
)

UNPOOL_RANGE = ErrorKind(
    "unpool-range",
    RuntimeError,
    "Found an invalid max index: {index} (output volumes are of size {size})",
    """An index points outside of the output.
    The output is {size}, and one index is {index}.""",
    """有索引超出输出范围。
    输出是 {size}，而有一个索引是 {index}。""",
)
