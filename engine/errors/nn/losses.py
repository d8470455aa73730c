"""Errors of losses."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

REDUCTION = ErrorKind(
    "reduction",
    ValueError,
    "{reduction} is not a valid value for reduction",
    """A loss is reduced by `'mean'`, `'sum'` or `'none'`.
    `{reduction}` is none of these.""",
    """损失的归约方式是 `'mean'`、`'sum'` 或 `'none'`。
    `{reduction}` 不在其中。""",
)

REDUCTION_WORD = ErrorKind(
    "reduction-word",
    ValueError,
    "{reduction} is not valid",
    """A loss is reduced by `'mean'`, `'sum'` or `'none'`.
    `{reduction}` is none of these.""",
    """损失的归约方式是 `'mean'`、`'sum'` 或 `'none'`。
    `{reduction}` 不在其中。""",
)
TRIPLET_MARGIN = ErrorKind(
    "triplet-margin",
    ValueError,
    "margin must be greater than 0, got {margin}",
    """The margin says by how much the positive example must be nearer, which is more than 0.
    Give a positive margin.""",
    """margin 表示正例要近多少，必须大于 0。
    请给出正数。""",
)
TARGET_RANGE = ErrorKind(
    "target-range",
    IndexError,
    "Target {target} is out of bounds.",
    """Classes are counted from 0.
    There is no class {target}: a score is needed for every class, so the last class is one less than their \
number.""",
    """类别从 0 开始编号。
    没有类别 {target}：每个类别都要有一个得分，最后一个类别的编号比类别数小 1。""",
)

TARGET_DTYPE = ErrorKind(
    "target-dtype",
    RuntimeError,
    "expected target dtype to be Long or Byte, but got {dtype}",
    """Class numbers are integers. Write `.long()` after the target.
    The target is {dtype}.""",
    """类别编号是整数，请在目标后面加 `.long()`。
    现在的目标是 {dtype}。""",
)

TARGET_PROBABILITY_DTYPE = ErrorKind(
    "target-probability-dtype",
    RuntimeError,
    "Expected floating point type for target with class probabilities, got {dtype}",
    """A target of the shape of the input holds probabilities, and so floats.
    This one is {dtype}.
    For class numbers leave out the dimension of the classes.""",
    """与输入形状相同的目标表示概率，应为浮点数。
    现在是 {dtype}。
    若是类别编号，请去掉类别那一维。""",
)

TARGET_MULTI = ErrorKind(
    "target-multi",
    RuntimeError,
    "0D or 1D target tensor expected, multi-target not supported",
    """For a matrix of scores the target is a vector with one class number for each row. Remove the other \
dimensions, as with `.squeeze(1)`.""",
    """得分是矩阵时，目标是一个向量，每行一个类别编号。请去掉多余的维度，例如 `.squeeze(1)`。""",
)

TARGET_BATCH = ErrorKind(
    "target-batch",
    ValueError,
    "Expected input batch_size ({input}) to match target batch_size ({target}).",
    """There must be one target for each row of scores.
    There are {input} rows and {target} targets.""",
    """每行得分要有一个目标。
    现在有 {input} 行、{target} 个目标。""",
)

TARGET_SPATIAL = ErrorKind(
    "target-spatial",
    RuntimeError,
    "only batches of spatial targets supported (3D tensors) but got targets of dimension: {ndim}",
    """For scores of shape (N, C, H, W) the target has the shape (N, H, W).
    This one has {ndim} dimensions.""",
    """得分形状为 (N, C, H, W) 时，目标形状为 (N, H, W)。
    现在它有 {ndim} 维。""",
)

TARGET_SPATIAL_SIZE = ErrorKind(
    "target-spatial-size",
    RuntimeError,
    "size mismatch (got input: {input} , target: {target}",
    """The target has one class number for each place of the scores: the shape of the scores without the \
classes.
    The scores have shape {input}, the target {target}.""",
    """目标在得分的每个位置有一个类别编号：形状是得分去掉类别那一维。
    得分形状为 {input}，目标为 {target}。""",
)

CLASS_WEIGHTS = ErrorKind(
    "class-weights",
    RuntimeError,
    "weight tensor should be defined either for all {classes} classes or no classes but got weight tensor "
    "of shape: {shape}",
    """`weight` has one number for each class.
    There are {classes} classes, and the weights have shape {shape}.""",
    """`weight` 为每个类别给出一个数。
    有 {classes} 个类别，而权重形状为 {shape}。""",
)

LABEL_SMOOTHING = ErrorKind(
    "label-smoothing",
    RuntimeError,
    "label_smoothing must be between 0.0 and 1.0. Got: {value}",
    """`label_smoothing` is the share of the target that goes to all classes.
    It lies between 0 and 1, and {value} does not.""",
    """`label_smoothing` 是分给所有类别的比例。
    它在 0 与 1 之间，而 {value} 不在。""",
)

LOSS_PARAMETER = ErrorKind(
    "loss-parameter",
    RuntimeError,
    "{name} does not support {kind} values for {parameter}.",
    """`{parameter}` of `{name}` is where the loss turns from a square into a line; no {kind} values.
    Choose a positive number.""",
    """`{name}` 的 `{parameter}` 是损失由平方变为直线的地方，不能取 {kind} 的值。
    请取正数。""",
)

BCE_RANGE = ErrorKind(
    "bce-range",
    RuntimeError,
    "all elements of {name} should be between 0 and 1",
    """`binary_cross_entropy` compares probabilities: {name} leaves [0, 1].
    For raw scores use `binary_cross_entropy_with_logits`.""",
    """`binary_cross_entropy` 比较的是概率：{name} 超出了 [0, 1]。
    原始得分请用 `binary_cross_entropy_with_logits`。""",
)

BCE_SIZE = ErrorKind(
    "bce-size",
    ValueError,
    "Using a target size ({target}) that is different to the input size ({input}) is deprecated. Please "
    "ensure they have the same size.",
    """There must be one target for each probability.
    The input has {input} and the target {target}.""",
    """每个概率要有一个目标。
    输入是 {input}，目标是 {target}。""",
)

BCE_LOGITS_SIZE = ErrorKind(
    "bce-logits-size",
    ValueError,
    "Target size ({target}) must be the same as input size ({input})",
    """There must be one target for each score.
    The input has {input} and the target {target}.
    Often `.squeeze(1)` or `.unsqueeze(1)` is missing.""",
    """每个得分要有一个目标。
    输入是 {input}，目标是 {target}。
    常常是缺少 `.squeeze(1)` 或 `.unsqueeze(1)`。""",
)

FOUND_DTYPE = ErrorKind(
    "found-dtype",
    RuntimeError,
    "Found dtype {found} but expected {expected}",
    """Both tensors need one dtype.
    One is {found}, and {expected} is wanted: convert it, for example with `.float()`.""",
    """两个张量的类型要相同。
    其中一个是 {found}，需要 {expected}：请转换，例如 `.float()`。""",
)

KL_INTEGER = ErrorKind(
    "kl-integer",
    RuntimeError,
    "kl_div: Integral inputs not supported.",
    """`kl_div` compares probabilities, which are floats. Convert the integers with `.float()`.""",
    """`kl_div` 比较的是概率，应为浮点数。请用 `.float()` 转换整数。""",
)

RANKING_DIMENSIONS = ErrorKind(
    "ranking-dimensions",
    RuntimeError,
    "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {input1}, "
    "input2: {input2}, target: {target} ",
    """The two inputs and the target need the same number of dimensions.
    They are {input1}, {input2} and {target}.""",
    """两个输入和目标的维数要相同。
    它们是 {input1}、{input2} 和 {target}。""",
)

VARIANCE_SIZE = ErrorKind(
    "variance-size",
    ValueError,
    "var is of incorrect size",
    """`var` has the shape of the input, or with the last dimension 1 or left out.""",
    """`var` 的形状与输入相同，或最后一维为 1 或省略。""",
)

VARIANCE_NEGATIVE = ErrorKind(
    "variance-negative",
    ValueError,
    "var has negative entry/entries",
    """A variance is not negative. Let the model give its logarithm, or use `softplus`.""",
    """方差不能为负。可让模型输出其对数，或使用 `softplus`。""",
)

MARGIN_POWER = ErrorKind(
    "margin-power",
    ValueError,
    "only p == 1 and p == 2 supported",
    """`multi_margin_loss` knows the powers `p=1` and `p=2`.""",
    """`multi_margin_loss` 只支持 `p=1` 和 `p=2`。""",
)

MARGIN_TARGET_RANGE = ErrorKind(
    "margin-target-range",
    RuntimeError,
    "target out of range",
    """A class number in the target is below 0, or there are not that many scores.""",
    """目标中有类别编号小于 0，或超过了得分的个数。""",
)

MARGIN_TARGET_SIZE = ErrorKind(
    "margin-target-size",
    RuntimeError,
    "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
    "size). Expected target size [{rows}], but got {target}. Input has shape {input}.",
    """There must be one class number for each row of scores.
    The input has {rows} rows ({input}), the target has shape {target}.""",
    """每行得分要有一个类别编号。
    输入有 {rows} 行（{input}），目标形状为 {target}。""",
)

MULTILABEL_RANGE = ErrorKind(
    "multilabel-range",
    RuntimeError,
    "argument #2 'target' is out of range",
    """The target lists the classes of each row; the list ends with -1. A class number is too large or too \
small.""",
    """目标列出每行的类别，以 -1 结束。其中有类别编号过大或过小。""",
)

MULTILABEL_SIZE = ErrorKind(
    "multilabel-size",
    RuntimeError,
    "inconsistent target size: {target} for input of size: {input}",
    """The target has the shape of the input.
    The input is {input}, the target {target}.""",
    """目标的形状与输入相同。
    输入为 {input}，目标为 {target}。""",
)

TRIPLET_DIMENSIONS = ErrorKind(
    "triplet-dimensions",
    RuntimeError,
    "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but "
    "got: anchor {anchor}D, positive {positive}D, and negative {negative}D inputs",
    """All three inputs need the same number of dimensions.
    They have {anchor}, {positive} and {negative}.""",
    """三个输入的维数要相同。
    它们是 {anchor}、{positive} 和 {negative}。""",
)

CTC_LENGTH = ErrorKind(
    "ctc-length",
    RuntimeError,
    "Expected input_lengths to have value at most {limit}, but got value {value} (while checking "
    "arguments for ctc_loss_allocate_outputs)",
    """An input cannot be longer than the sequence that holds it.
    There are {limit} steps, and one length is {value}.""",
    """输入长度不能超过序列本身。
    共有 {limit} 步，而有一个长度是 {value}。""",
)

TARGET_SIZE = ErrorKind(
    "target-size",
    RuntimeError,
    "Expected target size {expected}, got {got}",
    """The target has one class number for each place of the scores: the shape of the scores without the \
classes.
    That is {expected}, and the target has {got}.""",
    """目标在得分的每个位置有一个类别编号：形状是得分去掉类别那一维。
    应为 {expected}，而目标是 {got}。""",
)

NO_SIZE = ErrorKind(
    "no-size",
    AttributeError,
    "'{type}' object has no attribute 'size'",
    """A loss compares tensors.
    This argument is a {type}: make it a tensor with `torch.tensor(...)`.""",
    """损失比较的是张量。
    这个参数是 {type}：请用 `torch.tensor(...)` 转成张量。""",
)
