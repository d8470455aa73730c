"""Errors of layers: affine maps, embeddings in bags, normalisation."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

AFFINE_MATRIX = ErrorKind(
    "affine-matrix",
    RuntimeError,
    "mat2 must be a matrix, got {ndim}-D tensor",
    """The weight of an affine map with a bias is a matrix.
    This one has {ndim} dimensions.""",
    """带偏置的仿射映射的权重是矩阵。
    现在它有 {ndim} 维。""",
)

AFFINE_DTYPE = ErrorKind(
    "affine-dtype",
    RuntimeError,
    "{name} and mat2 must have the same dtype, but got {first} and {second}",
    """The input and the weight need one dtype. Convert one of them, for example with `.float()`.
    They are {first} and {second}.""",
    """输入与权重的类型要相同，请转换其中一个，例如 `.float()`。
    它们是 {first} 和 {second}。""",
)

# -- normalisation -----------------------------------------------------------------------------------------------------

MIXED_DTYPE = ErrorKind(
    "mixed-dtype",
    RuntimeError,
    "mixed dtype (CPU): all inputs must share same datatype.",
    """The input and the parameters of a layer need one dtype. Convert one of them, for example with \
`.float()`.""",
    """层的输入与参数的类型要相同，请转换其中一个，例如 `.float()`。""",
)

MIXED_PARAMETER = ErrorKind(
    "mixed-parameter",
    RuntimeError,
    "mixed dtype (CPU): expect parameter to have scalar type of Float",
    MIXED_DTYPE.en,
    MIXED_DTYPE.zh,
)

BILINEAR_DTYPES = ErrorKind(
    "bilinear-dtypes",
    RuntimeError,
    "All tensors must have the same dtype, got {given}",
    """The inputs and the parameters need one dtype. Convert the others, for example with `.float()`.
    They are {given}.""",
    """输入与参数的类型要相同，请转换其余的，例如 `.float()`。
    它们是 {given}。""",
)

ATTENTION_DTYPES = ErrorKind(
    "attention-dtypes",
    RuntimeError,
    "Expected query, key, and value to have the same dtype, but got query.dtype: {query} key.dtype: {key} and "
    "value.dtype: {value} instead.",
    """Query, key and value need one dtype. Convert the others, for example with `.float()`.
    They are {query}, {key} and {value}.""",
    """query、key 和 value 的类型要相同，请转换其余的，例如 `.float()`。
    它们是 {query}、{key} 和 {value}。""",
)

NORMALIZED_EMPTY = ErrorKind(
    "normalized-empty",
    RuntimeError,
    "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but "
    "got normalized_shape = []",
    """`normalized_shape` names the last dimensions of the input; it cannot be empty.""",
    """`normalized_shape` 是输入的最后几维，不能为空。""",
)

NORMALIZED_PARAMETER = ErrorKind(
    "normalized-parameter",
    RuntimeError,
    "Expected {name} to be of same shape as normalized_shape, but got {name} of shape {given} and "
    "normalized_shape = {shape}",
    """The {name} has the shape of what is normalised.
    That is {shape}, and the {name} has {given}.""",
    """{name} 的形状与被归一化的部分相同。
    应为 {shape}，而 {name} 是 {given}。""",
)

NORMALIZED_SHAPE = ErrorKind(
    "normalized-shape",
    RuntimeError,
    "Given normalized_shape={shape}, expected input with shape {wanted}, but got input of size{given}",
    """`normalized_shape` names the last dimensions of the input.
    It is {shape}, so the input should be {wanted}; it is {given}.""",
    """`normalized_shape` 是输入的最后几维。
    它是 {shape}，输入应为 {wanted}，而现在是 {given}。""",
)

RUNNING_MISSING = ErrorKind(
    "running-missing",
    RuntimeError,
    "{name} must be defined in evaluation mode",
    """Outside of training a batch is normalised by running statistics, and {name} is missing. Pass it, or \
`training=True`.""",
    """不在训练时用滑动统计量做归一化，而缺少 {name}。请传入它，或用 `training=True`。""",
)

CHANNEL_COUNT = ErrorKind(
    "channel-count",
    RuntimeError,
    "{name} should contain {channels} elements not {given}",
    """There is one number for each channel, which is dimension 1 of the input.
    There are {channels} channels, and {name} has {given}.""",
    """每个通道（输入的第 1 维）对应一个数。
    有 {channels} 个通道，而 {name} 有 {given} 个。""",
)

BATCH_VALUES = ErrorKind(
    "batch-values",
    ValueError,
    "Expected more than 1 value per channel when training, got input size {size}",
    """Mean and variance of a channel need more than one value. Use a larger batch, or evaluation mode \
(`model.eval()`).
    The input has {size}.""",
    """通道的均值和方差需要多于一个值。请用更大的批次，或求值模式（`model.eval()`）。
    输入是 {size}。""",
)

SPATIAL_VALUES = ErrorKind(
    "spatial-values",
    ValueError,
    "Expected more than 1 spatial element when training, got input size {size}",
    """Instance normalisation takes mean and variance over the places of each channel, and needs more than one.
    The input has {size}.""",
    """实例归一化对每个通道的各位置求均值和方差，位置要多于一个。
    输入是 {size}。""",
)

INSTANCE_RUNNING = ErrorKind(
    "instance-running",
    RuntimeError,
    "Expected running_mean and running_var to be defined when use_input_stats is false",
    """Without statistics of the input the running ones are needed: pass `running_mean` and `running_var`.""",
    """不用输入的统计量时需要滑动统计量：请传入 `running_mean` 和 `running_var`。""",
)

GROUP_DIMENSIONS = ErrorKind(
    "group-dimensions",
    RuntimeError,
    "Expected at least 2 dimensions for input tensor but received {ndim}",
    """The input of `group_norm` is (N, C, ...).
    This one has {ndim} dimensions.""",
    """`group_norm` 的输入是 (N, C, ...)。
    现在它有 {ndim} 维。""",
)

GROUP_CHANNELS = ErrorKind(
    "group-channels",
    RuntimeError,
    "Expected number of channels in input to be divisible by num_groups, but got input of shape {shape} "
    "and num_groups={groups}",
    """All groups have the same number of channels, which are dimension 1 of the input.
    {groups} groups do not divide the channels of {shape}.""",
    """各组的通道数（输入的第 1 维）相同。
    {groups} 组不能整除形状 {shape} 的通道数。""",
)

GROUP_PARAMETER = ErrorKind(
    "group-parameter",
    RuntimeError,
    "Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
    "shape {given} and input of shape {shape}",
    """There is one number for each channel.
    The {name} has shape {given}, the input {shape}.""",
    """每个通道对应一个数。
    {name} 的形状是 {given}，输入是 {shape}。""",
)

RESPONSE_DIMENSIONS = ErrorKind(
    "response-dimensions",
    ValueError,
    "Expected 3D or higher dimensionality                          input (got {ndim} dimensions)",
    """`local_response_norm` takes (N, C, L) or more dimensions.
    This input has {ndim}.""",
    """`local_response_norm` 接受 (N, C, L) 或更多维的输入。
    这个输入有 {ndim} 维。""",
)

# -- affine maps and bags ----------------------------------------------------------------------------------------------

LINEAR_SCALAR = ErrorKind(
    "linear-scalar",
    RuntimeError,
    "both arguments to linear need to be at least 1D, but they are {input}D and {weight}D",
    """`linear` multiplies vectors by a matrix, and one of these is a single number. Give it a dimension, as \
with `.reshape(1)`.""",
    """`linear` 用矩阵乘向量，而其中一个是单个数。请给它一个维度，例如 `.reshape(1)`。""",
)

BILINEAR_BATCH = ErrorKind(
    "bilinear-batch",
    RuntimeError,
    "bilinear(): input batch dimensions do not match at dim {dim}: got {first} and {second}",
    """Both inputs need the same shape but for the last dimension.
    In dimension {dim} they have {first} and {second}.""",
    """两个输入除最后一维外形状要相同。
    在第 {dim} 维它们是 {first} 和 {second}。""",
)

BILINEAR_SIZE = ErrorKind(
    "bilinear-size",
    RuntimeError,
    "bilinear(): input{number} size does not match weight size: got {given} but expected {wanted}",
    """The weight has the shape (out, in1, in2).
    Input {number} has {given} features and the weight expects {wanted}.""",
    """权重的形状是 (out, in1, in2)。
    输入 {number} 有 {given} 个特征，而权重需要 {wanted} 个。""",
)

BAG_MODE = ErrorKind(
    "bag-mode",
    ValueError,
    "mode has to be one of sum, mean or max",
    """The rows of a bag are put together by `'sum'`, `'mean'` or `'max'`.""",
    """一个袋中的行用 `'sum'`、`'mean'` 或 `'max'` 合并。""",
)

BAG_WEIGHTS = ErrorKind(
    "bag-weights",
    NotImplementedError,
    "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
    "(got mode='{mode}'). Please open a feature request on GitHub.",
    """Weights of single rows go with `mode='sum'` only.
    The mode is {mode}.""",
    """单行的权重只能与 `mode='sum'` 一起使用。
    现在的方式是 {mode}。""",
)

BAG_OFFSETS_GIVEN = ErrorKind(
    "bag-offsets-given",
    ValueError,
    "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
    "sequences. However, found offsets of type <class 'torch.Tensor'>",
    """A matrix of numbers has one bag in each row, so there are no offsets to give.""",
    """数字矩阵的每一行就是一个袋，因此不需要 offsets。""",
)

BAG_OFFSETS_MISSING = ErrorKind(
    "bag-offsets-missing",
    ValueError,
    "offsets has to be a 1D Tensor but got None",
    """A vector of numbers holds all bags one after the other: `offsets` says where each begins.""",
    """数字向量依次存放所有的袋：请用 `offsets` 说明每个袋从哪里开始。""",
)

BAG_OFFSETS_DIMENSIONS = ErrorKind(
    "bag-offsets-dimensions",
    ValueError,
    "offsets has to be a 1D Tensor",
    """`offsets` is a vector: where each bag begins.
    Take `offsets.flatten()`.""",
    """`offsets` 是向量，给出每个袋的起点。
    可以用 `offsets.flatten()`。""",
)

BAG_OFFSETS_ZERO = ErrorKind(
    "bag-offsets-zero",
    RuntimeError,
    "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
    "However, got {first}",
    """The first bag begins at the first number: `offsets[0]` is 0.
    Here it is {first}.""",
    """第一个袋从第一个数开始：`offsets[0]` 是 0。
    现在是 {first}。""",
)

BAG_DIMENSIONS = ErrorKind(
    "bag-dimensions",
    ValueError,
    "input has to be 1D or 2D Tensor, but got Tensor of dimension {ndim}",
    """The numbers of bags stand in a matrix, one bag a row, or in a vector with offsets.
    These have {ndim} dimensions.""",
    """袋中的数排成矩阵（每行一袋），或与 offsets 一起排成向量。
    现在它有 {ndim} 维。""",
)

RUNNING_BOTH = ErrorKind(
    "running-both",
    ValueError,
    "running_mean and running_var must either both be None or neither be None",
    """Running statistics are a mean and a variance: give both or none.""",
    """运行统计量包括均值和方差：要么都给，要么都不给。""",
)
