"""Errors of leaves, of `requires_grad`, of hooks and of in-place writes."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

INTEGER_REQUIRES_GRAD = ErrorKind(
    "integer-requires-grad",
    RuntimeError,
    "Only Tensors of floating point and complex dtype can require gradients",
    """A gradient says what happens under a tiny change, and whole numbers cannot change by a little.
    Write the numbers with a decimal point (`1.`) or add `dtype=torch.float`.""",
    """梯度描述的是微小变化带来的影响，而整数不能微小地变化。
    请把数写成带小数点的形式（`1.`），或者加上 `dtype=torch.float`。""",
)
INTEGER_REQUIRES_GRAD_METHOD = ErrorKind(
    "integer-requires-grad-method",
    RuntimeError,
    "only Tensors of floating point dtype can require gradients",
    """{tensor} holds whole numbers, which cannot change by a little, so it has no gradient.
    Make it floating point first: write `1.` for `1`, or call `.float()`.""",
    """{tensor} 存的是整数，不能微小地变化，所以没有梯度。
    请先变成浮点数：把 `1` 写成 `1.`，或者调用 `.float()`。""",
)
INTEGER_REQUIRES_GRAD_ATTRIBUTE = ErrorKind(
    "integer-requires-grad-attribute",
    RuntimeError,
    "only Tensors of floating point and complex dtype can require gradients",
    """{tensor} holds whole numbers, which cannot change by a little, so it has no gradient.
    Make it floating point first: write `1.` for `1`, or call `.float()`.""",
    """{tensor} 存的是整数，不能微小地变化，所以没有梯度。
    请先变成浮点数：把 `1` 写成 `1.`，或者调用 `.float()`。""",
)
REQUIRES_GRAD_NON_LEAF = ErrorKind(
    "requires-grad-non-leaf",
    RuntimeError,
    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph"
    " that doesn't require differentiation use var_no_grad = var.detach().",
    """{tensor} was computed from others, and whether it requires a gradient follows from them.
    Use `detach()` to get the same values outside the graph.""",
    """{tensor} 是由别的张量算出来的，是否需要梯度由它们决定。
    想在计算图之外使用同样的值，请用 `detach()`。""",
)
REQUIRES_GRAD_SET = ErrorKind(
    "requires-grad-set",
    RuntimeError,
    "you can only change requires_grad flags of leaf variables.",
    """{tensor} was computed from others, and whether it requires a gradient follows from them.
    Use `retain_grad()` to see its gradient.""",
    """{tensor} 是由别的张量算出来的，是否需要梯度由它们决定。
    想看它的梯度，请用 `retain_grad()`。""",
)
REQUIRES_GRAD_TYPE = ErrorKind(
    "requires-grad-type",
    RuntimeError,
    "requires_grad must be a bool",
    """`requires_grad` is either `True` or `False`.
    Assign one of the two.""",
    """`requires_grad` 只能是 `True` 或 `False`。
    请赋这两个值之一。""",
)
RETAIN_GRAD_NO_GRAD = ErrorKind(
    "retain-grad-no-grad",
    RuntimeError,
    "can't retain_grad on Tensor that has requires_grad=False",
    """No gradient ever reaches {tensor}, so there is none to keep.
    Give the inputs that it is computed from `requires_grad=True`.""",
    """梯度不会到达 {tensor}，所以没有可以保留的梯度。
    请给算出它的那些输入写上 `requires_grad=True`。""",
)
NUMPY_REQUIRES_GRAD = ErrorKind(
    "numpy-requires-grad",
    RuntimeError,
    "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    """NumPy knows nothing of gradients, so the graph behind {tensor} would be lost without a word.
    Call `.detach()` first if only the values are wanted.""",
    """NumPy 不认识梯度，{tensor} 背后的计算图会悄悄丢失。
    如果只要数值，请先调用 `.detach()`。""",
)
GRAD_SHAPE = ErrorKind(
    "grad-shape",
    RuntimeError,
    "attempting to assign a gradient of size '{grad_shape}' to a tensor of size '{shape}'. Please ensure that the"
    " gradient and the tensor are the same size",
    """The assigned gradient is {grad_shape:en}, but {tensor} is {shape:en}.
    `.grad` has one element for each element of its tensor.""",
    """所赋的梯度是{grad_shape:zh}，而 {tensor} 是{shape:zh}。
    `.grad` 的元素与张量的元素一一对应。""",
)
GRAD_TYPE = ErrorKind(
    "grad-type",
    TypeError,
    "assigned grad expected to be a Tensor or None but got grad of type {type}",
    """`.grad` holds a tensor or `None`, and here it was given `{type}`.
    Wrap the numbers in `torch.tensor(...)`.""",
    """`.grad` 只能是张量或 `None`，这里给的却是 `{type}`。
    请用 `torch.tensor(...)` 把这些数包起来。""",
)
GRAD_ITSELF = ErrorKind(
    "grad-itself",
    RuntimeError,
    "can't assign Variable as its own grad",
    """{tensor} was assigned as its own gradient.
    Assign another tensor of the same shape.""",
    """{tensor} 被赋成了它自己的梯度。
    请赋另一个形状相同的张量。""",
)
GRAD_DTYPE = ErrorKind(
    "grad-dtype",
    RuntimeError,
    "attempting to assign a gradient with dtype '{grad_dtype}' to a tensor with grad_dtype '{dtype}'. The gradient must"
    " match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute "
    "with"
    " a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and"
    " its gradient may break downstream systems that assume they match.",
    """The assigned gradient is `{grad_dtype}`, but {tensor} is `{dtype}`.
    Convert it to the dtype of its tensor.""",
    """所赋的梯度是 `{grad_dtype}`，而 {tensor} 是 `{dtype}`。
    请先转换成张量的类型。""",
)
HOOK_NO_GRAD = ErrorKind(
    "hook-no-grad",
    RuntimeError,
    "cannot register a hook on a tensor that doesn't require gradient",
    """No gradient ever reaches {tensor}, so the hook would never be called.
    Give the inputs that it is computed from `requires_grad=True`.""",
    """梯度不会到达 {tensor}，钩子永远不会被调用。
    请给算出它的那些输入写上 `requires_grad=True`。""",
)
HOOK_SIZE = ErrorKind(
    "hook-size",
    RuntimeError,
    "hook '{name}' has changed the size of value",
    """The hook returned a gradient of another shape than the one it was given.
    Return a tensor of the same shape, or nothing to leave the gradient as it is.""",
    """钩子返回的梯度与收到的形状不同。
    请返回形状相同的张量；什么都不返回则梯度保持不变。""",
)
HOOK_NON_LEAF = ErrorKind(
    "hook-non-leaf",
    RuntimeError,
    "post accumulate grad hooks cannot be registered on non-leaf tensors",
    """{tensor} was computed from others; gradients are accumulated only in leaves.
    Use `register_hook` here.""",
    """{tensor} 是由别的张量算出来的，只有叶子张量才会累加梯度。
    这里请用 `register_hook`。""",
)

HOOK_RESULT = ErrorKind(
    "hook-result",
    RuntimeError,
    "{message}",
    """A hook returned something that cannot take the place of the gradient it was given.
    Return a tensor of the same shape and dtype, or nothing to leave the gradient as it is.""",
    """钩子返回的东西不能代替它收到的梯度。
    请返回形状和类型都相同的张量；什么都不返回则梯度保持不变。""",
)
HOOK_TYPE = ErrorKind(
    "hook-type",
    TypeError,
    "{message}",
    """A hook returned something of another type than the gradient it was given.
    A hook of a tensor returns a tensor, a hook of a node a tuple of tensors, or nothing.""",
    """钩子返回的类型与它收到的梯度不同。
    张量的钩子返回张量，节点的钩子返回张量的元组，或者什么都不返回。""",
)

# ---- writing in place

LEAF_INPLACE = ErrorKind(
    "leaf-inplace",
    RuntimeError,
    "a leaf Variable that requires grad is being used in an in-place operation.",
    """{tensor} is a leaf: its gradient belongs to the values it was created with, and writing over them would lose \
these.
    Write under `torch.no_grad()` if it is meant as an update, or compute a new tensor instead.""",
    """{tensor} 是叶子张量：它的梯度属于创建时的值，覆盖之后这些值就丢了。
    如果是要更新参数，请在 `torch.no_grad()` 下写；否则请算出一个新的张量。""",
)
LEAF_VIEW_INPLACE = ErrorKind(
    "leaf-view-inplace",
    RuntimeError,
    "a view of a leaf Variable that requires grad is being used in an in-place operation.",
    """The write goes into a part of {tensor}, a leaf, whose gradient belongs to the values it was created with.
    Write under `torch.no_grad()` if it is meant as an update, or write into a `clone()`.""",
    """这次写入改的是叶子张量 {tensor} 的一部分，而叶子张量的梯度属于创建时的值。
    如果是要更新参数，请在 `torch.no_grad()` 下写；否则请写入它的 `clone()`。""",
)
MULTI_VIEW_INPLACE = ErrorKind(
    "multi-view-inplace",
    RuntimeError,
    "{message}",
    """One function gave several views of one tensor at once, and writing into one of them, or into the tensor behind \
them, cannot be recorded.
    Make a new tensor (`x = x + 1` for `x += 1`), or index the tensor itself.""",
    """一个函数一次给出了同一张量的多个视图，写入其中一个（或写入它们背后的张量）是无法记录的。
    请生成新的张量（把 `x += 1` 写成 `x = x + 1`），或者直接对原张量做索引。""",
)
NO_GRAD_VIEW_INPLACE = ErrorKind(
    "no-grad-view-inplace",
    RuntimeError,
    "{message}",
    """The view was made under `no_grad` and its memory is written to outside of it, so it is unclear whether the write \
counts for the gradient.
    Put both inside the block, or both outside.""",
    """这个视图是在 `no_grad` 中创建的，它的内存却在外面被写入，无法判断这次写入是否参与求导。
    请把两者都放进代码块，或者都放在外面。""",
)
INFERENCE_VIEW_INPLACE = ErrorKind(
    "inference-view-inplace",
    RuntimeError,
    "{message}",
    """The view was made under `inference_mode` and its memory is written to outside of it.
    Put both inside the block, or both outside.""",
    """这个视图是在 `inference_mode` 中创建的，它的内存却在外面被写入。
    请把两者都放进代码块，或者都放在外面。""",
)
FUNCTION_VIEW_INPLACE = ErrorKind(
    "function-view-inplace",
    RuntimeError,
    "{message}",
    """A custom `Function` returned a view (or its own input), and writing into it would go past its `backward`.
    Return a `clone()` from `forward`.""",
    """自定义的 `Function` 返回了视图（或它的输入本身），写入它会绕过它的 `backward`。
    请在 `forward` 中返回 `clone()`。""",
)
RESULT_CAST = ErrorKind(
    "result-cast",
    RuntimeError,
    "result type {result} can't be cast to the desired output type {output}",
    """The result is `{result}`, but {tensor} can only hold `{output}`, and an in-place operation cannot change that.
    Make {tensor} floating point, or use the operation that makes a new tensor.""",
    """结果是 `{result}` 类型，而 {tensor} 只能存 `{output}`，就地操作不能改变类型。
    请把 {tensor} 变成浮点数，或者改用生成新张量的操作。""",
)
INPLACE_BROADCAST = ErrorKind(
    "inplace-broadcast",
    RuntimeError,
    "output with shape {shape} doesn't match the broadcast shape {broadcast}",
    """The result would be {broadcast:en}, but it is to be written into {shape:en}.
    An in-place operation cannot make its tensor larger: use the one that makes a new tensor.""",
    """结果会是{broadcast:zh}，却要写进{shape:zh}。
    就地操作不能让张量变大：请改用生成新张量的操作。""",
)
INPLACE_PRODUCT = ErrorKind(
    "inplace-product",
    RuntimeError,
    "Bad in-place call: input tensor size {shape} and output tensor size {result} should match",
    """The product is {result:en}, but it is to be added into {shape:en}.
    An in-place operation cannot make its tensor larger: use the one that makes a new tensor.""",
    """乘积是{result:zh}，却要加进{shape:zh}。
    就地操作不能让张量变大：请改用生成新张量的操作。""",
)
INPLACE_OUTER_DIMENSIONS = ErrorKind(
    "inplace-outer-dimensions",
    RuntimeError,
    "2D tensor expected, got {ndim}D tensor for input",
    """An outer product is a matrix, and is added in place into a matrix only.
    Use `addr`, which makes a new tensor.""",
    """外积是矩阵，就地只能加进矩阵。
    请用生成新张量的 `addr`。""",
)
INPLACE_OUTER = ErrorKind(
    "inplace-outer",
    RuntimeError,
    "size mismatch, input: {shape}, v1: {rows}, v2: {columns}",
    """The outer product has another size than the matrix it is to be added into.
    Use `addr`, which makes a new tensor.""",
    """外积的大小与要加进去的矩阵不同。
    请用生成新张量的 `addr`。""",
)
DETACH_VIEW = ErrorKind(
    "detach-view",
    RuntimeError,
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, "
    "and"
    " gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called"
    " on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in"
    " torch/optim/optimizer.py as the solution.",
    """{tensor} shares its memory with another tensor and cannot leave the graph alone.
    Use `detach()`, which gives a new tensor.""",
    """{tensor} 与另一个张量共享内存，不能单独离开计算图。
    请用 `detach()`，它会给出一个新的张量。""",
)
DATA_TYPE = ErrorKind(
    "data-type",
    TypeError,
    "Variable data has to be a tensor, but got {type}",
    """A tensor is needed here, and `{type}` was given.
    Wrap the numbers in `torch.tensor(...)`.""",
    """这里需要张量，给的却是 `{type}`。
    请用 `torch.tensor(...)` 把这些数包起来。""",
)
DATA_DTYPE = ErrorKind(
    "data-dtype",
    RuntimeError,
    "data set to a tensor that requires gradients must be floating point or complex dtype",
    """{tensor} requires a gradient, so its values must stay floating point.
    Convert the new values with `.float()`.""",
    """{tensor} 需要梯度，所以它的值必须保持浮点类型。
    请先用 `.float()` 转换新的值。""",
)
NOT_WRITABLE = ErrorKind(
    "not-writable",
    AttributeError,
    "attribute '{name}' of 'torch._C.TensorBase' objects is not writable",
    """`{name}` follows from how the tensor was made and cannot be set.
    Make a new tensor that has what you need.""",
    """`{name}` 由张量的创建方式决定，不能赋值。
    请创建一个符合需要的新张量。""",
)
PARTIAL_OVERLAP = ErrorKind(
    "partial-overlap",
    RuntimeError,
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory"
    " location. "
    "Please clone() the tensor before performing the operation.",
    """What is written and what is read share a part of their memory, so the result would depend on the order.
    Read from a copy: `.clone()`.""",
    """写入的部分与读取的部分共用一段内存，结果会取决于先后顺序。
    请从副本读取：`.clone()`。""",
)
OVERLAPPING_WRITE = ErrorKind(
    "overlapping-write",
    RuntimeError,
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation.",
    """Several elements of {tensor} are one and the same number in memory, as after `expand`.
    Writing to one would change the others: `clone()` it first.""",
    """{tensor} 的多个元素在内存里是同一个数（例如 `expand` 之后）。
    写入其中一个会改变其他的：请先 `clone()`。""",
)
FORMAT_TENSOR = ErrorKind(
    "format-tensor",
    TypeError,
    "unsupported format string passed to {type}.__format__",
    """A format such as `:.2f` is for one number, and {tensor} has more than one.
    Format the elements one by one, or print the tensor as it is.""",
    """`:.2f` 这样的格式只用于单个数，而 {tensor} 有多个元素。
    请逐个格式化元素，或直接打印张量。""",
)
DEEPCOPY_NON_LEAF = ErrorKind(
    "deepcopy-non-leaf",
    RuntimeError,
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
    "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001",
    """{tensor} was computed from others, and a copy cannot take its graph along.
    Where an object keeps it, keep its `detach()` there; or copy the parameters alone, by their `detach().clone()`.""",
    """{tensor} 是计算得到的，复制时无法带走它的计算图。
    如果是某个对象保存了它，请在那里保存它的 `detach()`；或者只用 `detach().clone()` 复制参数。""",
)
