"""Errors of modules, optimizers and the tools of training."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

NO_FORWARD = ErrorKind(
    "no-forward",
    NotImplementedError,
    'Module [{type}] is missing the required "forward" function',
    """A module computes in its method `forward`. `{type}` has none; check the spelling and the indentation.""",
    """模块在 `forward` 方法中计算。`{type}` 没有这个方法，请检查拼写和缩进。""",
)

MODULE_NOT_BEGUN = ErrorKind(
    "module-not-begun",
    AttributeError,
    "cannot assign {what} before Module.__init__() call",
    """Call `super().__init__()` first in the `__init__` of a module: it makes room for parameters and modules.""",
    """请在模块的 `__init__` 中先调用 `super().__init__()`，它为参数和子模块准备位置。""",
)

MODULE_ASSIGNMENT = ErrorKind(
    "module-assignment",
    TypeError,
    "cannot assign '{given}' as {what} '{name}' ({wanted} expected)",
    """`{name}` is a registered {what}; only its own kind, or None, can take its place. Delete it first for another.""",
    """`{name}` 已登记为 {what}，只能换成同类的值或 None。要换成别的，请先删除它。""",
)

MODULE_REGISTER = ErrorKind(
    "module-register",
    TypeError,
    "cannot assign '{given}' object to {what} '{name}' (torch.nn.Parameter or None required)",
    """A parameter has to be an `nn.Parameter`: wrap the tensor `{name}` in one.""",
    """参数必须是 `nn.Parameter`，请用它包装张量 `{name}`。""",
)

BUFFER_TYPE = ErrorKind(
    "buffer-type",
    TypeError,
    "cannot assign '{given}' object to buffer '{name}' (torch Tensor or None required)",
    """A buffer is a tensor. Wrap the value of `{name}` in `torch.tensor(...)`.""",
    """缓冲区是张量。请用 `torch.tensor(...)` 包装 `{name}` 的值。""",
)

PARAMETER_NON_LEAF = ErrorKind(
    "parameter-non-leaf",
    ValueError,
    "Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To express"
    " '{name}' as a function of another Tensor, compute the value in the forward() method.",
    """A parameter is a leaf. Compute `{name}` in `forward` instead.""",
    """参数是叶子张量。请在 `forward` 中计算 `{name}`。""",
)

NO_MODULE_SUBCLASS = ErrorKind(
    "no-module-subclass",
    TypeError,
    "{given} is not a Module subclass",
    """Only modules can stand here. Functions have module forms: `nn.ReLU()` for `F.relu`.""",
    """这里只能放模块。函数有对应的模块，例如 `F.relu` 对应 `nn.ReLU()`。""",
)

MODULE_NAME_TYPE = ErrorKind(
    "module-name-type",
    TypeError,
    "{what} name should be a string. Got {type}",
    """Parameters, buffers and modules are registered under a name.""",
    """参数、缓冲区和模块以名字登记，名字是字符串。""",
)

MODULE_NAME_TAKEN = ErrorKind(
    "module-name-taken",
    KeyError,
    "attribute '{name}' already exists",
    """The module already has an attribute `{name}`. Choose another name.""",
    """模块已有属性 `{name}`，请换一个名字。""",
)

MODULE_NAME = ErrorKind(
    "module-name",
    KeyError,
    "{what} name {reason}",
    """Names are joined with dots into paths, so they can neither be empty nor hold a dot.""",
    """名字用点连接成路径，因此不能为空，也不能含有点。""",
)

NO_SUBMODULE = ErrorKind(
    "no-submodule",
    AttributeError,
    "{type} has no attribute `{name}`",
    """There is no module at this path. Print the model to see its paths.""",
    """此路径上没有模块。打印模型可以看到所有路径。""",
)

NOT_OF_KIND = ErrorKind(
    "not-of-kind",
    AttributeError,
    "`{name}` is not {kind}",
    """The path leads to something else. Print the model to see its paths.""",
    """这条路径指向别的东西。打印模型可以看到所有路径。""",
)

TRAINING_MODE = ErrorKind(
    "training-mode",
    ValueError,
    "training mode is expected to be boolean",
    """`train()` takes True or False.""",
    """`train()` 的参数是 True 或 False。""",
)

STATE_TYPE = ErrorKind(
    "state-type",
    TypeError,
    "Expected state_dict to be dict-like, got <class '{type}'>.",
    """`load_state_dict` takes what `state_dict()` gives.""",
    """`load_state_dict` 的参数是 `state_dict()` 的结果。""",
)

STATE_LOADING = ErrorKind(
    "state-loading",
    RuntimeError,
    "Error(s) in loading state_dict for {type}:\n\t{complaints}",
    """The state does not fit this module: paths or shapes differ. With `strict=False` paths may differ.""",
    """状态与模块不符：路径或形状不同。`strict=False` 允许路径不同。""",
)

MODULE_ARGUMENT = ErrorKind(
    "module-argument",
    ValueError,
    "{message}",
    """An argument of the module is out of its range.
    The message names it; compare it with the sizes of the layer and of its input.""",
    """模块的某个参数超出范围。
    报错信息指出了是哪一个，请对照层的大小和输入的大小。""",
)

MODULE_RUNTIME = ErrorKind(
    "module-runtime",
    RuntimeError,
    "{message}",
    """The module cannot work with what it was given.
    The message says what it wants; compare it with the `shape` and the `dtype` of the input.""",
    """模块无法处理所给的内容。
    报错信息说明了它需要什么，请对照输入的 `shape` 和 `dtype`。""",
)

MODULE_TYPE = ErrorKind(
    "module-type",
    TypeError,
    "{message}",
    """An argument of the module is of another type than expected.
    The message names both types; numbers and lists become a tensor with `torch.tensor(...)`.""",
    """模块的某个参数类型不符。
    报错信息写出了两种类型；数字和列表可以用 `torch.tensor(...)` 变成张量。""",
)

MODULE_ASSERTION = ErrorKind(
    "module-assertion",
    AssertionError,
    "{message}",
    """The module expects arguments that fit together.
    The message says which; a size that is divided must be a multiple of the number of parts.""",
    """模块要求各个参数互相匹配。
    报错信息指出了是哪些；需要等分的大小必须是份数的倍数。""",
)

PADDING_IDX = ErrorKind(
    "padding-idx",
    AssertionError,
    "Padding_idx must be within num_embeddings",
    """`padding_idx` is the number of a row of the table.""",
    """`padding_idx` 是表中某一行的编号。""",
)

NO_PARAMETERS = ErrorKind(
    "no-parameters",
    ValueError,
    "optimizer got an empty parameter list",
    """The optimizer has nothing to change. A generator can be used only once, and a model may have no parameters.""",
    """优化器没有可更新的参数。生成器只能用一次；模型也可能没有参数。""",
)

PARAMETERS_TYPE = ErrorKind(
    "parameters-type",
    TypeError,
    "params argument given to the optimizer should be an iterable of Tensors or dicts, but got {type}",
    """Put the tensor into a list: `[w]`.""",
    """请把张量放进列表：`[w]`。""",
)

PARAMETER_TYPE = ErrorKind(
    "parameter-type",
    TypeError,
    "optimizer can only optimize Tensors, but one of the params is {type}",
    """Every element has to be a tensor.""",
    """每个元素都必须是张量。""",
)

OPTIMIZE_NON_LEAF = ErrorKind(
    "optimize-non-leaf",
    ValueError,
    "can't optimize a non-leaf Tensor",
    """An optimizer changes leaves. Make the tensor one: `.detach().requires_grad_()`.""",
    """优化器只更新叶子张量。请用 `.detach().requires_grad_()` 得到叶子张量。""",
)

RESUMED_SCHEDULE = ErrorKind(
    "resumed-schedule",
    KeyError,
    "{message}",
    """A schedule that goes on from an epoch needs the state of its optimizer: load that first.""",
    """从某个轮次继续的学习率调度需要优化器的状态，请先加载它。""",
)

OPTIMIZER_ARGUMENT = ErrorKind(
    "optimizer-argument",
    ValueError,
    "{message}",
    """A setting of the optimizer is out of its range.
    A learning rate is not negative, and momenta such as `betas` lie between 0 and 1.""",
    """优化器的某个设置超出范围。
    学习率不能为负，`betas` 这样的动量要在 0 和 1 之间。""",
)

DATA_SIZES = ErrorKind(
    "data-sizes",
    AssertionError,
    "Size mismatch between tensors",
    """The tensors of a dataset have one first dimension: the number of samples.""",
    """数据集中各张量的第一维（样本数）要相同。""",
)

NOT_CALLABLE_LIST = ErrorKind(
    "not-callable-list",
    RuntimeError,
    "{type} should not be called.",
    """A {type} only holds parameters. Use them one by one.""",
    """{type} 只存放参数，请逐个使用。""",
)
MODULE_INDEX = ErrorKind(
    "module-index",
    IndexError,
    "{message}",
    """A dimension is counted from 0, or from the end with negative numbers.
    The tensor has fewer.""",
    """维度从 0 开始编号，负数表示从末尾数起。
    这个张量没有那么多维。""",
)
