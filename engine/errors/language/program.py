"""Errors of programs: names, attributes and modules, what the gate refuses, limits, and what Python itself raises."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

# ---- names, attributes, modules

NO_ATTRIBUTE = ErrorKind(
    "no-attribute",
    AttributeError,
    "'{type}' object has no attribute '{name}'",
    """An object of type `{type}` has nothing called `{name}`.
    Check the spelling, and whether the object is of the type you expect.""",
    """`{type}` 类型的对象没有 `{name}`。
    请检查拼写，以及对象是否是你以为的类型。""",
)
NO_COMPILED_FORM = ErrorKind(
    "no-compiled-form",
    AttributeError,
    "'{type}' object has no attribute '{name}'",
    """`torch.jit.script`, `torch.jit.trace` and `torch.compile` give back what they are given: the \
program runs as it is written, and there is no second form of it with a `.{name}`.
    The picture shows the graph of what ran; `print(model)` lists the layers, and `torch.fx.symbolic_trace(model)` has a graph and a code.""",
    """`torch.jit.script`、`torch.jit.trace` 和 `torch.compile` 会原样返回收到的对象：程序按所写的那样运行，\
没有另一种带 `.{name}` 的形式。
    运行图就是实际运行的计算图；`print(model)` 会列出各层，`torch.fx.symbolic_trace(model)` 有计算图和代码。""",
)
NO_TYPE_ATTRIBUTE = ErrorKind(
    "no-type-attribute",
    AttributeError,
    "type object '{type}' has no attribute '{name}'",
    """The class `{type}` has nothing called `{name}`.
    Check the spelling.""",
    """类 `{type}` 没有 `{name}`。
    请检查拼写。""",
)
NO_MODULE_ATTRIBUTE = ErrorKind(
    "no-module-attribute",
    AttributeError,
    "module '{module}' has no attribute '{name}'",
    """`{module}` has nothing called `{name}`.
    Check the spelling; the operations that are there are listed in the reference.""",
    """`{module}` 里没有 `{name}`。
    请检查拼写；可用的操作见参考手册。""",
)
REMOVED_FROM_NUMPY = ErrorKind(
    "removed-from-numpy",
    AttributeError,
    "{message}",
    """NumPy has no `np.{name}` any more; the message names what took its place.
    As a dtype, Python's own `float`, `int` and `bool` do.""",
    """NumPy 已经没有 `np.{name}`；报错里写明了代替它的名字。
    作为 dtype 时，用 Python 自己的 `float`、`int`、`bool` 即可。""",
)
NOT_PROVIDED = ErrorKind(
    "not-provided",
    AttributeError,
    "{name} exists in PyTorch but is not available in Gradflow",
    """`{name}` is part of PyTorch, but Gradflow does not have it.
    It {what}.
    Write {instead} instead.
    The operations in the reference are there to express it with.""",
    """`{name}` 是 PyTorch 的一部分，但 Gradflow 没有提供。
    它{what_zh}。
    请改为：{instead_zh}。
    也可以用参考手册里的操作来表达。""",
)
ARGUMENT_NOT_PROVIDED = ErrorKind(
    "argument-not-provided",
    NotImplementedError,
    "{function}: argument '{argument}' exists in PyTorch but is not available in Gradflow",
    """`{function}` is there, but without `{argument}`.
    It {what}.
    Write {instead} instead.
    Leave it out, or express it with other operations.""",
    """`{function}` 可以用，但没有提供 `{argument}`。
    它{what_zh}。
    请改为：{instead_zh}。
    请去掉它，或用其他操作来表达。""",
)
MODULE_NOT_PROVIDED = ErrorKind(
    "module-not-provided",
    ImportError,
    "{name} exists in PyTorch but is not available in Gradflow",
    """`{name}` is part of PyTorch, but Gradflow does not have it.
    It {what}.
    Write {instead} instead.
    The operations in the reference are there to express it with.""",
    """`{name}` 是 PyTorch 的一部分，但 Gradflow 没有提供。
    它{what_zh}。
    请改为：{instead_zh}。
    也可以用参考手册里的操作来表达。""",
)
NO_IMPORT_NAME = ErrorKind(
    "no-import-name",
    ImportError,
    "cannot import name '{name}' from '{module}'",
    """`{module}` has nothing called `{name}` that could be imported.
    Check the spelling.""",
    """`{module}` 里没有可以导入的 `{name}`。
    请检查拼写。""",
)
NO_MODULE = ErrorKind(
    "no-module",
    ModuleNotFoundError,
    "No module named '{module}'{plain}",
    """There is no module `{module}` here.
    `{module}` {what}.
    Write {instead} instead.
    Programs can import torch, numpy and a few modules of Python's library such as math.""",
    """这里没有 `{module}` 模块。
    `{module}` {what_zh}。
    请改为：{instead_zh}。
    程序可以导入 torch、numpy 以及 Python 标准库中的少数模块，例如 math。""",
)
DATA_ELSEWHERE = ErrorKind(
    "data-elsewhere",
    RuntimeError,
    "{name} cannot be used in this playground: its data would come from the network",
    """`{name}` reads files or downloads them, and a run here has neither files nor a network.
    Take random data of the same shape instead, for example `torch.rand(64, 1, 28, 28)` for images of MNIST and
    `torch.randint(10, (64,))` for their labels.""",
    """`{name}` 要读取或下载文件，而这里的程序既没有文件也没有网络。
    请换成同样形状的随机数据，例如用 `torch.rand(64, 1, 28, 28)` 代替 MNIST 图像，用 `torch.randint(10, (64,))` 代替标签。""",
)
MODEL_ELSEWHERE = ErrorKind(
    "model-elsewhere",
    RuntimeError,
    "{name} cannot be used in this playground: the model and its weights are in another package",
    """`{name}` makes a network of millions of parameters, whose weights would come from the network.
    Write a small one with `torch.nn` that takes the same images and gives as many numbers, for example
    `nn.Sequential(nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 1000))`:
    what the program does with it is the same.""",
    """`{name}` 会建立一个有数百万参数的网络，其权重要从网络下载。
    请用 `torch.nn` 写一个输入相同、输出个数相同的小网络，例如
    `nn.Sequential(nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 1000))`；
    程序对它所做的事是一样的。""",
)

# ---- what the gate refuses

MODULE_REFUSED = ErrorKind(
    "module-refused",
    ImportError,
    "the module {module} cannot be used in this playground",
    """`{module}` is a module of Python's that programs cannot have here.
    It {what}.
    Write {instead} instead.
    Closed is what reaches files, the network or Python itself, and what hardly any program needs.
    Programs can import torch, numpy and a few modules of Python's library such as math.""",
    """`{module}` 是 Python 的模块，但这里的程序不能使用。
    它{what_zh}。
    请改为：{instead_zh}。
    触及文件、网络或 Python 本身的模块，以及几乎没有程序需要的模块，都不开放。
    程序可以导入 torch、numpy 以及 Python 标准库中的少数模块，例如 math。""",
)
ATTRIBUTE_REFUSED = ErrorKind(
    "attribute-refused",
    AttributeError,
    "'{type}' object: the attribute '{name}' cannot be used in this playground",
    """`{name}` belongs to the inner life of Python or of the library, and programs from the web have no access to it.
    Write {instead} instead.
    Write the program without it.""",
    """`{name}` 属于 Python 或库的内部，来自网页的程序不能使用。
    请改为：{instead_zh}。
    请不用它来写程序。""",
)
READ_ONLY = ErrorKind(
    "read-only",
    AttributeError,
    "'{type}' object attribute '{name}' is read-only",
    """`{name}` can be read but not set.
    Keep the value in a variable of your own.""",
    """`{name}` 只能读取，不能赋值。
    请把值放在自己的变量里。""",
)
RESULT_FIELD = ErrorKind(
    "result-field",
    AttributeError,
    "readonly attribute",
    """The results of an operation come as a tuple, whose fields cannot be set.
    Keep the value in a variable of your own.""",
    """运算的多个结果以元组给出，其字段不能赋值。
    请把值放在自己的变量里。""",
)
CALL_REFUSED = ErrorKind(
    "call-refused",
    RuntimeError,
    "{name} cannot be used in this playground",
    """`{name}` reaches outside of the program, to files, to the network or into Python itself.
    Write the program without it.""",
    """`{name}` 会触及程序之外：文件、网络或 Python 本身。
    请不用它来写程序。""",
)

DERIVED_TENSOR = ErrorKind(
    "derived-tensor",
    RuntimeError,
    "a class derived from {name} cannot be used in this playground",
    """`{name}` is a tensor of the engine, and no class of the program can take its place.
    Write a class that holds the tensor and defines `__torch_function__(cls, func, types, args, kwargs)` as a class method:
    the functions of `torch` call it when they are given such an object.""",
    """`{name}` 是引擎的张量，程序的类不能代替它。
    请写一个持有张量的类，并定义类方法 `__torch_function__(cls, func, types, args, kwargs)`：`torch` 的函数遇到这样的对象时会调用它。""",
)

# ---- limits

TIME_LIMIT = ErrorKind(
    "time-limit",
    TimeoutError,
    "the program was stopped after {seconds} s",
    """The program was still running after {seconds} seconds, so it was stopped.
    Look for a loop that does not end, or take smaller numbers.""",
    """程序运行 {seconds} 秒后仍未结束，已被停止。
    请检查有没有不会结束的循环，或者减小规模。""",
)
MEMORY_LIMIT = ErrorKind(
    "memory-limit",
    MemoryError,
    "the program used more than {megabytes} MB of memory",
    """The program asked for more memory than the {megabytes} MB that a run may use.
    Take smaller tensors, or fewer of them.""",
    """程序需要的内存超过了一次运行允许的 {megabytes} MB。
    请使用更小或更少的张量。""",
)
ALLOCATION = ErrorKind(
    "allocation",
    RuntimeError,
    "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate"
    " {bytes} bytes. Error code 12 (Cannot allocate memory)",
    """A single tensor of {bytes} bytes does not fit into memory.
    Take smaller sizes; a picture of gradients needs only a few elements.""",
    """一个 {bytes} 字节的张量放不进内存。
    请减小各维的大小；看清梯度只需要几个元素。""",
)
STORAGE_OVERFLOW = ErrorKind(
    "storage-overflow",
    RuntimeError,
    "Storage size calculation overflowed with sizes={shape}",
    """The sizes {shape} multiply to more bytes than can be counted.
    Take smaller sizes.""",
    """大小 {shape} 相乘得到的字节数大到无法表示。
    请减小各维的大小。""",
)
OPERATIONS_LIMIT = ErrorKind(
    "operations-limit",
    RuntimeError,
    "the program ran more than {limit} operations",
    """Every operation becomes a part of the picture, and there are more than {limit} of them.
    Let the loop turn fewer times.""",
    """每个操作都会成为图的一部分，而这里超过了 {limit} 个。
    请减少循环的次数。""",
)
OUTPUT_LIMIT = ErrorKind(
    "output-limit",
    RuntimeError,
    "the program printed more than {limit} characters",
    """The program printed more than {limit} characters and was stopped.
    Print less, or outside of the loop.""",
    """程序打印的内容超过了 {limit} 个字符，已被停止。
    请少打印一些，或把打印移到循环之外。""",
)
INTEGER_LIMIT = ErrorKind(
    "integer-limit",
    OverflowError,
    "the result of {operator} would have more than {bits} bits",
    """This whole number would be so large that the computer could not finish writing it down.
    Use floating point (`10.0`), or smaller numbers.""",
    """这个整数会大到计算机写不完。
    请使用浮点数（`10.0`）或更小的数。""",
)
# ---- the text of the program

SOURCE_TOO_LONG = ErrorKind(
    "source-too-long",
    SyntaxError,
    "the program is longer than {kibibytes} KiB",
    """A program may have at most {kibibytes} KiB.
    Leave out what does not concern the gradient.""",
    """程序最多 {kibibytes} KiB。
    请去掉与梯度无关的部分。""",
)
TOO_DEEP = ErrorKind(
    "too-deep",
    SyntaxError,
    "the program is nested too deeply",
    """Brackets, operators or blocks stand inside each other more deeply than can be read.
    Name intermediate results and use these.""",
    """括号、运算或代码块嵌套得太深，无法读取。
    请给中间结果命名后再使用。""",
)
INVALID_CHARACTER = ErrorKind(
    "invalid-character",
    SyntaxError,
    "invalid character '{character}' ({codepoint})",
    """`{character}` looks like a character of Python but is another one, as typed by a Chinese keyboard or copied \
from a web page.
    Type `{replacement}` instead.""",
    """`{character}` 看起来像 Python 的符号，其实是另一个字符，多半来自中文输入法或网页。
    请改成英文的 `{replacement}`。""",
)
UNREADABLE_CHARACTER = ErrorKind(
    "unreadable-character",
    SyntaxError,
    "source code contains a character that is no text ({codepoint})",
    """The program holds a character that cannot be text, probably because a file was not copied as text.
    Delete it, or copy the program again.""",
    """程序里有一个不能显示的字符，可能是复制时出了问题。
    请删掉它，或重新复制程序。""",
)
NOT_ALLOWED = ErrorKind(
    "not-allowed",
    SyntaxError,
    "{construct} cannot be used in this playground",
    """Gradflow runs programs from the web, and {construct} would let them reach further than they may.
    Write the program without it.""",
    """Gradflow 运行来自网页的程序，而{construct_zh}会让它们越界。
    请不用它来写程序。""",
)

NO_WAITING = ErrorKind(
    "no-waiting",
    SyntaxError,
    "{construct} cannot be used in this playground",
    """Functions that wait for each other (`async def`, `await`) need a loop that runs them in turns, and a run here has none.
    Write plain functions, `def` without `async`, and call one after the other.""",
    """会互相等待的函数（`async def`、`await`）需要一个轮流运行它们的事件循环，而这里的程序没有。
    请写成普通函数：去掉 `async` 与 `await`，依次直接调用。""",
)

# ---- the process that ran the program

PROCESS_DIED = ErrorKind(
    "killed",
    RuntimeError,
    "the process of the program ended before the program did ({reason})",
    """The process that ran the program was ended from outside ({reason}), so nothing of this run is left to show.
    Take smaller numbers, or less nesting.""",
    """运行程序的进程被外部终止（{reason}），因此这次运行没有可以显示的内容。
    请减小规模，或减少嵌套层数。""",
)
TRACE_LIMIT = ErrorKind(
    "trace-limit",
    RuntimeError,
    "the recorded run is larger than {megabytes} MB",
    """Every value and every gradient becomes a part of the picture, and together they are larger than {megabytes} MB.
    Take smaller tensors, or let the loop turn fewer times.""",
    """每个值和每个梯度都会成为图的一部分，它们合起来超过了 {megabytes} MB。
    请使用更小的张量，或减少循环的次数。""",
)
UNEXPLAINED = ErrorKind(
    "unexplained",
    RuntimeError,
    "{message}",
    """The program raised this error, and looking at it more closely failed too: it holds something that cannot be read.
    Only its name, its words and its place are told.""",
    """程序抛出了这个错误，但进一步分析也失败了：其中有无法读取的内容。
    这里只给出它的名称、文字和位置。""",
)
UNTOLD = ErrorKind(
    "untold",
    RuntimeError,
    "the program ran to its end, and the record of its run could not be written ({reason})",
    """The program ran to its end, but the picture of its run could not be made ({reason}), so only its output is told.
    Take smaller numbers, or less nesting.""",
    """程序已运行结束，但无法生成这次运行的图（{reason}），因此只给出它的输出。
    请减小规模，或减少嵌套层数。""",
)
ENGINE_FAILED = ErrorKind(
    "engine-failed",
    RuntimeError,
    "Gradflow itself failed while this program ran",
    """The fault is Gradflow's, not the program's: something inside failed, and the failure was logged.
    Another way to write the same may work.""",
    """这是 Gradflow 自身的错误，与程序无关：内部出了故障，并已记入日志。
    换一种写法也许可以运行。""",
)

# ---- files

NO_FILE = ErrorKind(
    "no-file",
    FileNotFoundError,
    "[Errno 2] No such file or directory: '{path}'",
    """Nothing was saved under `{path}` in this run, and there are no files here.
    Save it earlier in the same program, or make the tensors with `torch.randn`.""",
    """本次运行没有在 `{path}` 下保存过任何内容，这里也没有文件。
    请在同一个程序里先保存，或用 `torch.randn` 生成张量。""",
)
FILE_KIND = ErrorKind(
    "file-kind",
    AttributeError,
    "{message}",
    """`torch.save` and `torch.load` take a path or an `io.BytesIO`.
    What is saved is kept for this run only.""",
    """`torch.save` 和 `torch.load` 接受路径或 `io.BytesIO`。
    保存的内容只在本次运行中有效。""",
)
