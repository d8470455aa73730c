"""What Python itself raises for common mistakes; the message is Python's."""

from __future__ import annotations

import re
from typing import Final

from gradflow.engine.errors.error_kind import ErrorKind

NOT_CALLABLE = ErrorKind(
    "not-callable",
    TypeError,
    "'{type}' object is not callable",
    """Round brackets call a function, and here they stand behind `{type}`, which is none.
    Use square brackets to take an element out; leave the brackets away behind a plain value such as `x.shape`; look \
for a `*` or a comma that is missing before the bracket, and for a variable that has the name of a function.""",
    """圆括号表示调用函数，而这里括号前面是 `{type}`，不是函数。
    取元素请用方括号；`x.shape` 这样的值后面不要加括号；也可能是括号前漏了 `*` 或逗号，或者变量与函数重名。""",
)
NOT_SUBSCRIPTABLE = ErrorKind(
    "not-subscriptable",
    TypeError,
    "'{type}' object is not subscriptable",
    """Square brackets take an element out, and `{type}` has none.
    A function is called with round brackets; `None` comes from a function without `return`, and from `.grad` before a \
backward pass.""",
    """方括号用来取元素，而 `{type}` 里没有元素。
    调用函数请用圆括号；没有 `return` 的函数和反向传播之前的 `.grad` 都是 `None`。""",
)
NOT_ITERABLE = ErrorKind(
    "not-iterable",
    TypeError,
    "'{type}' object is not iterable",
    """A loop or an unpacking goes through the elements of something, and `{type}` has none.
    To repeat something n times write `range(n)`; a method is called with brackets, as in `net.parameters()`.""",
    """循环或解包要逐个取出元素，而 `{type}` 里没有元素。
    要重复 n 次请写 `range(n)`；方法要加括号调用，例如 `net.parameters()`。""",
)
NONE_OPERAND = ErrorKind(
    "none-operand",
    TypeError,
    "unsupported operand type(s) for {operator}: '{left}' and '{right}'",
    """One side of `{operator}` is `None`.
    A `.grad` is `None` until a backward pass has reached the tensor, and stays so for one that is no leaf; a function \
without `return` gives `None` too.""",
    """`{operator}` 的一边是 `None`。
    反向传播到达之前 `.grad` 一直是 `None`，非叶子张量的 `.grad` 也不会保存；没有 `return` 的函数也会返回 `None`。""",
)
OPERAND_TYPES = ErrorKind(
    "operand-types",
    TypeError,
    "unsupported operand type(s) for {operator}: '{left}' and '{right}'",
    """`{operator}` cannot combine `{left}` with `{right}`.
    Convert one of them: `str(...)` and `float(...)` between text and numbers, `torch.tensor(...)` for lists.""",
    """`{operator}` 不能用于 `{left}` 和 `{right}`。
    请转换其中一个：字符串和数之间用 `str(...)`、`float(...)`，列表用 `torch.tensor(...)`。""",
)
CONCATENATION = ErrorKind(
    "concatenation",
    TypeError,
    'can only concatenate {left} (not "{right}") to {left}',
    """`+` joins `{left}` only with another `{left}`, and this is `{right}`.
    Write `str(...)` around what is no text, or an f-string; the results of `max(dim=...)` and `sort` are tuples, \
of which `.values` is the tensor.""",
    """`+` 只能把 `{left}` 与另一个 `{left}` 连接，而这里是 `{right}`。
    不是字符串的请写成 `str(...)`，或用 f-string；`max(dim=...)` 和 `sort` 的结果是元组，其中 `.values` 才是张量。""",
)
UNORDERED = ErrorKind(
    "unordered",
    TypeError,
    "'{operator}' not supported between instances of '{left}' and '{right}'",
    """`{left}` and `{right}` have no order.
    Convert one of them, for instance with `float(...)`.""",
    """`{left}` 和 `{right}` 之间不能比较大小。
    请转换其中一个，例如用 `float(...)`。""",
)
INDICES = ErrorKind(
    "indices",
    TypeError,
    "{type} indices must be integers or slices, not {actual}",
    """An element of `{type}` is taken out by its number, and `{actual}` is no whole number.
    Divide with `//` or write `int(...)`; for entries with names use a dictionary.""",
    """`{type}` 的元素按编号取出，而 `{actual}` 不是整数。
    请用 `//` 做除法或写 `int(...)`；按名字存取请用字典。""",
)
IMMUTABLE = ErrorKind(
    "immutable",
    TypeError,
    "'{type}' object does not support item assignment",
    """`{type}` cannot be changed once it is made.
    Make a list of it with `list(...)`, or build a new one.""",
    """`{type}` 创建之后不能修改。
    请用 `list(...)` 变成列表，或者重新创建。""",
)
NO_LENGTH = ErrorKind(
    "no-length",
    TypeError,
    "object of type '{type}' has no len()",
    """`{type}` is no collection, so it has no length.
    Check which value stands in the brackets.""",
    """`{type}` 不是集合，没有长度。
    请检查括号里是哪个值。""",
)
NOT_INTEGER = ErrorKind(
    "not-integer",
    TypeError,
    "'{type}' object cannot be interpreted as an integer",
    """A whole number is needed here, and this is `{type}`.
    Divide with `//`, or write `int(...)`.""",
    """这里需要整数，而给的是 `{type}`。
    请用 `//` 做除法，或写 `int(...)`。""",
)
UNHASHABLE = ErrorKind(
    "unhashable",
    TypeError,
    "unhashable type: '{type}'",
    """Keys of dictionaries and elements of sets must never change, and `{type}` can.
    Use a tuple: `(1, 2)` in place of `[1, 2]`.""",
    """字典的键和集合的元素必须不可变，而 `{type}` 可以改变。
    请用元组：把 `[1, 2]` 写成 `(1, 2)`。""",
)
TAKES_NO_ARGUMENTS = ErrorKind(
    "takes-no-arguments",
    TypeError,
    "{type}() takes no arguments",
    """The class `{type}` has no `__init__` that could take what stands in the brackets.
    Check the spelling: two underscores before and behind, `def __init__(self, ...)`.""",
    """类 `{type}` 没有能接收这些参数的 `__init__`。
    请检查拼写：前后各两个下划线，`def __init__(self, ...)`。""",
)
NEEDS_SELF = ErrorKind(
    "needs-self",
    TypeError,
    "{function}() takes {expected} but {given} given",
    """A method gets the object itself as its first argument, so one more arrives than is written in the call.
    Begin the list of parameters of `{function}` with `self`.""",
    """方法的第一个参数是对象本身，所以收到的参数比调用时写的多一个。
    请在 `{function}` 的参数表最前面写上 `self`。""",
)
SEQUENCE_INDEX = ErrorKind(
    "sequence-index",
    IndexError,
    "{type} index out of range",
    """The {type} is shorter than this index.
    Indices count from 0, so the last one is the length less one: `range(len(v))` goes through all of them.""",
    """下标超出了 {type} 的长度。
    下标从 0 开始，最后一个是长度减一；`range(len(v))` 正好走完全部。""",
)
ARRAY_INDEX = ErrorKind(
    "array-index",
    IndexError,
    "index {index} is out of bounds for axis {axis} with size {size}",
    """Axis {axis} of the array has {size} elements, and there is no number {index} among them.
    Indices count from 0, so the last one is the length less one.""",
    """数组的第 {axis} 维有 {size} 个元素，没有编号为 {index} 的。
    下标从 0 开始，最后一个是长度减一。""",
)
EMPTY_POP = ErrorKind(
    "empty-pop",
    IndexError,
    "pop from empty {type}",
    """There is nothing left to take out of the {type}.
    Test it first: `if v:` is true while there is something in it.""",
    """{type} 里已经没有元素可取了。
    请先检查：里面还有元素时 `if v:` 才成立。""",
)
TOO_MANY_VALUES = ErrorKind(
    "too-many-values",
    ValueError,
    "too many values to unpack (expected {expected})",
    """There are {expected} names to the left of `=`, and more values to the right.
    Write one name for each value, or `*rest` for those that are left.""",
    """`=` 左边有 {expected} 个名字，右边的值却更多。
    请让名字与值一样多，多余的可以用 `*rest` 接收。""",
)
NOT_ENOUGH_VALUES = ErrorKind(
    "not-enough-values",
    ValueError,
    "not enough values to unpack (expected {expected}, got {actual})",
    """There are {expected} names to the left of `=`, and only {actual} values to the right.
    Write as many names as there are values.""",
    """`=` 左边有 {expected} 个名字，右边却只有 {actual} 个值。
    请让名字与值一样多。""",
)
NOT_A_NUMBER_TEXT = ErrorKind(
    "number-text",
    ValueError,
    "{message}",
    """The text is not written like a number of this kind.
    For `'3.5'` use `float(...)`, and `int(float(...))` for a whole number.""",
    """这段字符串不是这种数的写法。
    `'3.5'` 请用 `float(...)`，要整数请用 `int(float(...))`。""",
)
MATH_DOMAIN = ErrorKind(
    "math-domain",
    ValueError,
    "{message}",
    """The function has no value at this number, such as the root or the logarithm of a negative one.
    Tensors give NaN or infinity there: `torch.sqrt(x)`.""",
    """函数在这个数上没有定义，例如负数的平方根或对数。
    张量会得到 NaN 或无穷大：`torch.sqrt(x)`。""",
)
EMPTY_SEQUENCE = ErrorKind(
    "empty-sequence",
    ValueError,
    "{function}() arg is an empty sequence",
    """`{function}` looks for one element among several, and there is none.
    Give a `default=...`, or test first whether there is something in it.""",
    """`{function}` 要从元素中选一个，而这里一个也没有。
    请给出 `default=...`，或先检查是否为空。""",
)
NOT_IN_LIST = ErrorKind(
    "not-in-list",
    ValueError,
    "{message}",
    """The list does not hold this value.
    Ask first with `in`.""",
    """列表里没有这个值。
    请先用 `in` 检查。""",
)
ARRAY_SHAPES = ErrorKind(
    "array-shapes",
    ValueError,
    "{message}",
    """The shapes of the two NumPy arrays do not fit together.
    Compared from the last dimension backward, sizes must be equal or 1; for `@` the columns of the first must be the \
rows of the second.""",
    """两个 NumPy 数组的形状不匹配。
    从最后一维往前比，大小必须相等或为 1；对 `@` 来说，左边的列数要等于右边的行数。""",
)
FORMAT_COUNT = ErrorKind(
    "format-count",
    TypeError,
    "{message}",
    """The text has another number of places than there are values.
    Count the places, or use an f-string, in which the values stand where they are shown.""",
    """字符串中的占位符与给出的值个数不同。
    请数一数占位符；也可以用 f-string，把值直接写在要显示的位置。""",
)
GENERATOR_END = ErrorKind(
    "generator-end",
    StopIteration,
    "{message}",
    """`next` asked for one more element, and there was none left.
    Write `next(it, None)` to get `None` then, or use a `for` loop.""",
    """`next` 还要一个元素，但已经没有了。
    请写 `next(it, None)`，没有时得到 `None`；或者用 `for` 循环。""",
)

_OPERATORS: Final = r"(?P<operator>\S+(?: or pow\(\))?): '(?P<left>[\w.]+)' and '(?P<right>[\w.]+)'"
_PATTERNS: Final = (
    (r"'(?P<type>[\w.]+)' object is not callable", NOT_CALLABLE),
    (r"(?:'(?P<type>[\w.]+)' object|type '(?P<class_>[\w.]+)') is not subscriptable", NOT_SUBSCRIPTABLE),
    (r"'(?P<type>[\w.]+)' object is not iterable", NOT_ITERABLE),
    (r"cannot unpack non-iterable (?P<type>[\w.]+) object", NOT_ITERABLE),
    (rf"unsupported operand type\(s\) for {_OPERATORS}", OPERAND_TYPES),
    (r'can only concatenate (?P<left>\w+) \(not "(?P<right>[\w.]+)"\) to \w+', CONCATENATION),
    (
        r"'(?P<operator>\S+)' not supported between instances of '(?P<left>[\w.]+)' and '(?P<right>[\w.]+)'",
        UNORDERED,
    ),
    (r"(?P<type>\w+) indices must be integers(?: or slices)?, not '?(?P<actual>[\w.]+)'?", INDICES),
    (r"'(?P<type>[\w.]+)' object does not support item assignment", IMMUTABLE),
    (r"object of type '(?P<type>[\w.]+)' has no len\(\)", NO_LENGTH),
    (r"'(?P<type>[\w.]+)' object cannot be interpreted as an integer", NOT_INTEGER),
    (r"unhashable type: '(?P<type>[\w.]+)'", UNHASHABLE),
    (r"(?P<type>\w+)\(\) takes no arguments", TAKES_NO_ARGUMENTS),
    (r"(?P<type>list|tuple|string|range object|bytearray|array)(?: assignment)? index out of range", SEQUENCE_INDEX),
    (r"index (?P<index>-?\d+) is out of bounds for axis (?P<axis>\d+) with size (?P<size>\d+)", ARRAY_INDEX),
    (r"pop from (?:an )?empty (?P<type>\w+)", EMPTY_POP),
    (r"too many values to unpack \(expected (?P<expected>\d+)(?:, got \d+)?\)", TOO_MANY_VALUES),
    (
        r"not enough values to unpack \(expected (?:at least )?(?P<expected>\d+), got (?P<actual>\d+)\)",
        NOT_ENOUGH_VALUES,
    ),
    (r"invalid literal for int\(\) with base \d+: .*|could not convert string to float: .*", NOT_A_NUMBER_TEXT),
    (r"math domain error|expected a (?:positive|nonnegative) input.*", MATH_DOMAIN),
    (r"(?P<function>max|min)\(\) (?:arg|iterable argument) is (?:an empty sequence|empty)", EMPTY_SEQUENCE),
    (r".* is not in (?:list|tuple)|list\.remove\(x\): x not in list", NOT_IN_LIST),
    (r"operands could not be broadcast together with shapes .*|matmul: Input operand 1 has a mismatch.*", ARRAY_SHAPES),
    (r"not (?:enough|all) arguments (?:for|converted during) (?:format string|string formatting)", FORMAT_COUNT),
    (r"Replacement index \d+ out of range for positional args tuple", FORMAT_COUNT),
)


def recognise_mistake(error: BaseException) -> tuple[ErrorKind, dict[str, object]] | None:
    """The entry for an exception of Python's by the words of its message, and the details in them."""
    if type(error) is StopIteration:
        return GENERATOR_END, {}
    message = str(error)
    for pattern, kind in _PATTERNS:
        if found := re.fullmatch(pattern, message.strip(), re.DOTALL):
            return _of_none(kind, {name: value for name, value in found.groupdict().items() if value is not None})
    return None


def _of_none(error_kind: ErrorKind, details: dict[str, object]) -> tuple[ErrorKind, dict[str, object]]:
    absent = "NoneType" in (details.get("left"), details.get("right"))
    details.setdefault("type", details.pop("class_", "type"))
    return (NONE_OPERAND, details) if error_kind is OPERAND_TYPES and absent else (error_kind, details)
