"""Errors of layers: affine maps, convolutions, pools, normalisation."""

from __future__ import annotations

from engine.errors.kind import ErrorKind

AFFINE_MATRIX = ErrorKind(
    "affine-matrix", RuntimeError, "mat2 must be a matrix, got {ndim}-D tensor",
    "The weight of an affine map with a bias is a matrix.\nThis one has {ndim} dimensions.",
    "带偏置的仿射映射的权重是矩阵。\n现在它有 {ndim} 维。",
)  # fmt: skip
AFFINE_DTYPE = ErrorKind(
    "affine-dtype", RuntimeError, "mat1 and mat2 must have the same dtype, but got {mat1} and {mat2}",
    "The input and the weight need one dtype. Convert one of them, for example with `.float()`.\nThey are {mat1} and {mat2}.",
    "输入与权重的类型要相同，请转换其中一个，例如 `.float()`。\n它们是 {mat1} 和 {mat2}。",
)  # fmt: skip

# -- normalisation -----------------------------------------------------------------------------------------------------

MIXED_DTYPE = ErrorKind(
    "mixed-dtype", RuntimeError, "mixed dtype (CPU): all inputs must share same datatype.",
    "The input and the parameters of a layer need one dtype. Convert one of them, for example with `.float()`.",
    "层的输入与参数的类型要相同，请转换其中一个，例如 `.float()`。",
)  # fmt: skip
NORMALIZED_EMPTY = ErrorKind(
    "normalized-empty", RuntimeError,
    "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []",
    "`normalized_shape` names the last dimensions of the input; it cannot be empty.",
    "`normalized_shape` 是输入的最后几维，不能为空。",
)  # fmt: skip
NORMALIZED_PARAMETER = ErrorKind(
    "normalized-parameter", RuntimeError,
    "Expected {name} to be of same shape as normalized_shape, but got {name} of shape {given} and normalized_shape = {shape}",
    "The {name} has the shape of what is normalised.\nThat is {shape}, and the {name} has {given}.",
    "{name} 的形状与被归一化的部分相同。\n应为 {shape}，而 {name} 是 {given}。",
)  # fmt: skip
NORMALIZED_SHAPE = ErrorKind(
    "normalized-shape", RuntimeError,
    "Given normalized_shape={shape}, expected input with shape {wanted}, but got input of size{given}",
    "`normalized_shape` names the last dimensions of the input.\nIt is {shape}, so the input should be {wanted}; it is {given}.",
    "`normalized_shape` 是输入的最后几维。\n它是 {shape}，输入应为 {wanted}，而现在是 {given}。",
)  # fmt: skip
RUNNING_MISSING = ErrorKind(
    "running-missing", RuntimeError, "{name} must be defined in evaluation mode",
    "Outside of training a batch is normalised by running statistics, and {name} is missing. Pass it, or `training=True`.",
    "不在训练时用滑动统计量做归一化，而缺少 {name}。请传入它，或用 `training=True`。",
)  # fmt: skip
CHANNEL_COUNT = ErrorKind(
    "channel-count", RuntimeError, "{name} should contain {channels} elements not {given}",
    "There is one number for each channel, which is dimension 1 of the input.\nThere are {channels} channels, and {name} has {given}.",
    "每个通道（输入的第 1 维）对应一个数。\n有 {channels} 个通道，而 {name} 有 {given} 个。",
)  # fmt: skip
BATCH_VALUES = ErrorKind(
    "batch-values", ValueError, "Expected more than 1 value per channel when training, got input size {size}",
    "Mean and variance of a channel need more than one value. Use a larger batch, or evaluation mode (`model.eval()`).\nThe input has {size}.",
    "通道的均值和方差需要多于一个值。请用更大的批次，或求值模式（`model.eval()`）。\n输入是 {size}。",
)  # fmt: skip
SPATIAL_VALUES = ErrorKind(
    "spatial-values", ValueError, "Expected more than 1 spatial element when training, got input size {size}",
    "Instance normalisation takes mean and variance over the places of each channel, and needs more than one.\nThe input has {size}.",
    "实例归一化对每个通道的各位置求均值和方差，位置要多于一个。\n输入是 {size}。",
)  # fmt: skip
INSTANCE_RUNNING = ErrorKind(
    "instance-running", RuntimeError, "Expected running_mean and running_var to be defined when use_input_stats is false",
    "Without statistics of the input the running ones are needed: pass `running_mean` and `running_var`.",
    "不用输入的统计量时需要滑动统计量：请传入 `running_mean` 和 `running_var`。",
)  # fmt: skip
GROUP_DIMENSIONS = ErrorKind(
    "group-dimensions", RuntimeError, "Expected at least 2 dimensions for input tensor but received {ndim}",
    "The input of `group_norm` is (N, C, ...).\nThis one has {ndim} dimensions.",
    "`group_norm` 的输入是 (N, C, ...)。\n现在它有 {ndim} 维。",
)  # fmt: skip
GROUP_CHANNELS = ErrorKind(
    "group-channels", RuntimeError,
    "Expected number of channels in input to be divisible by num_groups, but got input of shape {shape} and num_groups={groups}",
    "All groups have the same number of channels, which are dimension 1 of the input.\n{groups} groups do not divide the channels of {shape}.",
    "各组的通道数（输入的第 1 维）相同。\n{groups} 组不能整除形状 {shape} 的通道数。",
)  # fmt: skip
GROUP_PARAMETER = ErrorKind(
    "group-parameter", RuntimeError,
    "Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of shape {given} and input of shape {shape}",
    "There is one number for each channel.\nThe {name} has shape {given}, the input {shape}.",
    "每个通道对应一个数。\n{name} 的形状是 {given}，输入是 {shape}。",
)  # fmt: skip
RESPONSE_DIMENSIONS = ErrorKind(
    "response-dimensions", ValueError,
    "Expected 3D or higher dimensionality                          input (got {ndim} dimensions)",
    "`local_response_norm` takes (N, C, L) or more dimensions.\nThis input has {ndim}.",
    "`local_response_norm` 接受 (N, C, L) 或更多维的输入。\n这个输入有 {ndim} 维。",
)  # fmt: skip

# -- affine maps and bags ----------------------------------------------------------------------------------------------

LINEAR_SCALAR = ErrorKind(
    "linear-scalar", RuntimeError,
    "both arguments to linear need to be at least 1D, but they are {input}D and {weight}D",
    "`linear` multiplies vectors by a matrix, and one of these is a single number. Give it a dimension, as with `.reshape(1)`.",
    "`linear` 用矩阵乘向量，而其中一个是单个数。请给它一个维度，例如 `.reshape(1)`。",
)  # fmt: skip
BILINEAR_BATCH = ErrorKind(
    "bilinear-batch", RuntimeError, "bilinear(): input batch dimensions do not match at dim {dim}: got {first} and {second}",
    "Both inputs need the same shape but for the last dimension.\nIn dimension {dim} they have {first} and {second}.",
    "两个输入除最后一维外形状要相同。\n在第 {dim} 维它们是 {first} 和 {second}。",
)  # fmt: skip
BILINEAR_SIZE = ErrorKind(
    "bilinear-size", RuntimeError, "bilinear(): input{number} size does not match weight size: got {given} but expected {wanted}",
    "The weight has the shape (out, in1, in2).\nInput {number} has {given} features and the weight expects {wanted}.",
    "权重的形状是 (out, in1, in2)。\n输入 {number} 有 {given} 个特征，而权重需要 {wanted} 个。",
)  # fmt: skip
BAG_MODE = ErrorKind(
    "bag-mode", ValueError, "mode has to be one of sum, mean or max",
    "The rows of a bag are put together by `'sum'`, `'mean'` or `'max'`.", "一个袋中的行用 `'sum'`、`'mean'` 或 `'max'` 合并。",
)  # fmt: skip
BAG_WEIGHTS = ErrorKind(
    "bag-weights", NotImplementedError,
    "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub.",
    "Weights of single rows go with `mode='sum'` only.\nThe mode is {mode}.", "单行的权重只能与 `mode='sum'` 一起使用。\n现在的方式是 {mode}。",
)  # fmt: skip
BAG_OFFSETS_GIVEN = ErrorKind(
    "bag-offsets-given", ValueError,
    "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. However, found offsets of type <class 'torch.Tensor'>",
    "A matrix of numbers has one bag in each row, so there are no offsets to give.", "数字矩阵的每一行就是一个袋，因此不需要 offsets。",
)  # fmt: skip
BAG_OFFSETS_MISSING = ErrorKind(
    "bag-offsets-missing", ValueError, "offsets has to be a 1D Tensor but got None",
    "A vector of numbers holds all bags one after the other: `offsets` says where each begins.", "数字向量依次存放所有的袋：请用 `offsets` 说明每个袋从哪里开始。",
)  # fmt: skip
BAG_OFFSETS_ZERO = ErrorKind(
    "bag-offsets-zero", RuntimeError,
    "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got {first}",
    "The first bag begins at the first number: `offsets[0]` is 0.\nHere it is {first}.", "第一个袋从第一个数开始：`offsets[0]` 是 0。\n现在是 {first}。",
)  # fmt: skip
BAG_DIMENSIONS = ErrorKind(
    "bag-dimensions", ValueError, "input has to be 1D or 2D Tensor, but got Tensor of dimension {ndim}",
    "The numbers of bags stand in a matrix, one bag a row, or in a vector with offsets.\nThese have {ndim} dimensions.",
    "袋中的数排成矩阵（每行一袋），或与 offsets 一起排成向量。\n现在它有 {ndim} 维。",
)  # fmt: skip

# -- convolutions ------------------------------------------------------------------------------------------------------

CONV_GROUPS = ErrorKind(
    "conv-groups", RuntimeError, "non-positive groups is not supported",
    "The number of groups of channels is at least 1.", "通道的组数至少是 1。",
)  # fmt: skip
CONV_PADDING = ErrorKind(
    "conv-padding", RuntimeError, "negative padding is not supported",
    "Padding adds zeros around the input, so it is not negative. To cut the input use `F.pad` with negative numbers.",
    "填充是在输入周围加零，不能为负。要裁剪输入请用带负数的 `F.pad`。",
)  # fmt: skip
CONV_STRIDE = ErrorKind(
    "conv-stride", RuntimeError, "non-positive stride is not supported",
    "The window moves by at least one element at a time.", "窗口每次至少移动一个元素。",
)  # fmt: skip
CONV_DILATION = ErrorKind(
    "conv-dilation", RuntimeError, "dilation should be greater than zero, but got {dilation}",
    "`dilation` is the distance between the places of a window: at least 1.\nIt is {dilation}.",
    "`dilation` 是窗口内各位置的间距：至少是 1。\n现在是 {dilation}。",
)  # fmt: skip
CONV_WEIGHT_COUNT = ErrorKind(
    "conv-weight-count", RuntimeError,
    "Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size {shape} instead",
    "Every group has at least one filter.\nThere are {groups} groups, and the weight has shape {shape}.",
    "每组至少有一个滤波器。\n有 {groups} 组，而权重形状是 {shape}。",
)  # fmt: skip
CONV_WEIGHT_GROUPS = ErrorKind(
    "conv-weight-groups", RuntimeError,
    "Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size [{shape}] instead",
    "All groups have the same number of filters.\n{groups} groups do not divide the filters of the weight, {shape}.",
    "各组的滤波器个数相同。\n{groups} 组不能整除权重 {shape} 的滤波器个数。",
)  # fmt: skip
CONV_CHANNELS = ErrorKind(
    "conv-channels", RuntimeError,
    "Given groups={groups}, weight of size {weight}, expected input{input} to have {wanted} channels, but got {given} channels instead",
    "The input of a convolution is (N, channels, ...), the weight (filters, channels / groups, ...).\nWith the weight {weight} and {groups} groups the input needs {wanted} channels; {input} has {given}.\nPerhaps the channels stand last: move them with `.permute`.",
    "卷积的输入是 (N, 通道, ...)，权重是 (滤波器, 通道 / 组, ...)。\n权重为 {weight}、{groups} 组时输入需要 {wanted} 个通道，而 {input} 有 {given} 个。\n也许通道在最后：请用 `.permute` 移动。",
)  # fmt: skip
CONV_TRANSPOSED_CHANNELS = ErrorKind(
    "conv-transposed-channels", RuntimeError,
    "Given transposed=1, weight of size {weight}, expected input{input} to have {wanted} channels, but got {given} channels instead",
    "The weight of a transposed convolution is (channels, filters / groups, ...).\nWith {weight} the input needs {wanted} channels; {input} has {given}.",
    "转置卷积的权重是 (通道, 滤波器 / 组, ...)。\n权重为 {weight} 时输入需要 {wanted} 个通道，而 {input} 有 {given} 个。",
)  # fmt: skip
CONV_BIAS = ErrorKind(
    "conv-bias", RuntimeError,
    "Given weight of size {weight}, expected bias to be 1-dimensional with {count} elements, but got bias of size {bias} instead",
    "There is one bias for each filter.\nThe weight {weight} has {count} filters, and the bias has shape {bias}.",
    "每个滤波器一个偏置。\n权重 {weight} 有 {count} 个滤波器，而偏置形状是 {bias}。",
)  # fmt: skip
CONV_TRANSPOSED_BIAS = ErrorKind(
    "conv-transposed-bias", RuntimeError,
    "Given transposed=1, weight of size {weight}, expected bias to be 1-dimensional with {count} elements, but got bias of size {bias} instead",
    CONV_BIAS.en, CONV_BIAS.zh,
)  # fmt: skip
SCALAR_TYPE = ErrorKind(
    "scalar-type", RuntimeError, "expected scalar type {expected} but found {found}",
    "Both tensors need one dtype. Convert one of them, for example with `.float()`.\nThey are {expected} and {found}.",
    "两个张量的类型要相同，请转换其中一个，例如 `.float()`。\n它们是 {expected} 和 {found}。",
)  # fmt: skip
CONV_BIAS_DTYPE = ErrorKind(
    "conv-bias-dtype", RuntimeError, "Input type ({input}) and bias type ({bias}) should be the same",
    "The input and the bias need one dtype. Convert one of them, for example with `.float()`.\nThey are {input} and {bias}.",
    "输入与偏置的类型要相同，请转换其中一个，例如 `.float()`。\n它们是 {input} 和 {bias}。",
)  # fmt: skip
CONV_KERNEL = ErrorKind(
    "conv-kernel", RuntimeError,
    "Calculated padded input size per channel: ({size}). Kernel size: ({kernel}). Kernel size can't be greater than actual input size",
    "The window does not fit into the input.\nThe input has {size} with its padding, the window {kernel}: use a larger input, a smaller window or more padding.",
    "窗口放不进输入。\n加上填充后输入是 {size}，窗口是 {kernel}：请用更大的输入、更小的窗口或更多填充。",
)  # fmt: skip
CONV_OUTPUT_PADDING = ErrorKind(
    "conv-output-padding", RuntimeError, "output padding must be smaller than either stride or dilation, but got {given}",
    "`output_padding` decides between output sizes that one stride maps to the same input size, so it is smaller than the stride.\nHere: {given}.",
    "`output_padding` 用来在步幅对应的多个输出尺寸中选择，因此要小于步幅。\n现在：{given}。",
)  # fmt: skip
CONV_INPUT = ErrorKind(
    "conv-input", RuntimeError,
    "Expected {dims}D (unbatched) or {batched}D (batched) input to {name}, but got input of size: {shape}",
    "The input of `{name}` has {dims} dimensions, or {batched} with a batch.\nThis one has shape {shape}: add a dimension with `.unsqueeze`.",
    "`{name}` 的输入有 {dims} 维，带批次时 {batched} 维。\n现在的形状是 {shape}：请用 `.unsqueeze` 加一维。",
)  # fmt: skip
CONV_PARAMETER = ErrorKind(
    "conv-parameter", RuntimeError,
    "expected {name} to be a single integer value or a list of {dims} values to match the convolution dimensions, but got {name}={given}",
    "`{name}` is one integer, or one for each of the {dims} dimensions.\nHere it is {given}.",
    "`{name}` 是一个整数，或 {dims} 个维度各一个。\n现在是 {given}。",
)  # fmt: skip
CONV_SAME_STRIDE = ErrorKind(
    "conv-same-stride", RuntimeError, "padding='same' is not supported for strided convolutions",
    "With a stride the result cannot have the size of the input. Give the padding as a number.",
    "有步幅时结果不可能与输入同样大。请用数字给出填充。",
)  # fmt: skip
CONV_PADDING_WORD = ErrorKind(
    "conv-padding-word", RuntimeError, "Invalid padding string: '{word}'",
    "As a word, `padding` is `'valid'` or `'same'`.\n`{word}` is neither.", "用单词时，`padding` 是 `'valid'` 或 `'same'`。\n`{word}` 不在其中。",
)  # fmt: skip

# -- pools -------------------------------------------------------------------------------------------------------------

POOL_OUTPUT = ErrorKind(
    "pool-output", RuntimeError, "Given input size: ({size}). Calculated output size: ({out}). Output size is too small",
    "The window of the pool does not fit into the input.\nFrom {size} nothing is left ({out}): use a smaller window or fewer pools.",
    "池化窗口放不进输入。\n从 {size} 算出的输出是 {out}：请用更小的窗口或更少的池化。",
)  # fmt: skip
POOL_PADDING = ErrorKind(
    "pool-padding", RuntimeError,
    "pad should be at most half of effective kernel size, but got pad={pad}, kernel_size={kernel} and dilation={dilation}",
    "A window has to reach the input: at most half of it may lie in the padding.\nThe padding is {pad}, the window {kernel} (dilation {dilation}).",
    "窗口必须碰到输入：最多一半在填充中。\n填充是 {pad}，窗口是 {kernel}（间距 {dilation}）。",
)  # fmt: skip
POOL_STRIDE = ErrorKind(
    "pool-stride", RuntimeError, "stride should not be zero",
    "The window moves by at least one element at a time, and without `stride` by its own size.", "窗口每次至少移动一个元素；不写 `stride` 时移动窗口的大小。",
)  # fmt: skip
POOL_DILATION = ErrorKind(
    "pool-dilation", RuntimeError, "dilation should be greater than zero, but got {given}",
    "`dilation` is the distance between the places of a window: at least 1.\nHere: {given}.", "`dilation` 是窗口内各位置的间距：至少是 1。\n现在：{given}。",
)  # fmt: skip
POOL_INPUT = ErrorKind(
    "pool-input", RuntimeError, "non-empty {dims}D or {batched}D (batch mode) tensor expected for input",
    "The input of the pool has {dims} dimensions, or {batched} with a batch. Add a dimension with `.unsqueeze`.",
    "池化的输入有 {dims} 维，带批次时 {batched} 维。请用 `.unsqueeze` 加一维。",
)  # fmt: skip
POOL_INPUT_1D = ErrorKind(
    "pool-input-1d", RuntimeError, "{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:{shape}",
    "The input of `{name}` is (C, L) or (N, C, L).\nThis one has shape {shape}.", "`{name}` 的输入是 (C, L) 或 (N, C, L)。\n现在的形状是 {shape}。",
)  # fmt: skip
POOL_AVERAGE_1D = ErrorKind(
    "pool-average-1d", RuntimeError,
    "Expected 2 to 3 dimensions, but got {ndim}-dimensional tensor for argument #1 'self' (while checking arguments for {name})",
    "The input of `{name}` is (C, L) or (N, C, L).\nThis one has {ndim} dimensions.", "`{name}` 的输入是 (C, L) 或 (N, C, L)。\n现在它有 {ndim} 维。",
)  # fmt: skip
POOL_OUTPUT_1D = ErrorKind(
    "pool-output-1d", RuntimeError, "max_pool1d() Invalid computed output size: {out}",
    "The window of the pool does not fit into the input.\nThe output would have length {out}.", "池化窗口放不进输入。\n输出长度会是 {out}。",
)  # fmt: skip
POOL_PADDING_1D = ErrorKind(
    "pool-padding-1d", RuntimeError,
    "max_pool1d() padding should be at most half of kernel size, but got padding={pad} and kernel_size={kernel}",
    "A window has to reach the input: at most half of it may lie in the padding.\nThe padding is {pad}, the window {kernel}.",
    "窗口必须碰到输入：最多一半在填充中。\n填充是 {pad}，窗口是 {kernel}。",
)  # fmt: skip
POOL_TUPLE = ErrorKind(
    "pool-tuple", RuntimeError, "{name}: {argument} must either be a single int, or a tuple of {count} ints",
    "`{argument}` of `{name}` is one integer, or {count} of them.", "`{name}` 的 `{argument}` 是一个整数，或 {count} 个整数。",
)  # fmt: skip
POOL_DIVISOR = ErrorKind(
    "pool-divisor", RuntimeError, "divisor must be not zero", "The sums of the windows cannot be divided by 0.", "窗口的和不能除以 0。",
)  # fmt: skip
POOL_SMALL_3D = ErrorKind(
    "pool-small-3d", RuntimeError, "input image (T: {t} H: {h} W: {w}) smaller than kernel size (kT: {kt} kH: {kh} kW: {kw})",
    "The window of the pool does not fit into the input.\nThe input is {t}×{h}×{w}, the window {kt}×{kh}×{kw}.",
    "池化窗口放不进输入。\n输入是 {t}×{h}×{w}，窗口是 {kt}×{kh}×{kw}。",
)  # fmt: skip
ADAPTIVE_INPUT = ErrorKind(
    "adaptive-input", RuntimeError, "{name}(): Expected {dims}D or {batched}D tensor, but got{colon} {shape}",
    "The input of `{name}` has {dims} dimensions, or {batched} with a batch.\nThis one has shape {shape}.",
    "`{name}` 的输入有 {dims} 维，带批次时 {batched} 维。\n现在的形状是 {shape}。",
)  # fmt: skip
ADAPTIVE_NEGATIVE = ErrorKind(
    "adaptive-negative", RuntimeError,
    "{name}: elements of output_size must be greater than or equal to 0 but received {{{given}}}",
    "An output size of `{name}` cannot be negative.\nHere: {given}.", "`{name}` 的输出尺寸不能为负。\n现在：{given}。",
)  # fmt: skip
ADAPTIVE_SIZE = ErrorKind(
    "adaptive-size", RuntimeError, "{name}: output_size must be {count}",
    "`output_size` of `{name}` is one integer, or {count} of them.", "`{name}` 的 `output_size` 是一个整数，或 {count} 个整数。",
)  # fmt: skip
UNPOOL_SHAPE = ErrorKind(
    "unpool-shape", RuntimeError,
    "Expected shape of indices to be same as that of the input tensor ({input}) but got indices tensor with shape: {indices}",
    "There is one index for each value.\nThe values have shape {input}, the indices {indices}.", "每个值有一个索引。\n值的形状是 {input}，索引是 {indices}。",
)  # fmt: skip
UNPOOL_RANGE = ErrorKind(
    "unpool-range", RuntimeError, "Found an invalid max index: {index} (output volumes are of size {size})",
    "An index points outside of the output.\nThe output is {size}, and one index is {index}.", "有索引超出输出范围。\n输出是 {size}，而有一个索引是 {index}。",
)  # fmt: skip
