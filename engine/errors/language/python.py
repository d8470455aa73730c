"""What Python itself raises in a program, told apart by type; the message is Python's."""

from __future__ import annotations

import re

from gradflow.engine.errors.error_kind import ErrorKind
from gradflow.engine.errors.language import arguments, mistakes, syntax

SYNTAX = ErrorKind(
    "syntax",
    SyntaxError,
    "{message}",
    """Python cannot read the program at this place.
    Look for a missing bracket, quote or colon here or in the line before.""",
    """Python 读不懂程序的这个地方。
    请检查这里或上一行是否缺了括号、引号或冒号。""",
)
INDENTATION = ErrorKind(
    "indentation",
    IndentationError,
    "{message}",
    """The spaces at the beginning of this line do not fit the block around it.
    Lines of one block begin in the same column.""",
    """这一行开头的空格与所在的代码块不一致。
    同一个代码块的各行要从同一列开始。""",
)
NAME = ErrorKind(
    "name",
    NameError,
    "{message}",
    """Nothing called `{name}` has been defined up to here.
    Check the spelling, and that the line which defines it comes first.""",
    """到这里为止还没有定义过 `{name}`。
    请检查拼写，以及定义它的那一行是否在前面。""",
)
UNBOUND_LOCAL = ErrorKind(
    "unbound-local",
    UnboundLocalError,
    "{message}",
    """Because the function assigns to this name somewhere, it is a name of its own, and it has no value yet.
    Use another name, or write `global` or `nonlocal` before it.""",
    """函数内部给这个名字赋过值，所以它是函数自己的变量，而这时还没有值。
    请换一个名字，或在前面写 `global` 或 `nonlocal`。""",
)
ATTRIBUTE = ErrorKind(
    "attribute",
    AttributeError,
    "{message}",
    """The object has no attribute of this name.
    Check the spelling, and whether the object is of the type you expect.""",
    """这个对象没有这个名字的属性。
    请检查拼写，以及对象是否是你以为的类型。""",
)
NONE_ATTRIBUTE = ErrorKind(
    "none-attribute",
    AttributeError,
    "{message}",
    """The value before the dot is `None`.
    A `.grad` is `None` until a backward pass has reached the leaf; a function without `return` gives `None` too.""",
    """点号前面的值是 `None`。
    反向传播到达叶子张量之前，`.grad` 一直是 `None`；没有 `return` 的函数也会返回 `None`。""",
)
IMPORT = ErrorKind(
    "import",
    ImportError,
    "{message}",
    """What is to be imported is not there.
    Programs can import torch, numpy and a few modules of Python's library such as math.""",
    """要导入的东西不存在。
    程序可以导入 torch、numpy 以及 Python 标准库中的少数模块，例如 math。""",
)
TYPE = ErrorKind(
    "type",
    TypeError,
    "{message}",
    """A value has another type than this place needs.
    Print `type(...)` of the values to see which one it is.""",
    """有一个值的类型不符合这里的需要。
    可以打印各个值的 `type(...)` 看看是哪一个。""",
)
VALUE = ErrorKind(
    "value",
    ValueError,
    "{message}",
    """A value has the right type, but this place cannot use it.
    Print the values that go in to see which one it is.""",
    """值的类型正确，但这里不能使用这个值。
    可以打印传入的各个值看看是哪一个。""",
)
INDEX = ErrorKind(
    "index",
    IndexError,
    "{message}",
    """The sequence has no element with this number.
    Numbers count from 0, so the last one is the length less one.""",
    """序列里没有这个编号的元素。
    编号从 0 开始，最后一个是长度减一。""",
)
KEY = ErrorKind(
    "key",
    KeyError,
    "{message}",
    """The dictionary has no entry under this key.
    Check the spelling, or use `.get(...)`, which gives `None` for what is not there.""",
    """字典里没有这个键。
    请检查拼写，或使用 `.get(...)`，键不存在时它返回 `None`。""",
)
ZERO_DIVISION = ErrorKind(
    "zero-division",
    ZeroDivisionError,
    "{message}",
    """A Python number was divided by zero.
    Unlike tensors, which give infinity, Python refuses.""",
    """有一个 Python 的数被零除了。
    张量会得到无穷大，而 Python 的数会报错。""",
)
RECURSION = ErrorKind(
    "recursion",
    RecursionError,
    "{message}",
    """A function kept calling itself until Python stopped it.
    Check the condition under which it ends.""",
    """函数不断调用自己，直到被 Python 停下。
    请检查结束递归的条件。""",
)
MEMORY = ErrorKind(
    "memory",
    MemoryError,
    "{message}",
    """The program asked for more memory than a run may use.
    Take smaller numbers.""",
    """程序需要的内存超过了一次运行允许的量。
    请减小规模。""",
)
ASSERTION = ErrorKind(
    "assertion",
    AssertionError,
    "{message}",
    """An `assert` of the program did not hold.
    Print the values in its condition.""",
    """程序中的 `assert` 条件不成立。
    可以打印条件中的各个值。""",
)
UNCLASSIFIED = ErrorKind(
    "exception",
    Exception,
    "{message}",
    """The program raised `{type}` here, and nothing caught it.
    The message comes from the program or from Python, and Gradflow has nothing to add to it.""",
    """程序在这里抛出了 `{type}`，没有被捕获。
    信息来自程序本身或 Python，Gradflow 没有更多可以补充的。""",
)

_BY_TYPE = (
    INDENTATION,
    SYNTAX,
    UNBOUND_LOCAL,
    NAME,
    ATTRIBUTE,
    IMPORT,
    KEY,
    INDEX,
    ZERO_DIVISION,
    RECURSION,
    MEMORY,
    ASSERTION,
    TYPE,
    VALUE,
)


_PATTERNS = (
    (r"(?P<function>[\w.<>]+)\(\) got an unexpected keyword argument '(?P<keyword>\w+)'", arguments.UNEXPECTED_KEYWORD),
    (r"(?P<function>[\w.<>]+)\(\) missing \d+ required .*: (?P<name>.+)", arguments.MISSING_PYTHON_ARGUMENT),
    (r"(?P<function>[\w.<>]+)\(\) takes (?P<expected>.+) but (?P<given>.+) given", arguments.TOO_MANY_ARGUMENTS),
)
"""Messages of Python's own that say the same as an entry of PyTorch's."""


def _needs_self(error_kind: ErrorKind, details: dict[str, object]) -> tuple[ErrorKind, dict[str, object]]:
    """A method that got one argument more than it takes, or gets none: the object itself has no name there."""
    counts = [re.search(r"\d+", str(details.get(name, ""))) for name in ("expected", "given")]
    expected, given = (int(count[0]) if count else -2 for count in counts)
    if error_kind is arguments.TOO_MANY_ARGUMENTS and given == expected + 1 and "." in str(details.get("function")):
        return mistakes.NEEDS_SELF, details
    return error_kind, details


def recognise(error: BaseException) -> tuple[ErrorKind, dict[str, object]]:
    """The entry for an exception that no entry raised, by its message or its type, and the details in its message."""
    if isinstance(error, SyntaxError) and (read := syntax.recognise_text(error.msg or "")):
        return read
    builtin = type(error).__module__ == "builtins"
    message = str(error) if type(error) in (TypeError, AttributeError) else ""
    for pattern, kind in _PATTERNS:
        if found := re.fullmatch(pattern, message):
            return _needs_self(kind, dict(found.groupdict()))
    if builtin and (known := mistakes.recognise_mistake(error)):
        return known
    if message.startswith("'NoneType' object has no attribute"):
        return NONE_ATTRIBUTE, {}
    # The order is that of the table: subclasses stand before their bases.
    return next((kind for kind in _BY_TYPE if isinstance(error, kind.type)), UNCLASSIFIED), {}
