"""Errors of images: padding, interpolation, shuffles, windows as columns, sampling on a grid."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

PAD_ODD = ErrorKind(
    "pad-odd",
    RuntimeError,
    "Length of pad must be even but instead it equals {count}",
    """A padding has two numbers for each dimension, before and after, the last dimension first.
    There are {count} numbers.""",
    """填充对每个维度给出前、后两个数，从最后一维开始。
    现在有 {count} 个数。""",
)

PAD_LONG = ErrorKind(
    "pad-long",
    RuntimeError,
    "Length of pad should be no more than twice the number of dimensions of the input. Pad length is {count}while the"
    " input has {ndim}dimensions.",
    """A padding has two numbers for each dimension, before and after, the last dimension first.
    There are {count} numbers, and {ndim} dimensions.""",
    """填充对每个维度给出前、后两个数，从最后一维开始。
    现在有 {count} 个数，而张量只有 {ndim} 维。""",
)
PAD_EVEN = ErrorKind(
    "pad-even",
    RuntimeError,
    "Padding length must be divisible by 2",
    """A padding has two numbers for each dimension, before and after, the last dimension first.""",
    """填充对每个维度给出前、后两个数，从最后一维开始。""",
)

PAD_LENGTH = ErrorKind(
    "pad-length",
    RuntimeError,
    "Padding length should be less than or equal to two times the input dimension but got padding length "
    "{count} and input of dimension {ndim}",
    """A padding has two numbers for each dimension.
    There are {count} numbers for {ndim} dimensions.""",
    """填充对每个维度给出两个数。
    {ndim} 个维度给了 {count} 个数。""",
)

PAD_NARROW = ErrorKind(
    "pad-narrow",
    RuntimeError,
    "narrow(): length must be non-negative.",
    """More is cut off than there is. Use smaller negative numbers.""",
    """裁掉的比原有的还多。请用较小的负数。""",
)

PAD_REFLECT = ErrorKind(
    "pad-reflect",
    RuntimeError,
    "Argument #{argument}: Padding size should be less than the corresponding input dimension, but got: "
    "padding ({before}, {after}) at dimension {dim} of input {shape}",
    """A reflection cannot be longer than what it reflects.
    Dimension {dim} of {shape} is padded by {before} and {after}.""",
    """反射的长度不能超过被反射的部分。
    {shape} 的第 {dim} 维要填充 {before} 和 {after}。""",
)

PAD_CIRCULAR = ErrorKind(
    "pad-circular",
    RuntimeError,
    "Padding value causes wrapping around more than once.",
    """A circular padding repeats the input at most once on each side. Use a smaller padding.""",
    """循环填充每侧最多重复一次输入。请用较小的填充。""",
)

PAD_SUPPORT = ErrorKind(
    "pad-support",
    NotImplementedError,
    "Padding size {count} is not supported for {ndim}D input tensor.\nSupported combinations for non-constant padding:\n"
    "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
    "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
    "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)",
    """This mode pads the last 1, 2 or 3 dimensions of an input with one or two more dimensions.
    There are {count} numbers for {ndim} dimensions.""",
    """这种方式填充最后 1、2 或 3 维，输入另有一到两维。
    {ndim} 维的输入给了 {count} 个数。""",
)

PAD_MODE = ErrorKind(
    "pad-mode",
    NotImplementedError,
    "Unrecognised padding mode {mode}",
    """Modes are `'constant'`, `'reflect'`, `'replicate'` and `'circular'`.
    `{mode}` is none of these.""",
    """方式有 `'constant'`、`'reflect'`、`'replicate'` 和 `'circular'`。
    `{mode}` 不在其中。""",
)

PAD_VALUE = ErrorKind(
    "pad-value",
    RuntimeError,
    'Padding mode "{mode}" doesn\'t take in value argument',
    """Only a constant padding has a value. Leave it out.
    The mode is {mode}.""",
    """只有常数填充才有填充值，请去掉它。
    现在的方式是 {mode}。""",
)

SHUFFLE_CHANNELS = ErrorKind(
    "shuffle-channels",
    RuntimeError,
    "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
    "upscale_factor, but input.size(-3)={channels} is not divisible by {square}",
    """Each new pixel takes one channel, so their number is a multiple of {square}.
    There are {channels}.""",
    """每个新像素用一个通道，所以通道数是 {square} 的倍数。
    现在有 {channels} 个。""",
)

SHUFFLE_DIMENSIONS = ErrorKind(
    "shuffle-dimensions",
    RuntimeError,
    "{name} expects input to have at least 3 dimensions, but got input with {ndim} dimension(s)",
    """The input of `{name}` is (..., C, H, W).
    This one has {ndim} dimensions.""",
    """`{name}` 的输入是 (..., C, H, W)。
    现在它有 {ndim} 维。""",
)

SHUFFLE_FACTOR = ErrorKind(
    "shuffle-factor",
    RuntimeError,
    "{name} expects a positive {factor}, but got {value}",
    """`{factor}` of `{name}` is at least 1.
    Here it is {value}.""",
    """`{name}` 的 `{factor}` 至少是 1。
    现在是 {value}。""",
)

UNSHUFFLE_SIZE = ErrorKind(
    "unshuffle-size",
    RuntimeError,
    "pixel_unshuffle expects {side} to be divisible by downscale_factor, but input.size({dim})={size} is "
    "not divisible by {factor}",
    """The {side} is cut into pieces of {factor} pixels.
    It has {size} (dimension {dim}).""",
    """{side} 被切成每块 {factor} 个像素。
    它有 {size} 个（第 {dim} 维）。""",
)

CHANNEL_SHUFFLE_DIMENSIONS = ErrorKind(
    "channel-shuffle-dimensions",
    RuntimeError,
    "channel_shuffle expects input with > 2 dims, but got input with sizes {shape}",
    """The input of `channel_shuffle` is (N, C, ...).
    This one has shape {shape}.""",
    """`channel_shuffle` 的输入是 (N, C, ...)。
    现在的形状是 {shape}。""",
)

CHANNEL_SHUFFLE_GROUPS = ErrorKind(
    "channel-shuffle-groups",
    RuntimeError,
    "Number of channels must be divisible by groups. Got {channels} channels and {groups} groups.",
    """All groups have the same number of channels.
    {groups} groups do not divide {channels}.""",
    """各组的通道数相同。
    {groups} 组不能整除 {channels} 个通道。""",
)

UNFOLD_EMPTY = ErrorKind(
    "unfold-empty",
    RuntimeError,
    "Given input with spatial size ({size}), kernel_size=({kernel}), dilation=({dilation}), "
    "padding=({padding}), calculated shape of the array of sliding blocks as ({out}), but its components "
    "must be at least one.",
    """The window does not fit into the image.
    The image is {size}, the window {kernel} (dilation {dilation}, padding {padding}): {out} windows.""",
    """窗口放不进图像。
    图像是 {size}，窗口是 {kernel}（间距 {dilation}，填充 {padding}）：窗口数 {out}。""",
)

FOLD_SETTING = ErrorKind(
    "fold-setting",
    RuntimeError,
    "{what} should be {wanted}, but got {name}_height: {height} {name}_width: {width}",
    """Windows have a size, lie apart and move by at least one element; the padding is not negative.""",
    """窗口的大小、间距和移动的步长至少为 1；填充不能为负。""",
)

FOLD_ROWS = ErrorKind(
    "fold-rows",
    RuntimeError,
    "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
    "input.size(1)={rows} and kernel_size=({kernel}).",
    """A column of `fold` holds whole windows.
    It has {rows} elements, and the window is {kernel}.""",
    """`fold` 的每一列由完整的窗口组成。
    它有 {rows} 个元素，而窗口是 {kernel}。""",
)

FOLD_COLUMNS = ErrorKind(
    "fold-columns",
    RuntimeError,
    "Given output_size=({size}), kernel_size=({kernel}), dilation=({dilation}), padding=({padding}), "
    "stride=({stride}), expected size of input's dimension 2 to match the calculated number of sliding "
    "blocks {rows} * {columns} = {total}, but got input.size(2)={given}.",
    """There is one column for each window of the output.
    An output of {size} has {rows} × {columns} = {total} windows of {kernel} (dilation {dilation}, padding \
{padding}, stride {stride}), and there are {given} columns.""",
    """输出的每个窗口对应一列。
    输出 {size} 有 {rows} × {columns} = {total} 个 {kernel} 窗口（间距 {dilation}，填充 {padding}，步幅 {str\
ide}），而现在有 {given} 列。""",
)

# -- interpolation -----------------------------------------------------------------------------------------------------

INTERPOLATE_CORNERS = ErrorKind(
    "interpolate-corners",
    ValueError,
    "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear",
    """This mode takes whole elements, so corners cannot be aligned. Leave `align_corners` out.""",
    """这种方式取整个元素，不能对齐角点。请去掉 `align_corners`。""",
)

INTERPOLATE_BOTH = ErrorKind(
    "interpolate-both",
    ValueError,
    "only one of size or scale_factor should be defined",
    """Give the size or the factor, not both.""",
    """请只给出尺寸或倍数之一。""",
)

INTERPOLATE_NEITHER = ErrorKind(
    "interpolate-neither",
    ValueError,
    "either size or scale_factor should be defined",
    """Say how large the result is: `size=...` or `scale_factor=...`.""",
    """请说明结果的大小：`size=...` 或 `scale_factor=...`。""",
)

INTERPOLATE_SIZE = ErrorKind(
    "interpolate-size",
    ValueError,
    "Input and output must have the same number of spatial dimensions, but got input with spatial "
    "dimensions of {spatial} and output size of {size}. Please provide input tensor in (N, C, d1, d2, "
    "...,dK) format and output size in (o1, o2, ...,oK) format.",
    """The size has one number for each dimension after batch and channels.
    These are {spatial}, and the size is {size}.""",
    """尺寸对批次和通道之后的每一维给出一个数。
    这些维是 {spatial}，而尺寸是 {size}。""",
)

INTERPOLATE_FACTOR = ErrorKind(
    "interpolate-factor",
    ValueError,
    "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
    "dimensions of {spatial} and scale_factor of shape {factor}. Please provide input tensor in (N, C, "
    "d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format.",
    """There is one factor for each dimension after batch and channels.
    These are {spatial}, and the factors are {factor}.""",
    """对批次和通道之后的每一维给出一个倍数。
    这些维是 {spatial}，而倍数是 {factor}。""",
)

INTERPOLATE_MODE_DIMENSIONS = ErrorKind(
    "interpolate-mode-dimensions",
    NotImplementedError,
    "Got {ndim}D input, but {mode} mode needs {wanted}D input",
    """The mode says how many dimensions there are: linear 3, bilinear and bicubic 4, trilinear 5, batch and \
channels included.
    The mode is {mode} ({wanted}), and the input has {ndim}.""",
    """方式决定维数：linear 是 3，bilinear 和 bicubic 是 4，trilinear 是 5，包括批次和通道。
    方式是 {mode}（{wanted}），而输入有 {ndim} 维。""",
)

INTERPOLATE_MODE = ErrorKind(
    "interpolate-mode",
    NotImplementedError,
    "Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: nearest | "
    "linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})",
    """The input is (N, C, L), (N, C, H, W) or (N, C, D, H, W).
    This one has {ndim} dimensions, and the mode is {mode}.""",
    """输入是 (N, C, L)、(N, C, H, W) 或 (N, C, D, H, W)。
    现在它有 {ndim} 维，方式是 {mode}。""",
)

ADAPTIVE_DIMENSIONS = ErrorKind(
    "adaptive-dimensions",
    ValueError,
    "Input dimension should be at least {least}",
    """The input has channels before the dimensions that are pooled: at least {least} dimensions in all.""",
    """在池化的维度之前还有通道维：输入至少要有 {least} 维。""",
)

INTERPOLATE_EMPTY = ErrorKind(
    "interpolate-empty",
    RuntimeError,
    "Input and output sizes should be greater than 0, but got input ({input}{between}{output})",
    """Neither the input nor the result can be empty.
    The input is {input}, the result {output}.""",
    """输入和结果都不能为空。
    输入是 {input}，结果是 {output}。""",
)

# -- sampling on a grid ------------------------------------------------------------------------------------------------

AFFINE_GRID_SIZE = ErrorKind(
    "affine-grid-size",
    NotImplementedError,
    "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size {size}.",
    """The size is that of an image, (N, C, H, W), or of a volume, (N, C, D, H, W).
    This one is {size}.""",
    """尺寸是图像 (N, C, H, W) 或体 (N, C, D, H, W) 的尺寸。
    现在是 {size}。""",
)

AFFINE_GRID_THETA = ErrorKind(
    "affine-grid-theta",
    ValueError,
    "Expected a batch of {dims}D affine matrices of shape Nx{rows}x{columns} for size {size}. Got {got}.",
    """There is one {rows}×{columns} matrix for each image of the batch ({dims}-D).
    The size is {size}, the matrices have {got}.""",
    """批次中的每个图像（{dims} 维）对应一个 {rows}×{columns} 矩阵。
    尺寸是 {size}，而矩阵是 {got}。""",
)
