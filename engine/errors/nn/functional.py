"""Errors of ``torch.nn.functional``: activations, dropout, embeddings, distances."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

# -- activations -------------------------------------------------------------------------------------------------------

HARDTANH_BOUNDS = ErrorKind(
    "hardtanh-bounds",
    ValueError,
    "min_val cannot be greater than max_val",
    """The lower bound of `hardtanh` is above the upper one. Swap them.""",
    """`hardtanh` 的下界大于上界，请交换。""",
)

HARDTANH_UNSIGNED = ErrorKind(
    "hardtanh-unsigned",
    RuntimeError,
    "cannot do hardtanh on an unsigned type with negative limits",
    """The elements are unsigned, and the lower bound of `hardtanh` is negative.
    Convert the tensor, for example with `.float()`, or give a bound that is not negative.""",
    """元素是无符号类型，而 `hardtanh` 的下界是负数。
    请转换张量，例如 `.float()`，或给出非负的下界。""",
)

SOFTSHRINK_LAMBDA = ErrorKind(
    "softshrink-lambda",
    RuntimeError,
    "lambda must be in range [0, {top}] for input dtype {dtype}, but found {found}",
    """`lambd` is the distance by which values shrink towards zero.
    It cannot be {found}: for {dtype} it lies between 0 and {top}.""",
    """`lambd` 是数值向零收缩的距离。
    它不能是 {found}：对 {dtype} 来说应在 0 与 {top} 之间。""",
)

CELU_ALPHA = ErrorKind(
    "celu-alpha",
    RuntimeError,
    "ZeroDivisionError: alpha cannot be 0 for CELU",
    """`celu` divides by `alpha`. Choose another number than 0.""",
    """`celu` 要除以 `alpha`，请取非零的数。""",
)

GLU_SCALAR = ErrorKind(
    "glu-scalar",
    RuntimeError,
    "glu does not support scalars because halving size must be even",
    """`glu` splits a dimension into two halves, and a single number has none. Give it a vector.""",
    """`glu` 把一个维度分成两半，单个数没有维度。请给它一个向量。""",
)

GLU_ODD = ErrorKind(
    "glu-odd",
    RuntimeError,
    "Halving dimension must be even, but dimension {dim} is size {size}",
    """`glu` splits a dimension into two halves.
    Dimension {dim} has {size} elements, which is odd.""",
    """`glu` 把一个维度分成两半。
    第 {dim} 维有 {size} 个元素，是奇数。""",
)

GELU_APPROXIMATE = ErrorKind(
    "gelu-approximate",
    RuntimeError,
    "approximate argument must be either none or tanh.",
    """`gelu` knows `approximate='none'` and `approximate='tanh'`.""",
    """`gelu` 只接受 `approximate='none'` 或 `approximate='tanh'`。""",
)

PRELU_COUNT = ErrorKind(
    "prelu-count",
    RuntimeError,
    "Mismatch of parameter numbers and input channel size. Found parameter numbers = {weights} and "
    "channel size = {channels}.",
    """`prelu` has one slope for everything or one for each channel.
    There are {weights} slopes and {channels} channels.""",
    """`prelu` 的斜率要么只有一个，要么每个通道一个。
    现在有 {weights} 个斜率、{channels} 个通道。""",
)

PRELU_DTYPE = ErrorKind(
    "prelu-dtype",
    RuntimeError,
    "prelu: Type promoting not supported. Got {input} and {weight}",
    """The input is {input} and the slopes are {weight}. Bring both to one dtype.
    `prelu` needs one dtype.""",
    """输入是 {input}，斜率是 {weight}，请统一类型。
    `prelu` 要求两者类型相同。""",
)

PRELU_DIMENSIONS = ErrorKind(
    "prelu-dimensions",
    RuntimeError,
    "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {ndim}",
    """The slopes of `prelu` are a number or a vector.
    These have {ndim} dimensions.""",
    """`prelu` 的斜率是一个数或一个向量。
    现在它有 {ndim} 维。""",
)

PRELU_SCALAR = ErrorKind(
    "prelu-scalar",
    RuntimeError,
    "Not allow zero-dim input tensor.",
    """A single number has no channels for several slopes. Use one slope.""",
    """单个数没有通道，不能用多个斜率。请只用一个斜率。""",
)

RRELU_BOUNDS = ErrorKind(
    "rrelu-bounds",
    RuntimeError,
    "Lower bound should be less than or equal to the upper bound",
    """The lower bound of the slopes is above the upper one. Swap them.""",
    """斜率的下界大于上界，请交换。""",
)

# -- dropout, embedding, distances -------------------------------------------------------------------------------------

DROPOUT_PROBABILITY = ErrorKind(
    "dropout-probability",
    ValueError,
    "dropout probability has to be between 0 and 1, but got {p}",
    """`p` is the probability that an element becomes 0.
    It lies between 0 and 1, and {p} does not.""",
    """`p` 是元素变为 0 的概率。
    它在 0 与 1 之间，而 {p} 不在。""",
)

DROPOUT_PROBABILITY_TORCH = ErrorKind(
    "dropout-probability-torch",
    RuntimeError,
    "dropout probability has to be between 0 and 1, but got {p}",
    DROPOUT_PROBABILITY.en,
    DROPOUT_PROBABILITY.zh,
)

EMBEDDING_RANGE = ErrorKind(
    "embedding-range",
    IndexError,
    "index out of range in self",
    """An index asks for a row that the table does not have. Rows are counted from 0, and negative indices are \
refused.""",
    """有索引指向表中没有的行。行从 0 开始编号，不能用负数。""",
)

EMBEDDING_DTYPE = ErrorKind(
    "embedding-dtype",
    RuntimeError,
    "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but "
    "got {dtype} instead (while checking arguments for {function})",
    """The rows to look up are integers. Write `.long()` after them.
    These are {dtype}.""",
    """要查的行号是整数，请在后面加 `.long()`。
    现在是 {dtype}。""",
)

EMBEDDING_WEIGHT = ErrorKind(
    "embedding-weight",
    RuntimeError,
    "'weight' must be 2-D",
    """The table of an embedding is a matrix with one row for each entry. Perhaps the two arguments are \
swapped: the indices come first.""",
    """嵌入的表是矩阵，每行一个条目。也许两个参数写反了：索引在前。""",
)

EMBEDDING_PADDING = ErrorKind(
    "embedding-padding",
    AssertionError,
    "Padding_idx must be within num_embeddings",
    """`padding_idx` is the number of a row of the table.""",
    """`padding_idx` 是表中某一行的编号。""",
)

ONE_HOT_DTYPE = ErrorKind(
    "one-hot-dtype",
    RuntimeError,
    "one_hot is only applicable to index tensor of type LongTensor.",
    """Class numbers are integers of type int64. Write `.long()` after them.""",
    """类别编号是 int64 整数，请在后面加 `.long()`。""",
)

ONE_HOT_NEGATIVE = ErrorKind(
    "one-hot-negative",
    RuntimeError,
    "Class values must be non-negative.",
    """Classes are counted from 0, so a negative class number means nothing.""",
    """类别从 0 开始编号，负数没有意义。""",
)

ONE_HOT_RANGE = ErrorKind(
    "one-hot-range",
    RuntimeError,
    "Class values must be smaller than num_classes.",
    """Classes are counted from 0: the largest class number is `num_classes - 1`.""",
    """类别从 0 开始编号：最大的编号是 `num_classes - 1`。""",
)

ONE_HOT_EMPTY = ErrorKind(
    "one-hot-empty",
    RuntimeError,
    "Can not infer total number of classes from empty tensor.",
    """Without any class number, say how many classes there are: `num_classes=...`.""",
    """没有任何类别编号时，请用 `num_classes=...` 说明类别总数。""",
)

CDIST_COLUMNS = ErrorKind(
    "cdist-columns",
    RuntimeError,
    "X1 and X2 must have the same number of columns. X1: {x1} X2: {x2}",
    """Distances are between points of one space: the last dimensions must agree.
    They are {x1} and {x2}.""",
    """距离是同一空间中点之间的距离：最后一维要相同。
    现在是 {x1} 和 {x2}。""",
)

BATCH_EPSILON = ErrorKind(
    "batch-epsilon",
    ValueError,
    "batch_norm eps must be {kind}, but got {eps}",
    """`eps` keeps the division by the standard deviation finite.
    Give a small positive number, such as `1e-5`.""",
    """`eps` 使除以标准差时不会变成无穷大。
    请给出很小的正数，例如 `1e-5`。""",
)
CDIST_MODE = ErrorKind(
    "cdist-mode",
    ValueError,
    "{mode} is not a valid value for compute_mode",
    """`compute_mode` says whether distances come from a product of matrices.
    Leave it out: PyTorch then decides by the number of rows.""",
    """`compute_mode` 说明距离是否由矩阵乘积得到。
    请去掉它：PyTorch 会按行数决定。""",
)
CDIST_DIMENSIONS = ErrorKind(
    "cdist-dimensions",
    RuntimeError,
    "cdist only supports at least 2D tensors, {name} got: {ndim}D",
    """`cdist` takes matrices of points, one point a row.
    {name} has {ndim} dimensions.""",
    """`cdist` 接受点的矩阵，每行一个点。
    {name} 是 {ndim} 维。""",
)

CDIST_POWER = ErrorKind(
    "cdist-power",
    RuntimeError,
    "cdist only supports non-negative p values",
    """The `p` of a distance is not negative.""",
    """距离的 `p` 不能为负。""",
)

PDIST_DIMENSIONS = ErrorKind(
    "pdist-dimensions",
    RuntimeError,
    "pdist only supports 2D tensors, got: {ndim}D",
    """`pdist` takes a matrix of points, one point a row.
    This tensor has {ndim} dimensions.""",
    """`pdist` 接受点的矩阵，每行一个点。
    这个张量是 {ndim} 维。""",
)

ATTENTION_DIMENSIONS = ErrorKind(
    "attention-dimensions",
    RuntimeError,
    "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {query} "
    "key.dim: {key} and value.dim: {value} instead.",
    """Query, key and value are matrices with one position a row, or batches of these.
    They have {query}, {key} and {value} dimensions.""",
    """query、key 和 value 是矩阵，每行一个位置，或其批次。
    它们分别是 {query}、{key} 和 {value} 维。""",
)

ATTENTION_MASK_CAUSAL = ErrorKind(
    "attention-mask-causal",
    RuntimeError,
    "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
    """`is_causal=True` makes the mask itself. Leave out one of the two.""",
    """`is_causal=True` 会自行生成掩码，两者请只用一个。""",
)

ATTENTION_MASK_DTYPE = ErrorKind(
    "attention-mask-dtype",
    RuntimeError,
    "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
    "{mask} and  query.dtype: {query} instead.",
    """A mask is boolean (true: look there) or of the query's dtype (added to the scores).
    This one is {mask}, the query {query}.""",
    """掩码是布尔型（真表示可见），或与 query 类型相同（加到得分上）。
    现在是 {mask}，query 是 {query}。""",
)

EXPONENTIAL_DTYPE = ErrorKind(
    "exponential-dtype",
    RuntimeError,
    "Exponential distribution is a continuous probability distribution. dtype must be a floating point "
    "but you specified {dtype}",
    """The noise is drawn in the dtype of the input, which must be a float one.
    This one is {dtype}: write `.float()` after it.""",
    """噪声按输入的类型生成，应为浮点型。
    现在是 {dtype}：请在后面加 `.float()`。""",
)

FEATURE_DROPOUT = ErrorKind(
    "feature-dropout",
    RuntimeError,
    "Feature dropout requires at least 2 dimensions in the input",
    """Dropping whole channels needs a dimension of channels after the batch.""",
    """丢弃整个通道需要在批次之后有通道维。""",
)

DROPOUT1D_DIMENSIONS = ErrorKind(
    "dropout1d-dimensions",
    RuntimeError,
    "dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists to "
    "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an "
    "optional batch dimension (i.e. 2D or 3D inputs).",
    """`dropout1d` drops channels of (N, C, L) or (C, L).
    This input has {ndim} dimensions. To drop single elements use `dropout`.""",
    """`dropout1d` 丢弃 (N, C, L) 或 (C, L) 的通道。
    这个输入是 {ndim} 维。要丢弃单个元素请用 `dropout`。""",
)


BOOLEANS = ErrorKind(
    "no-booleans",
    RuntimeError,
    "{kind} inputs not supported for {name}",
    """`{name}` takes numbers. Write `.float()` after the tensor.""",
    """`{name}`只接受数值，请在张量后面加 `.float()`。""",
)

NO_ORDER = ErrorKind(
    "no-order",
    NotImplementedError,
    "clamp is not supported for complex types",
    """Complex numbers have no order, so there is no smaller or larger one. Use `.abs()`, `.real` or `.imag`.""",
    """复数没有大小顺序。请用 `.abs()`、`.real` 或 `.imag`。""",
)

NEGATION = ErrorKind(
    "negation",
    TypeError,
    "bad operand type for unary -: '{type}'",
    """Only numbers and tensors can be negated.
    This is a {type}.""",
    """只有数和张量可以取负。
    这里是 {type}。""",
)

NO_METHOD = ErrorKind(
    "no-method",
    AttributeError,
    "{owner} has no attribute '{name}'",
    """`{name}` works on tensors.
    This argument is a {type}: make it a tensor with `torch.tensor(...)`.""",
    """`{name}` 作用于张量。
    这个参数是 {type}：请用 `torch.tensor(...)` 转成张量。""",
)

QUANTIZE_REFUSED = ErrorKind(
    "quantize-refused",
    RuntimeError,
    "{message}",
    """Steps, zero points and the range of levels do not fit each other or the tensor. PyTorch's words say where.
    For `n` bits the levels go from `-2**(n-1)` to `2**(n-1) - 1`.""",
    """步长、零点与级别范围彼此不匹配，或与张量不匹配。PyTorch 的原话说明了问题所在。
    `n` 位的级别从 `-2**(n-1)` 到 `2**(n-1) - 1`。""",
)
