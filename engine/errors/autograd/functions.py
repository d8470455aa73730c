"""Errors of custom functions, of inference mode, of hooks for saved tensors, and of functional derivatives."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

FUNCTION_MISUSE = ErrorKind(
    "function-misuse",
    RuntimeError,
    "{message}",
    """A rule for custom `Function`s is broken here.
    `forward` and `backward` are static methods, and `backward` returns one gradient, or `None`, for each argument of \
`forward`.""",
    """这里违反了自定义 `Function` 的规则。
    `forward` 和 `backward` 是静态方法；`backward` 要为 `forward` 的每个参数各返回一个梯度或 `None`。""",
)
FUNCTION_TYPE = ErrorKind(
    "function-type",
    TypeError,
    "{message}",
    """Only tensors can be saved for the backward pass this way.
    Store other values as attributes: `ctx.k = k`.""",
    """只有张量可以这样保存给反向使用。
    其他的值请存成属性：`ctx.k = k`。""",
)
FUNCTION_ABSENT = ErrorKind(
    "function-absent",
    NotImplementedError,
    "{message}",
    """A custom `Function` needs this static method.
    Define it in your class with `@staticmethod`: `forward(ctx, x)` gives the result, `backward(ctx, g)` one gradient for \
each argument of `forward`.""",
    """自定义的 `Function` 需要这个静态方法。
    请在类里用 `@staticmethod` 定义它：`forward(ctx, x)` 给出结果，`backward(ctx, g)` 为 `forward` 的每个参数各返回一个梯度。""",
)
LEAF_USED_INPLACE = ErrorKind(
    "leaf-used-inplace",
    RuntimeError,
    "a leaf Variable that requires grad has been used in an in-place operation.",
    """A custom `Function` wrote into {tensor}, a leaf, whose gradient belongs to the values it was created with.
    Pass a `clone()` to it.""",
    """自定义的 `Function` 写入了叶子张量 {tensor}，而叶子张量的梯度属于创建时的值。
    请把它的 `clone()` 传进去。""",
)
INFERENCE_SAVED = ErrorKind(
    "inference-saved",
    RuntimeError,
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation"
    " tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd,"
    " or use"
    " `torch.no_grad()` instead of `torch.inference_mode()`.",
    """{tensor} was made under `inference_mode`, which keeps nothing that a gradient would need.
    Use `torch.no_grad()` instead, or `clone()` it outside.""",
    """{tensor} 是在 `inference_mode` 中创建的，那里不保留求梯度所需的任何东西。
    请改用 `torch.no_grad()`，或者在外面 `clone()` 一份。""",
)
INFERENCE_INPLACE = ErrorKind(
    "inference-inplace",
    RuntimeError,
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal"
    " tensor"
    " before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.",
    """{tensor} was made under `inference_mode` and can be written only there.
    `clone()` it first.""",
    """{tensor} 是在 `inference_mode` 中创建的，只能在那里修改。
    请先 `clone()` 一份。""",
)
INFERENCE_REQUIRES_GRAD = ErrorKind(
    "inference-requires-grad",
    RuntimeError,
    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
    """{tensor} was made under `inference_mode` and cannot take part in a graph.
    `clone()` it first.""",
    """{tensor} 是在 `inference_mode` 中创建的，不能加入计算图。
    请先 `clone()` 一份。""",
)
INFERENCE_VERSION = ErrorKind(
    "inference-version",
    RuntimeError,
    "Inference tensors do not track version counter.",
    """Tensors made under `inference_mode` do not count their writes.""",
    """在 `inference_mode` 中创建的张量不记录修改次数。""",
)
SAVED_HOOK = ErrorKind(
    "saved-hook",
    RuntimeError,
    "{message}",
    """A hook for saved tensors does something that it may not.
    `pack` gets a tensor and returns anything, without writing into it; `unpack` gives back a tensor.""",
    """保存张量的钩子做了不允许的事。
    `pack` 收到张量，可以返回任何东西，但不能修改它；`unpack` 要还回一个张量。""",
)
SAVED_HOOK_TYPE = ErrorKind(
    "saved-hook-type",
    TypeError,
    "Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type}",
    """The function that unpacks saved tensors returned `{type}`.
    It must return the tensor that was packed.""",
    """解包函数返回了 `{type}`。
    它必须返回当初打包的张量。""",
)
RECOMPUTED = ErrorKind(
    "recomputed",
    RuntimeError,
    "{message}",
    """`checkpoint` runs its function again in the backward pass, and this time it computed other tensors than before.
    The function may depend on its arguments alone: decide and count outside of it, and hand the decision over.""",
    """`checkpoint` 会在反向传播时再次运行它的函数，而这一次算出的张量与之前不同。
    这个函数只能依赖自己的参数：请在外面做判断和计数，再把结果作为参数传进去。""",
)
DERIVATIVE_CALL = ErrorKind(
    "derivative-call",
    RuntimeError,
    "{message}",
    """A function that computes derivatives got arguments, or a result of your function, that it cannot use.
    The inputs and outputs must be tensors, and `v` must have the shape of what it is multiplied with.""",
    """计算导数的函数收到了无法使用的参数，或者你的函数返回了无法使用的结果。
    输入和输出都必须是张量，`v` 的形状必须与它所乘的对象相同。""",
)
VMAP_WRITE = ErrorKind(
    "vmap-write",
    RuntimeError,
    "{message}",
    """Inside of `vmap` a tensor that depends on the example stands for many, and one made by `zeros`, `ones` or `tensor` is the
    same for all of them: it has no room for the others' values. Make it from a tensor that is mapped over, `x.new_zeros(...)` or
    `torch.zeros_like(x)`, or collect the values in a list and use `torch.stack`.""",
    """在 `vmap` 里，取决于样本的张量代表许多个值，而由 `zeros`、`ones` 或 `tensor` 生成的张量对所有样本都是同一个：
    它放不下其他样本的值。请由被映射的张量来生成它：`x.new_zeros(...)` 或 `torch.zeros_like(x)`；
    或者把各个值收进列表，再用 `torch.stack`。""",
)
DERIVATIVE_ABSENT = ErrorKind(
    "derivative-absent",
    NotImplementedError,
    "{message}",
    """PyTorch does not compute derivatives in this way.
    Change the setting that the message names.""",
    """PyTorch 不支持以这种方式求导。
    请改变消息中提到的设置。""",
)
DERIVATIVE_ASSERTION = ErrorKind(
    "derivative-assertion",
    AssertionError,
    "{message}",
    """A function that computes derivatives got arguments, or a result of your function, that it cannot use.
    The inputs and outputs must be tensors, and `v` must have the shape of what it is multiplied with.""",
    """计算导数的函数收到了无法使用的参数，或者你的函数返回了无法使用的结果。
    输入和输出都必须是张量，`v` 的形状必须与它所乘的对象相同。""",
)
DERIVATIVE_TYPE = ErrorKind(
    "derivative-type",
    TypeError,
    "{message}",
    """A function that computes derivatives got something that is no tensor.
    Its inputs and outputs must be tensors or tuples of tensors.""",
    """计算导数的函数收到了不是张量的东西。
    它的输入和输出必须是张量或张量的元组。""",
)
DERIVATIVE_VALUE = ErrorKind(
    "derivative-value",
    ValueError,
    "{message}",
    """The arguments do not fit together.
    Compare the numbers in the message with what you pass.""",
    """这些参数彼此不符。
    请把消息里的数字与你传入的参数对照。""",
)
AS_STRIDED = ErrorKind(
    "as-strided",
    RuntimeError,
    "{message}",
    """`as_strided` describes places that are not all in the memory of {tensor}.
    The offset and the strides count elements of the memory, and the last place must still lie inside.""",
    """`as_strided` 描述的位置不全在 {tensor} 的内存之内。
    偏移和步长都以内存中的元素计数，最后一个位置也必须在范围内。""",
)
CONTAINS_TYPE = ErrorKind(
    "contains-type",
    RuntimeError,
    "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type}.",
    """`in` compares each element of a tensor with a number.
    Ask for a number or a tensor.""",
    """`in` 把张量的每个元素与一个数比较。
    请用数或张量来查询。""",
)
