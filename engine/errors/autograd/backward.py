"""Errors of the backward pass."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

NONSCALAR_BACKWARD = ErrorKind(
    "nonscalar-backward",
    RuntimeError,
    "grad can be implicitly created only for scalar outputs",
    """{tensor} is {shape:en} with {shape:n} elements.
    Only for an output that is a single number does PyTorch take 1 as the gradient to start from.
    Pass a `gradient` of the same shape as {tensor}: each of its elements is the weight of one output.""",
    """{tensor} 是{shape:zh}，有 {shape:n} 个元素。
    只有单个数的输出，PyTorch 才会自动把起点的梯度取为 1。
    请传入一个与 {tensor} 形状相同的 `gradient`，它的每个元素就是对应输出的权重。""",
)
NONREAL_BACKWARD = ErrorKind(
    "nonreal-backward",
    RuntimeError,
    "grad can be implicitly created only for real scalar outputs but got {dtype}",
    """{tensor} is a complex number, and a gradient of 1 is taken by itself only for real ones.
    Differentiate a real quantity such as `abs()`, or pass a `gradient`.""",
    """{tensor} 是复数，只有实数的输出才会自动把梯度取为 1。
    请对实数量（例如 `abs()`）求导，或者传入 `gradient`。""",
)
GRADIENT_SHAPE = ErrorKind(
    "gradient-shape",
    RuntimeError,
    "Mismatch in shape: grad_output[{index}] has a shape of torch.Size({grad_shape}) "
    "and output[{index}] has a shape of torch.Size({output_shape}).",
    """The gradient is {grad_shape:en}, but {tensor} is {output_shape:en}.
    The gradient holds one weight for each element of the output, so the two shapes must be equal: here it is not \
broadcast.""",
    """梯度是{grad_shape:zh}，而 {tensor} 是{output_shape:zh}。
    梯度为输出的每个元素给出一个权重，所以两者形状必须完全相同，这里不会广播。""",
)
BATCHED_GRADIENT_SHAPE = ErrorKind(
    "batched-gradient-shape",
    RuntimeError,
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The"
    " sizes of"
    " the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was detected:"
    " grad_output[{index}] has a shape of torch.Size({grad_shape}) and output[{index}] has a shape of"
    " torch.Size({output_shape}). If you only want some tensors in `grad_output` to be considered batched, consider"
    " using"
    " vmap.",
    """Each entry of the gradient's first dimension is a gradient of its own, and must have the shape of {tensor}.""",
    """梯度第一维的每一项都是一个单独的梯度，形状必须与 {tensor} 相同。""",
)
GRADIENT_COMPLEX = ErrorKind(
    "gradient-complex",
    RuntimeError,
    "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype:"
    " grad_output[{index}] has a dtype of {grad_dtype} and output[{index}] has a dtype of {output_dtype}.",
    """The gradient is `{grad_dtype}` and {tensor} is `{output_dtype}`: only one of the two is complex.
    Give the gradient the dtype of the output.""",
    """梯度是 `{grad_dtype}`，而 {tensor} 是 `{output_dtype}`，只有一个是复数。
    请让梯度与输出的类型相同。""",
)
GRADIENT_TWICE = ErrorKind(
    "gradient-twice",
    RuntimeError,
    "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use"
    " `grad_tensors`.",
    """The gradient is given under its present name and under its old one.
    Leave `grad_variables` away.""",
    """梯度同时用了现在的名字和旧的名字。
    请去掉 `grad_variables`。""",
)
GRADIENT_TYPE = ErrorKind(
    "gradient-type",
    TypeError,
    "gradients can be either Tensors or None, but got {type}",
    """The gradient must be a tensor, and here it is made of `{type}`.
    Wrap the numbers in `torch.tensor(...)`.""",
    """梯度必须是张量，而这里是 `{type}`。
    请用 `torch.tensor(...)` 把这些数包起来。""",
)
GRADIENT_NOT_ITERABLE = ErrorKind(
    "gradient-not-iterable",
    TypeError,
    "'{type}' object is not iterable",
    """The gradient must be a tensor, and here it is one plain number of type `{type}`.
    Wrap it in `torch.tensor(...)`; it also needs the shape of the output.""",
    """梯度必须是张量，而这里是一个 `{type}` 类型的普通数。
    请用 `torch.tensor(...)` 包起来，并且形状要与输出相同。""",
)
GRADIENT_COUNT = ErrorKind(
    "gradient-count",
    RuntimeError,
    "got {tensors} tensors and {gradients} gradients",
    """{tensors} outputs are differentiated but {gradients} gradients are given.
    Give one gradient for each output; `None` will do for one that is a single number.""",
    """要对 {tensors} 个输出求导，却给了 {gradients} 个梯度。
    请为每个输出各给一个梯度；输出是单个数时可以用 `None`。""",
)
NO_GRAD_FN = ErrorKind(
    "no-grad-fn",
    RuntimeError,
    "element {index} of tensors does not require grad and does not have a grad_fn",
    """Nothing that {tensor} was computed from requires a gradient, so there is no graph to go back through.
    Create an input with `requires_grad=True`, and keep `detach()`, `.data` and `no_grad` out of the way to the \
output.""",
    """计算 {tensor} 用到的张量都不需要梯度，所以没有可以反向走的计算图。
    请在创建输入时写上 `requires_grad=True`，并且不要让 `detach()`、`.data` 或 `no_grad` 切断通往输出的路。""",
)
BACKWARD_TWICE = ErrorKind(
    "backward-twice",
    RuntimeError,
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been"
    " freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify"
    " retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors"
    " after calling backward.",
    """The first backward pass already freed the values that the functions had saved on the way forward.
    Say `retain_graph=True` in the first pass to keep them, or compute the output anew before the second.""",
    """第一次反向传播已经释放了各函数在前向时保存的值。
    请在第一次反向时写上 `retain_graph=True` 把它们留下，或者在第二次之前重新计算输出。""",
)
SAVED_MODIFIED = ErrorKind(
    "saved-modified",
    RuntimeError,
    "one of the variables needed for gradient computation has been modified by an inplace operation: [{dtype_type}"
    " {shape}], which is output {output_nr} of {name}, is at version {version}; expected version {expected} instead."
    " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with"
    " torch.autograd.set_detect_anomaly(True, check_nan=False).",
    """The result of `{name}` was saved for the backward pass at version {expected}, and an in-place write has made \
it version {version}.
    The gradient needs the value as it was: write into a copy, or replace the in-place operation by one that makes a \
new tensor.""",
    """`{name}` 的结果在第 {expected} 版时被保存下来供反向使用，之后一次就地修改把它变成了第 {version} 版。
    求梯度需要原来的值：请改写它的副本，或者把就地操作换成生成新张量的操作。""",
)
SAVED_MODIFIED_TRACED = ErrorKind(
    "saved-modified-traced",
    RuntimeError,
    "{message}",
    """A value that was saved for the backward pass at version {expected} has been made version {version} by an in-place \
write.
    The gradient needs the value as it was: write into a copy, or replace the in-place operation by one that makes a \
new tensor.""",
    """在第 {expected} 版时保存下来供反向使用的值，被一次就地修改变成了第 {version} 版。
    求梯度需要原来的值：请改写它的副本，或者把就地操作换成生成新张量的操作。""",
)
SAVED_MODIFIED_LEAF = ErrorKind(
    "saved-modified-leaf",
    RuntimeError,
    "one of the variables needed for gradient computation has been modified by an inplace operation: [{dtype_type}"
    " {shape}] is at version {version}; expected version {expected} instead. Hint: enable anomaly detection to find the"
    " operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).",
    """{tensor} was saved for the backward pass at version {expected}, and an in-place write has made it version \
{version}.
    The gradient needs the value as it was: write into a copy, or run the backward pass before the write.""",
    """{tensor} 在第 {expected} 版时被保存下来供反向使用，之后一次就地修改把它变成了第 {version} 版。
    求梯度需要原来的值：请改写它的副本，或者先做反向再修改。""",
)
UNUSED_INPUT = ErrorKind(
    "unused-input",
    RuntimeError,
    "The differentiated Tensor at index {index} appears to not have been used in the graph. Set allow_unused=True if"
    " this is the desired behavior.",
    """The output does not depend on the input number {index}, so there is no path along which a gradient could \
reach it.
    Check which tensor the output was computed from; with `allow_unused=True` the answer is `None` instead of an \
error.""",
    """输出不依赖第 {index} 个输入，没有一条路能让梯度到达它。
    请检查输出是由哪个张量算出来的；写上 `allow_unused=True` 则得到 `None` 而不是报错。""",
)
INPUT_NO_GRAD = ErrorKind(
    "input-no-grad",
    RuntimeError,
    "One of the differentiated Tensors does not require grad",
    """A tensor whose gradient is asked for was created without `requires_grad=True`.
    Set it before the forward computation.""",
    """要求梯度的张量在创建时没有写 `requires_grad=True`。
    请在前向计算之前设置好。""",
)
EMPTY_INPUTS = ErrorKind(
    "empty-inputs",
    RuntimeError,
    "`inputs` argument to `{function}()` cannot be empty.",
    """No tensor was named whose gradient is wanted.
    Give at least one in `inputs`.""",
    """没有指明要求哪个张量的梯度。
    请在 `inputs` 中至少给出一个。""",
)
NOT_DIFFERENTIABLE = ErrorKind(
    "not-differentiable",
    RuntimeError,
    "derivative for aten::{name} is not implemented",
    """PyTorch has no derivative for `{name}`: its result jumps, so its gradient is zero or undefined everywhere.
    Compute the part that needs a gradient without it, or cut it off with `detach()`.""",
    """PyTorch 没有 `{name}` 的导数：它的结果是跳变的，梯度处处为零或无定义。
    需要梯度的部分请不要经过它，或者用 `detach()` 把它断开。""",
)
WRONG_GRADIENT_COUNT = ErrorKind(
    "function-gradient-count",
    RuntimeError,
    "function {name} returned an incorrect number of gradients (expected {expected}, got {actual})",
    """The `backward` of your function returned {actual} gradients for {expected} inputs.
    Return one for each argument of `forward`, `None` where none is needed.""",
    """你的函数的 `backward` 返回了 {actual} 个梯度，而输入有 {expected} 个。
    请为 `forward` 的每个参数各返回一个，不需要的用 `None`。""",
)
INVALID_GRADIENT = ErrorKind(
    "function-gradient-shape",
    RuntimeError,
    "Function {name} returned an invalid gradient at index {index} - got {actual} but expected shape compatible with"
    " {expected}",
    """The `backward` of `{name}` returned {actual:en} for an input that is {expected:en}.
    A gradient has the shape of what it is the gradient of.""",
    """`{name}` 的 `backward` 对{expected:zh}的输入返回了{actual:zh}。
    梯度的形状必须与对应的输入相同。""",
)
NAN_GRADIENT = ErrorKind(
    "nan-gradient",
    RuntimeError,
    "Function '{name}' returned nan values in its {index}th output.",
    """Anomaly detection found a NaN in a gradient that `{name}` passed on.
    Look at the values that went into this function: a zero under a root or a logarithm, or 0 times infinity.""",
    """异常检测发现 `{name}` 传出的梯度里有 NaN。
    请检查进入这个函数的值：根号或对数里的零，或者 0 乘无穷。""",
)
