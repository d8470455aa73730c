"""Errors of calls: names, number and types of arguments."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

UNEXPECTED_KEYWORD = ErrorKind(
    "unexpected-keyword",
    TypeError,
    "{function}() got an unexpected keyword argument '{keyword}'",
    """`{function}` has no argument called `{keyword}`.
    Check the spelling; PyTorch has renamed some arguments since 2018.""",
    """`{function}` 没有名为 `{keyword}` 的参数。
    请检查拼写；2018 年以来 PyTorch 改过一些参数的名字。""",
)
INVALID_KEYWORD = ErrorKind(
    "invalid-keyword",
    TypeError,
    "'{keyword}' is an invalid keyword argument for this function",
    """There is no argument called `{keyword}`.
    Check the spelling.""",
    """没有名为 `{keyword}` 的参数。
    请检查拼写。""",
)
MISSING_ARGUMENT = ErrorKind(
    "missing-argument",
    TypeError,
    "{function}() missing {count} required positional argument{plural}: {names}",
    """`{function}` was called without `{names}`.
    Put the missing value into the parentheses.""",
    """调用 `{function}` 时缺少 `{names}`。
    请在括号里补上。""",
)
MISSING_PYTHON_ARGUMENT = ErrorKind(
    "missing-python-argument",
    TypeError,
    "{function}() missing 1 required positional argument: '{name}'",
    """`{function}` was called without {name}.
    Put the missing value into the parentheses.""",
    """调用 `{function}` 时缺少 {name}。
    请在括号里补上。""",
)
TOO_MANY_ARGUMENTS = ErrorKind(
    "too-many-arguments",
    TypeError,
    "{function}() takes {expected} but {given} given",
    """`{function}` takes {expected}, and there are more in the parentheses.
    Leave out what is too much; options are named, as in `keepdim=True`.""",
    """`{function}` 接受的参数没有这么多。
    请去掉多余的；选项要写出名字，例如 `keepdim=True`。""",
)
NO_ARGUMENTS = ErrorKind(
    "no-arguments",
    TypeError,
    "TensorBase.{function}() takes no arguments ({given} given)",
    """`{function}` is called with empty parentheses.
    Leave out what stands in them.""",
    """`{function}` 的括号里不写任何东西。
    请去掉其中的内容。""",
)
NO_KEYWORDS = ErrorKind(
    "no-keywords",
    TypeError,
    "TensorBase.{function}() takes no keyword arguments",
    """`{function}` is called with empty parentheses.
    Leave out what stands in them.""",
    """`{function}` 的括号里不写任何东西。
    请去掉其中的内容。""",
)
REPEATED_ARGUMENT = ErrorKind(
    "repeated-argument",
    TypeError,
    "{function}() got multiple values for argument '{argument}'",
    """`{argument}` is given twice, once by its place and once by its name.
    Leave out one of the two.""",
    """`{argument}` 给了两次：一次按位置，一次按名字。
    请去掉其中一个。""",
)
UNPACK = ErrorKind(
    "size-element",
    TypeError,
    "{function}(): argument '{argument}' failed to unpack the object at pos {position} with error \"type must be tuple of "
    'ints,but got {actual}"',
    """`{argument}` is made of whole numbers, and its entry number {position} is `{actual}`.
    Round it with `int(...)`, or divide with `//`.""",
    """`{argument}` 由整数组成，而它的第 {position} 项是 `{actual}`。
    请用 `int(...)` 取整，或用 `//` 做除法。""",
)
ARGUMENT_TYPE = ErrorKind(
    "argument-type",
    TypeError,
    "{function}(): argument '{argument}' (position {position}) must be {expected}, not {actual}",
    """`{function}` needs `{expected}` for `{argument}`, and was given `{actual}`.
    Look where that value was made; numbers become a tensor with `torch.tensor(...)`.""",
    """`{function}` 的 `{argument}` 需要 `{expected}`，给的却是 `{actual}`。
    请检查这个值是在哪里得到的；数字和列表可以用 `torch.tensor(...)` 变成张量。""",
)
KEYWORD_TYPE = ErrorKind(
    "keyword-type",
    TypeError,
    "{function}(): argument '{argument}' must be {expected}, not {actual}",
    """`{function}` needs `{expected}` for `{argument}`, and was given `{actual}`.
    Look where that value was made; numbers become a tensor with `torch.tensor(...)`.""",
    """`{function}` 的 `{argument}` 需要 `{expected}`，给的却是 `{actual}`。
    请检查这个值是在哪里得到的；数字和列表可以用 `torch.tensor(...)` 变成张量。""",
)
ELEMENT_TYPE = ErrorKind(
    "element-type",
    TypeError,
    "{function}(): argument '{argument}' (position {position}) must be {expected}, but found element of type "
    "{actual} at"
    " pos {index}",
    """Element {index} of `{argument}` is `{actual}`.
    `{function}` needs `{expected}` there.""",
    """`{argument}` 的第 {index} 个元素是 `{actual}`。
    `{function}` 在这里需要 `{expected}`。""",
)
SEQUENCE_ELEMENT = ErrorKind(
    "sequence-element",
    TypeError,
    "expected Tensor as element {index} in argument {argument}, but got {actual}",
    """Element {index} of the list is `{actual}`, and a tensor is needed.
    Look where that value was made; numbers become a tensor with `torch.tensor(...)`.""",
    """列表的第 {index} 个元素是 `{actual}`，这里需要张量。
    请检查这个值是在哪里得到的；数字和列表可以用 `torch.tensor(...)` 变成张量。""",
)
INVALID_COMBINATION = ErrorKind(
    "invalid-combination",
    TypeError,
    "{function}() received an invalid combination of arguments - got ({given}), but expected {expected}",
    """`{function}` can be called in several ways, and ({given}) is none of them.
    The message lists them; compare the number, order and types of the arguments.""",
    """`{function}` 有几种调用方式，({given}) 不属于其中任何一种。
    报错信息列出了各种方式，请对照参数的个数、顺序和类型。""",
)
UNRECOGNIZED_KEYWORDS = ErrorKind(
    "unrecognized-keywords",
    TypeError,
    "{function}() received an invalid combination of arguments - got unrecognized keyword arguments: {keywords}",
    """`{function}` has no argument called `{keywords}`.
    Check the spelling; some names of 2018 are spelled differently now.""",
    """`{function}` 没有名为 `{keywords}` 的参数。
    请检查拼写；2018 年的一些名字现在已经改了。""",
)
UNSUPPORTED_ARGUMENTS = ErrorKind(
    "unsupported-arguments",
    NotImplementedError,
    "{function}() is not available in Gradflow for the arguments ({given})",
    """`{function}` is there, but not for values like these.
    Convert them first, to `float32` for example.""",
    """`{function}` 可以用，但不支持这样的参数。
    请先转换，例如转成 `float32`。""",
)

CLAMP_BOUNDS = ErrorKind(
    "clamp-bounds",
    RuntimeError,
    "torch.clamp: At least one of 'min' or 'max' must not be None",
    """`clamp` keeps values between two bounds, and none was given.
    Give `min`, `max` or both.""",
    """`clamp` 把值限制在上下界之间，而这里没有给出界限。
    请给出 `min`、`max` 或两者。""",
)
