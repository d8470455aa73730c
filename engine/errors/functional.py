"""Errors of ``torch.nn.functional``: activations, losses, dropout, embeddings, distances."""

from __future__ import annotations

from engine.errors.kind import ErrorKind

# -- activations -------------------------------------------------------------------------------------------------------

HARDTANH_BOUNDS = ErrorKind(
    "hardtanh-bounds", ValueError, "min_val cannot be greater than max_val",
    "The lower bound of `hardtanh` is above the upper one. Swap them.",
    "`hardtanh` 的下界大于上界，请交换。",
)  # fmt: skip
SOFTSHRINK_LAMBDA = ErrorKind(
    "softshrink-lambda", RuntimeError,
    "lambda must be in range [0, {top}] for input dtype {dtype}, but found {found}",
    "`lambd` is the distance by which values shrink towards zero.\nIt cannot be {found}: for {dtype} it lies between 0 and {top}.",
    "`lambd` 是数值向零收缩的距离。\n它不能是 {found}：对 {dtype} 来说应在 0 与 {top} 之间。",
)  # fmt: skip
CELU_ALPHA = ErrorKind(
    "celu-alpha", RuntimeError, "ZeroDivisionError: alpha cannot be 0 for CELU",
    "`celu` divides by `alpha`. Choose another number than 0.",
    "`celu` 要除以 `alpha`，请取非零的数。",
)  # fmt: skip
GLU_SCALAR = ErrorKind(
    "glu-scalar", RuntimeError, "glu does not support scalars because halving size must be even",
    "`glu` splits a dimension into two halves, and a single number has none. Give it a vector.",
    "`glu` 把一个维度分成两半，单个数没有维度。请给它一个向量。",
)  # fmt: skip
GLU_ODD = ErrorKind(
    "glu-odd", RuntimeError, "Halving dimension must be even, but dimension {dim} is size {size}",
    "`glu` splits a dimension into two halves.\nDimension {dim} has {size} elements, which is odd.",
    "`glu` 把一个维度分成两半。\n第 {dim} 维有 {size} 个元素，是奇数。",
)  # fmt: skip
GELU_APPROXIMATE = ErrorKind(
    "gelu-approximate", RuntimeError, "approximate argument must be either none or tanh.",
    "`gelu` knows `approximate='none'` and `approximate='tanh'`.",
    "`gelu` 只接受 `approximate='none'` 或 `approximate='tanh'`。",
)  # fmt: skip
PRELU_COUNT = ErrorKind(
    "prelu-count", RuntimeError,
    "Mismatch of parameter numbers and input channel size. Found parameter numbers = {weights} and channel size = {channels}.",
    "`prelu` has one slope for everything or one for each channel.\nThere are {weights} slopes and {channels} channels.",
    "`prelu` 的斜率要么只有一个，要么每个通道一个。\n现在有 {weights} 个斜率、{channels} 个通道。",
)  # fmt: skip
PRELU_DTYPE = ErrorKind(
    "prelu-dtype", RuntimeError, "prelu: Type promoting not supported. Got {input} and {weight}",
    "The input is {input} and the slopes are {weight}. Bring both to one dtype.\n`prelu` needs one dtype.",
    "输入是 {input}，斜率是 {weight}，请统一类型。\n`prelu` 要求两者类型相同。",
)  # fmt: skip
PRELU_DIMENSIONS = ErrorKind(
    "prelu-dimensions", RuntimeError, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {ndim}",
    "The slopes of `prelu` are a number or a vector.\nThese have {ndim} dimensions.",
    "`prelu` 的斜率是一个数或一个向量。\n现在它有 {ndim} 维。",
)  # fmt: skip
PRELU_SCALAR = ErrorKind(
    "prelu-scalar", RuntimeError, "Not allow zero-dim input tensor.",
    "A single number has no channels for several slopes. Use one slope.",
    "单个数没有通道，不能用多个斜率。请只用一个斜率。",
)  # fmt: skip
RRELU_BOUNDS = ErrorKind(
    "rrelu-bounds", RuntimeError, "Lower bound should be less than or equal to the upper bound",
    "The lower bound of the slopes is above the upper one. Swap them.",
    "斜率的下界大于上界，请交换。",
)  # fmt: skip

# -- losses ------------------------------------------------------------------------------------------------------------

REDUCTION = ErrorKind(
    "reduction", ValueError, "{reduction} is not a valid value for reduction",
    "A loss is reduced by `'mean'`, `'sum'` or `'none'`.\n`{reduction}` is none of these.",
    "损失的归约方式是 `'mean'`、`'sum'` 或 `'none'`。\n`{reduction}` 不在其中。",
)  # fmt: skip
TARGET_RANGE = ErrorKind(
    "target-range", IndexError, "Target {target} is out of bounds.",
    "Classes are counted from 0.\nThere is no class {target}: a score is needed for every class, so the last class is one less than their number.",
    "类别从 0 开始编号。\n没有类别 {target}：每个类别都要有一个得分，最后一个类别的编号比类别数小 1。",
)  # fmt: skip
TARGET_DTYPE = ErrorKind(
    "target-dtype", RuntimeError, "expected target dtype to be Long or Byte, but got {dtype}",
    "Class numbers are integers. Write `.long()` after the target.\nThe target is {dtype}.",
    "类别编号是整数，请在目标后面加 `.long()`。\n现在的目标是 {dtype}。",
)  # fmt: skip
TARGET_PROBABILITY_DTYPE = ErrorKind(
    "target-probability-dtype", RuntimeError, "Expected floating point type for target with class probabilities, got {dtype}",
    "A target of the shape of the input holds probabilities, and so floats.\nThis one is {dtype}.\nFor class numbers leave out the dimension of the classes.",
    "与输入形状相同的目标表示概率，应为浮点数。\n现在是 {dtype}。\n若是类别编号，请去掉类别那一维。",
)  # fmt: skip
TARGET_MULTI = ErrorKind(
    "target-multi", RuntimeError, "0D or 1D target tensor expected, multi-target not supported",
    "For a matrix of scores the target is a vector with one class number for each row. Remove the other dimensions, as with `.squeeze(1)`.",
    "得分是矩阵时，目标是一个向量，每行一个类别编号。请去掉多余的维度，例如 `.squeeze(1)`。",
)  # fmt: skip
TARGET_BATCH = ErrorKind(
    "target-batch", ValueError, "Expected input batch_size ({input}) to match target batch_size ({target}).",
    "There must be one target for each row of scores.\nThere are {input} rows and {target} targets.",
    "每行得分要有一个目标。\n现在有 {input} 行、{target} 个目标。",
)  # fmt: skip
TARGET_SPATIAL = ErrorKind(
    "target-spatial", RuntimeError,
    "only batches of spatial targets supported (3D tensors) but got targets of dimension: {ndim}",
    "For scores of shape (N, C, H, W) the target has the shape (N, H, W).\nThis one has {ndim} dimensions.",
    "得分形状为 (N, C, H, W) 时，目标形状为 (N, H, W)。\n现在它有 {ndim} 维。",
)  # fmt: skip
TARGET_SPATIAL_SIZE = ErrorKind(
    "target-spatial-size", RuntimeError, "size mismatch (got input: {input} , target: {target}",
    "The target has one class number for each place of the scores: the shape of the scores without the classes.\nThe scores have shape {input}, the target {target}.",
    "目标在得分的每个位置有一个类别编号：形状是得分去掉类别那一维。\n得分形状为 {input}，目标为 {target}。",
)  # fmt: skip
CLASS_WEIGHTS = ErrorKind(
    "class-weights", RuntimeError,
    "weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of shape: {shape}",
    "`weight` has one number for each class.\nThere are {classes} classes, and the weights have shape {shape}.",
    "`weight` 为每个类别给出一个数。\n有 {classes} 个类别，而权重形状为 {shape}。",
)  # fmt: skip
LABEL_SMOOTHING = ErrorKind(
    "label-smoothing", RuntimeError, "label_smoothing must be between 0.0 and 1.0. Got: {value}",
    "`label_smoothing` is the share of the target that goes to all classes.\nIt lies between 0 and 1, and {value} does not.",
    "`label_smoothing` 是分给所有类别的比例。\n它在 0 与 1 之间，而 {value} 不在。",
)  # fmt: skip
LOSS_PARAMETER = ErrorKind(
    "loss-parameter", RuntimeError, "{name} does not support {kind} values for {parameter}.",
    "`{parameter}` of `{name}` is where the loss turns from a square into a line; no {kind} values.\nChoose a positive number.",
    "`{name}` 的 `{parameter}` 是损失由平方变为直线的地方，不能取 {kind} 的值。\n请取正数。",
)  # fmt: skip
BCE_RANGE = ErrorKind(
    "bce-range", RuntimeError, "all elements of {name} should be between 0 and 1",
    "`binary_cross_entropy` compares probabilities: {name} leaves [0, 1].\nFor raw scores use `binary_cross_entropy_with_logits`.",
    "`binary_cross_entropy` 比较的是概率：{name} 超出了 [0, 1]。\n原始得分请用 `binary_cross_entropy_with_logits`。",
)  # fmt: skip
BCE_SIZE = ErrorKind(
    "bce-size", ValueError,
    "Using a target size ({target}) that is different to the input size ({input}) is deprecated. Please ensure they have the same size.",
    "There must be one target for each probability.\nThe input has {input} and the target {target}.",
    "每个概率要有一个目标。\n输入是 {input}，目标是 {target}。",
)  # fmt: skip
BCE_LOGITS_SIZE = ErrorKind(
    "bce-logits-size", ValueError, "Target size ({target}) must be the same as input size ({input})",
    "There must be one target for each score.\nThe input has {input} and the target {target}.\nOften `.squeeze(1)` or `.unsqueeze(1)` is missing.",
    "每个得分要有一个目标。\n输入是 {input}，目标是 {target}。\n常常是缺少 `.squeeze(1)` 或 `.unsqueeze(1)`。",
)  # fmt: skip
FOUND_DTYPE = ErrorKind(
    "found-dtype", RuntimeError, "Found dtype {found} but expected {expected}",
    "Both tensors need one dtype.\nOne is {found}, and {expected} is wanted: convert it, for example with `.float()`.",
    "两个张量的类型要相同。\n其中一个是 {found}，需要 {expected}：请转换，例如 `.float()`。",
)  # fmt: skip
KL_INTEGER = ErrorKind(
    "kl-integer", RuntimeError, "kl_div: Integral inputs not supported.",
    "`kl_div` compares probabilities, which are floats. Convert the integers with `.float()`.",
    "`kl_div` 比较的是概率，应为浮点数。请用 `.float()` 转换整数。",
)  # fmt: skip
RANKING_DIMENSIONS = ErrorKind(
    "ranking-dimensions", RuntimeError,
    "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {input1}, input2: {input2}, target: {target} ",
    "The two inputs and the target need the same number of dimensions.\nThey are {input1}, {input2} and {target}.",
    "两个输入和目标的维数要相同。\n它们是 {input1}、{input2} 和 {target}。",
)  # fmt: skip
VARIANCE_SIZE = ErrorKind(
    "variance-size", ValueError, "var is of incorrect size",
    "`var` has the shape of the input, or with the last dimension 1 or left out.",
    "`var` 的形状与输入相同，或最后一维为 1 或省略。",
)  # fmt: skip
VARIANCE_NEGATIVE = ErrorKind(
    "variance-negative", ValueError, "var has negative entry/entries",
    "A variance is not negative. Let the model give its logarithm, or use `softplus`.",
    "方差不能为负。可让模型输出其对数，或使用 `softplus`。",
)  # fmt: skip
MARGIN_POWER = ErrorKind(
    "margin-power", ValueError, "only p == 1 and p == 2 supported",
    "`multi_margin_loss` knows the powers `p=1` and `p=2`.",
    "`multi_margin_loss` 只支持 `p=1` 和 `p=2`。",
)  # fmt: skip
MARGIN_TARGET_RANGE = ErrorKind(
    "margin-target-range", RuntimeError, "target out of range",
    "A class number in the target is below 0, or there are not that many scores.",
    "目标中有类别编号小于 0，或超过了得分的个数。",
)  # fmt: skip
MARGIN_TARGET_SIZE = ErrorKind(
    "margin-target-size", RuntimeError,
    "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). Expected target size [{rows}], but got {target}. Input has shape {input}.",
    "There must be one class number for each row of scores.\nThe input has {rows} rows ({input}), the target has shape {target}.",
    "每行得分要有一个类别编号。\n输入有 {rows} 行（{input}），目标形状为 {target}。",
)  # fmt: skip
MULTILABEL_RANGE = ErrorKind(
    "multilabel-range", RuntimeError, "argument #2 'target' is out of range",
    "The target lists the classes of each row; the list ends with -1. A class number is too large or too small.",
    "目标列出每行的类别，以 -1 结束。其中有类别编号过大或过小。",
)  # fmt: skip
MULTILABEL_SIZE = ErrorKind(
    "multilabel-size", RuntimeError, "inconsistent target size: {target} for input of size: {input}",
    "The target has the shape of the input.\nThe input is {input}, the target {target}.",
    "目标的形状与输入相同。\n输入为 {input}，目标为 {target}。",
)  # fmt: skip
TRIPLET_DIMENSIONS = ErrorKind(
    "triplet-dimensions", RuntimeError,
    "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor {anchor}D, positive {positive}D, and negative {negative}D inputs",
    "All three inputs need the same number of dimensions.\nThey have {anchor}, {positive} and {negative}.",
    "三个输入的维数要相同。\n它们是 {anchor}、{positive} 和 {negative}。",
)  # fmt: skip
CTC_LENGTH = ErrorKind(
    "ctc-length", RuntimeError,
    "Expected input_lengths to have value at most {limit}, but got value {value} (while checking arguments for ctc_loss_allocate_outputs)",
    "An input cannot be longer than the sequence that holds it.\nThere are {limit} steps, and one length is {value}.",
    "输入长度不能超过序列本身。\n共有 {limit} 步，而有一个长度是 {value}。",
)  # fmt: skip

# -- dropout, embedding, distances -------------------------------------------------------------------------------------

DROPOUT_PROBABILITY = ErrorKind(
    "dropout-probability", ValueError, "dropout probability has to be between 0 and 1, but got {p}",
    "`p` is the probability that an element becomes 0.\nIt lies between 0 and 1, and {p} does not.",
    "`p` 是元素变为 0 的概率。\n它在 0 与 1 之间，而 {p} 不在。",
)  # fmt: skip
DROPOUT_PROBABILITY_TORCH = ErrorKind(
    "dropout-probability-torch", RuntimeError, "dropout probability has to be between 0 and 1, but got {p}",
    DROPOUT_PROBABILITY.en, DROPOUT_PROBABILITY.zh,
)  # fmt: skip
EMBEDDING_RANGE = ErrorKind(
    "embedding-range", IndexError, "index out of range in self",
    "An index asks for a row that the table does not have. Rows are counted from 0, and negative indices are refused.",
    "有索引指向表中没有的行。行从 0 开始编号，不能用负数。",
)  # fmt: skip
EMBEDDING_DTYPE = ErrorKind(
    "embedding-dtype", RuntimeError,
    "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.{dtype}Tensor instead (while checking arguments for embedding)",
    "The rows to look up are integers. Write `.long()` after them.\nThese are {dtype}.",
    "要查的行号是整数，请在后面加 `.long()`。\n现在是 {dtype}。",
)  # fmt: skip
EMBEDDING_WEIGHT = ErrorKind(
    "embedding-weight", RuntimeError, "'weight' must be 2-D",
    "The table of an embedding is a matrix with one row for each entry. Perhaps the two arguments are swapped: the indices come first.",
    "嵌入的表是矩阵，每行一个条目。也许两个参数写反了：索引在前。",
)  # fmt: skip
EMBEDDING_PADDING = ErrorKind(
    "embedding-padding", AssertionError, "Padding_idx must be within num_embeddings",
    "`padding_idx` is the number of a row of the table.",
    "`padding_idx` 是表中某一行的编号。",
)  # fmt: skip
ONE_HOT_DTYPE = ErrorKind(
    "one-hot-dtype", RuntimeError, "one_hot is only applicable to index tensor of type LongTensor.",
    "Class numbers are integers of type int64. Write `.long()` after them.",
    "类别编号是 int64 整数，请在后面加 `.long()`。",
)  # fmt: skip
ONE_HOT_NEGATIVE = ErrorKind(
    "one-hot-negative", RuntimeError, "Class values must be non-negative.",
    "Classes are counted from 0, so a negative class number means nothing.",
    "类别从 0 开始编号，负数没有意义。",
)  # fmt: skip
ONE_HOT_RANGE = ErrorKind(
    "one-hot-range", RuntimeError, "Class values must be smaller than num_classes.",
    "Classes are counted from 0: the largest class number is `num_classes - 1`.",
    "类别从 0 开始编号：最大的编号是 `num_classes - 1`。",
)  # fmt: skip
ONE_HOT_EMPTY = ErrorKind(
    "one-hot-empty", RuntimeError, "Can not infer total number of classes from empty tensor.",
    "Without any class number, say how many classes there are: `num_classes=...`.",
    "没有任何类别编号时，请用 `num_classes=...` 说明类别总数。",
)  # fmt: skip
CDIST_COLUMNS = ErrorKind(
    "cdist-columns", RuntimeError, "X1 and X2 must have the same number of columns. X1: {x1} X2: {x2}",
    "Distances are between points of one space: the last dimensions must agree.\nThey are {x1} and {x2}.",
    "距离是同一空间中点之间的距离：最后一维要相同。\n现在是 {x1} 和 {x2}。",
)  # fmt: skip
CDIST_DIMENSIONS = ErrorKind(
    "cdist-dimensions", RuntimeError, "cdist only supports at least 2D tensors, {name} got: {ndim}D",
    "`cdist` takes matrices of points, one point a row.\n{name} has {ndim} dimensions.",
    "`cdist` 接受点的矩阵，每行一个点。\n{name} 是 {ndim} 维。",
)  # fmt: skip
CDIST_POWER = ErrorKind(
    "cdist-power", RuntimeError, "cdist only supports non-negative p values",
    "The `p` of a distance is not negative.",
    "距离的 `p` 不能为负。",
)  # fmt: skip
PDIST_DIMENSIONS = ErrorKind(
    "pdist-dimensions", RuntimeError, "pdist only supports 2D tensors, got: {ndim}D",
    "`pdist` takes a matrix of points, one point a row.\nThis tensor has {ndim} dimensions.",
    "`pdist` 接受点的矩阵，每行一个点。\n这个张量是 {ndim} 维。",
)  # fmt: skip
ATTENTION_DIMENSIONS = ErrorKind(
    "attention-dimensions", RuntimeError,
    "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {query} key.dim: {key} and value.dim: {value} instead.",
    "Query, key and value are matrices with one position a row, or batches of these.\nThey have {query}, {key} and {value} dimensions.",
    "query、key 和 value 是矩阵，每行一个位置，或其批次。\n它们分别是 {query}、{key} 和 {value} 维。",
)  # fmt: skip
ATTENTION_MASK_CAUSAL = ErrorKind(
    "attention-mask-causal", RuntimeError,
    "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
    "`is_causal=True` makes the mask itself. Leave out one of the two.",
    "`is_causal=True` 会自行生成掩码，两者请只用一个。",
)  # fmt: skip
ATTENTION_MASK_DTYPE = ErrorKind(
    "attention-mask-dtype", RuntimeError,
    "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {mask} and  query.dtype: {query} instead.",
    "A mask is boolean (true: look there) or of the query's dtype (added to the scores).\nThis one is {mask}, the query {query}.",
    "掩码是布尔型（真表示可见），或与 query 类型相同（加到得分上）。\n现在是 {mask}，query 是 {query}。",
)  # fmt: skip
EXPONENTIAL_DTYPE = ErrorKind(
    "exponential-dtype", RuntimeError,
    "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you specified {dtype}",
    "The noise is drawn in the dtype of the input, which must be a float one.\nThis one is {dtype}: write `.float()` after it.",
    "噪声按输入的类型生成，应为浮点型。\n现在是 {dtype}：请在后面加 `.float()`。",
)  # fmt: skip
FEATURE_DROPOUT = ErrorKind(
    "feature-dropout", RuntimeError, "Feature dropout requires at least 2 dimensions in the input",
    "Dropping whole channels needs a dimension of channels after the batch.",
    "丢弃整个通道需要在批次之后有通道维。",
)  # fmt: skip
DROPOUT1D_DIMENSIONS = ErrorKind(
    "dropout1d-dimensions", RuntimeError,
    "dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs).",
    "`dropout1d` drops channels of (N, C, L) or (C, L).\nThis input has {ndim} dimensions. To drop single elements use `dropout`.",
    "`dropout1d` 丢弃 (N, C, L) 或 (C, L) 的通道。\n这个输入是 {ndim} 维。要丢弃单个元素请用 `dropout`。",
)  # fmt: skip
TARGET_SIZE = ErrorKind(
    "target-size", RuntimeError, "Expected target size {expected}, got {got}",
    "The target has one class number for each place of the scores: the shape of the scores without the classes.\nThat is {expected}, and the target has {got}.",
    "目标在得分的每个位置有一个类别编号：形状是得分去掉类别那一维。\n应为 {expected}，而目标是 {got}。",
)  # fmt: skip
NO_SIZE = ErrorKind(
    "no-size", AttributeError, "'{type}' object has no attribute 'size'",
    "A loss compares tensors.\nThis argument is a {type}: make it a tensor with `torch.tensor(...)`.", "损失比较的是张量。\n这个参数是 {type}：请用 `torch.tensor(...)` 转成张量。",
)  # fmt: skip
NO_METHOD = ErrorKind(
    "no-method", AttributeError, "'{type}' object has no attribute '{name}'",
    "`{name}` works on tensors.\nThis argument is a {type}: make it a tensor with `torch.tensor(...)`.", "`{name}` 作用于张量。\n这个参数是 {type}：请用 `torch.tensor(...)` 转成张量。",
)  # fmt: skip
