"""Errors of sampling on a grid, of fractional pools and of alignments."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

GRID_BATCH = ErrorKind(
    "grid-batch",
    RuntimeError,
    "grid_sampler(): expected grid and input to have same batch size, but got input with sizes {input} and grid with "
    "sizes {grid}",
    """There is one grid for each image of the batch.
    The input is {input:en}, the grid {grid:en}.""",
    """批次中的每个图像对应一个网格。
    输入是{input:zh}，网格是{grid:zh}。""",
)

GRID_LAST = ErrorKind(
    "grid-last",
    RuntimeError,
    "grid_sampler(): expected grid to have size {wanted} in last dimension, but got grid with sizes {grid}",
    """The last dimension of a grid holds the coordinates of a place: two in a plane, three in space.
    Here {wanted} are wanted, and the grid is {grid:en}.""",
    """网格的最后一维是位置的坐标：平面上两个，空间中三个。
    这里需要 {wanted} 个，而网格是{grid:zh}。""",
)

GRID_EMPTY = ErrorKind(
    "grid-empty",
    RuntimeError,
    "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {input} with dimension "
    "{dim} being empty",
    """There is nothing to sample from.
    The input is {input:en}, empty in dimension {dim}.""",
    """没有可供采样的内容。
    输入是{input:zh}，第 {dim} 维为空。""",
)

GRID_MODE = ErrorKind(
    "grid-mode",
    ValueError,
    "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'",
    """An image is sampled `'bilinear'`, `'nearest'` or `'bicubic'`.
    `{mode}` is none of these.""",
    """采样方式是 `'bilinear'`、`'nearest'` 或 `'bicubic'`。
    `{mode}` 不在其中。""",
)

GRID_PADDING = ErrorKind(
    "grid-padding",
    ValueError,
    "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '{mode}'",
    """What lies outside of an image is `'zeros'`, its `'border'`, or its `'reflection'`.
    `{mode}` is none of these.""",
    """图像之外的内容是 `'zeros'`、`'border'` 或 `'reflection'`。
    `{mode}` 不在其中。""",
)

GRID_CUBIC = ErrorKind(
    "grid-cubic",
    RuntimeError,
    "grid_sampler(): bicubic interpolation only supports 4D input",
    """Cubic curves are for planes: a batch of images (N, C, H, W).""",
    """三次插值只用于平面：图像批次 (N, C, H, W)。""",
)

GRID_DIMENSIONS = ErrorKind(
    "grid-dimensions",
    RuntimeError,
    "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with sizes {input} "
    "and grid with sizes {grid}",
    """An image (N, C, H, W) goes with a grid (N, h, w, 2), a volume (N, C, D, H, W) with a grid (N, d, h, w, 3).
    The input is {input:en}, the grid {grid:en}.""",
    """图像 (N, C, H, W) 对应网格 (N, h, w, 2)，体 (N, C, D, H, W) 对应网格 (N, d, h, w, 3)。
    输入是{input:zh}，网格是{grid:zh}。""",
)

AFFINE_GRID_DTYPE = ErrorKind(
    "affine-grid-dtype",
    ValueError,
    "Expected theta to have floating point type, but got {dtype}",
    """The matrices of an affine map hold floats. Write `.float()` after them.
    These are {dtype}.""",
    """仿射变换的矩阵应为浮点数，请在后面加 `.float()`。
    现在是 {dtype}。""",
)

AFFINE_GRID_EMPTY = ErrorKind(
    "affine-grid-empty",
    ValueError,
    "Expected non-zero, positive output size. Got {size}",
    """Every size of the image is at least 1.
    The size given is {size}.""",
    """图像的每个尺寸至少为 1。
    给出的尺寸是 {size}。""",
)

SCORES = ErrorKind(
    "linear-scores",
    RuntimeError,
    "{message}",
    """Input (N, in), weights (classes, in) and a bias (classes,) give the scores.
    Here: {message}.""",
    """输入 (N, in)、权重 (classes, in) 和偏置 (classes,) 给出得分。
    这里：{message}。""",
)

# -- fractional pools --------------------------------------------------------------------------------------------------

FRACTIONAL_SIZE = ErrorKind(
    "fractional-size",
    ValueError,
    "{name} requires specifying either an output_size or an output_ratio",
    """Say how large the result is: `output_size=` or `output_ratio=`.""",
    """请说明结果的大小：`output_size=` 或 `output_ratio=`。""",
)

FRACTIONAL_RATIO = ErrorKind(
    "fractional-ratio",
    ValueError,
    "{name} requires output_ratio to either be a single Int or tuple of Ints.",
    """`output_ratio` has one number for each dimension that is pooled.""",
    """`output_ratio` 为每个池化的维度给出一个数。""",
)

FRACTIONAL_PAIR = ErrorKind(
    "fractional-pair",
    RuntimeError,
    "{name}: {argument} must either be a single Int or tuple of {count}Ints",
    """`{argument}` is one integer, or one for each dimension that is pooled.""",
    """`{argument}` 是一个整数，或为每个池化的维度给出一个。""",
)

FRACTIONAL_WINDOW = ErrorKind(
    "fractional-window",
    RuntimeError,
    "{name}(): pool {side} {kernel} too large relative to input {side} {size}",
    """So many windows of this size do not fit: output size + kernel size - 1 is at most the size of the input.
    The {side} is {size}, the window {kernel}.""",
    """这么多窗口放不下：输出尺寸 + 核尺寸 - 1 不能超过输入尺寸。
    {side} 是 {size}，窗口是 {kernel}。""",
)

FRACTIONAL_SAMPLES = ErrorKind(
    "fractional-samples",
    RuntimeError,
    "Expect _random_samples{what}",
    """`_random_samples` has the shape (batch, channels, dimensions that are pooled) and the dtype of the input.""",
    """`_random_samples` 的形状是（批次，通道，池化的维度数），数据类型与输入相同。""",
)

FRACTIONAL_EMPTY = ErrorKind(
    "fractional-empty",
    RuntimeError,
    "{name}(): Expected input to have non-zero size for non-batch dimensions, but got{shape} with dimension {dim} being "
    "empty.",
    """Only the batch can be empty.
    The input is {shape:en}, empty in dimension {dim}.""",
    """只有批次可以为空。
    输入是{shape:zh}，第 {dim} 维为空。""",
)

# -- alignments --------------------------------------------------------------------------------------------------------

CTC_BLANK = ErrorKind(
    "ctc-blank",
    RuntimeError,
    "blank must be in label range",
    """`blank` is the number of one of the classes of the scores.""",
    """`blank` 是得分中某个类别的编号。""",
)

CTC_EMPTY = ErrorKind(
    "ctc-empty",
    RuntimeError,
    "log_probs tensor must not be empty",
    """There has to be a score for some step, some sequence and some class.""",
    """至少要有一步、一个序列和一个类别的得分。""",
)

CTC_BATCH = ErrorKind(
    "ctc-batch",
    RuntimeError,
    "{name} must be of size batch_size",
    """There is one length for each sequence of the batch in `{name}`.""",
    """`{name}` 为批次中的每个序列给出一个长度。""",
)

CTC_INTEGRAL = ErrorKind(
    "ctc-integral",
    RuntimeError,
    "{name} must be integral",
    """Lengths are integers. Write `.long()` after `{name}`.""",
    """长度是整数，请在 `{name}` 后面加 `.long()`。""",
)

CTC_SHAPE = ErrorKind(
    "ctc-shape",
    RuntimeError,
    "Expected {what} (while checking arguments for ctc_loss_allocate_outputs)",
    """The scores have shape (T, N, C); the targets (N, S), or all of them one after the other; the lengths say how much of \
each counts.
    Here: {what}.""",
    """得分形状为 (T, N, C)；目标为 (N, S) 或依次相连；长度说明各取多少。
    这里：{what}。""",
)
