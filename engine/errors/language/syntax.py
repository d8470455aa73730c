"""Texts that Python cannot read, by what is probably wrong with them; the message is Python's."""

from __future__ import annotations

import re
from typing import Final

from gradflow.engine.errors.error_kind import ErrorKind


def _kind(code: str, en: str, zh: str, cls: type[Exception] = SyntaxError) -> ErrorKind:
    return ErrorKind(code, cls, "{message}", en, zh)


UNCLOSED = _kind(
    "unclosed-bracket",
    """`{bracket}` is opened here and never closed.
    Write its other half where what stands in it ends.""",
    """`{bracket}` 在这里打开，却一直没有关上。
    请在内容结束的地方补上另一半。""",
)
MISMATCHED = _kind(
    "mismatched-bracket",
    """A bracket is closed by one of another kind, or one is closed that was never opened.
    Count them from the inside out: `[` ends with `]`, `(` with `)`.""",
    """括号的左右两半不配对，或者多了一个右括号。
    请从里到外数一数：`[` 对 `]`，`(` 对 `)`。""",
)
UNTERMINATED = _kind(
    "unterminated-text",
    """A text begins with a quotation mark and the line ends before the text does.
    Close it with the same mark; a text that holds `'` is put between `"`.""",
    """字符串以引号开始，但到行尾还没有结束。
    请用同样的引号结束；字符串里有 `'` 时，外面请用 `"`。""",
)
MISSING_COLON = _kind(
    "missing-colon",
    """Lines that begin a block, with `if`, `for`, `while`, `def`, `class` or `with`, end with a colon.
    Write `:` at the end of this line.""",
    """`if`、`for`、`while`、`def`、`class`、`with` 这样引出代码块的行，要以冒号结尾。
    请在这一行末尾加上 `:`。""",
)
MISSING_COMMA = _kind(
    "missing-comma",
    """Two values stand side by side with nothing between them.
    Write a comma, or the operator that was meant.""",
    """两个值紧挨着，中间什么也没有。
    请写上逗号，或者本来要用的运算符。""",
)
ASSIGNED_CONDITION = _kind(
    "assigned-condition",
    """`=` gives a name a value, and `==` asks whether two values are equal.
    To compare, write `==`; to the left of `=` only a name, an attribute or an element can stand.""",
    """`=` 是赋值，`==` 才是比较是否相等。
    比较请写 `==`；`=` 左边只能是名字、属性或元素。""",
)
MISSPELLED = _kind(
    "misspelled-keyword",
    """`{word}` is no word of Python.
    Probably a word such as `import`, `return` or `while` is misspelled here.""",
    """`{word}` 不是 Python 的关键字。
    这里可能把 `import`、`return`、`while` 之类的词拼错了。""",
)
PYTHON_2 = _kind(
    "python-2",
    """This is written for Python 2, which was followed by Python 3 in 2008.
    The same is written differently now, for example `print(x)`, `except E as e`, `!=`.""",
    """这是 Python 2 的写法，而现在用的是 Python 3。
    同样的意思现在写法不同，例如 `print(x)`、`except E as e`、`!=`。""",
)
OTHER_LANGUAGE = _kind(
    "other-language",
    """This is how C, Java or JavaScript write it.
    In Python it is `x += 1`, `and`, `or`, `not`, `elif`, `a if c else b`, and `#` for a comment.""",
    """这是 C、Java 或 JavaScript 的写法。
    Python 里写作 `x += 1`、`and`、`or`、`not`、`elif`、`a if c else b`，注释用 `#`。""",
)
NOTEBOOK = _kind(
    "notebook-command",
    """Lines that begin with `%` or `!`, and names followed by `?`, are commands to a notebook or a shell, not Python.
    Leave them out; nothing needs to be installed here.""",
    """以 `%` 或 `!` 开头的行和末尾带 `?` 的名字是 notebook 或命令行的命令，不是 Python。
    请去掉它们，这里不需要安装任何东西。""",
)
NO_CODE = _kind(
    "no-code",
    """This line is no part of the program: the marks around code in a chat or a README, line numbers, or plain words.
    Leave it out, or begin it with `#`.""",
    """这一行不属于程序：可能是聊天或 README 里代码块的标记、行号或说明文字。
    请去掉它，或在开头加上 `#`。""",
)
RESERVED = _kind(
    "reserved-word",
    """`{word}` is a word of Python's own.
    Such a word cannot be the name of a variable, so use another one, by custom with an underscore: `lambda_`.""",
    """`{word}` 是 Python 的保留字。
    保留字不能用作变量名，请换一个名字，习惯上在后面加下划线：`lambda_`。""",
)
NUMBER_TEXT = _kind(
    "number-and-name",
    """A number is followed directly by letters.
    Write `*` between them to multiply; the name of a variable cannot begin with a digit.""",
    """数字后面直接跟着字母。
    相乘请写 `*`；变量名不能以数字开头。""",
)
PLACE_OF_WORD = _kind(
    "misplaced-statement",
    """`return` and `yield` belong inside of a function, `break` and `continue` inside of a loop.
    Check the spaces at the beginning of the line.""",
    """`return` 和 `yield` 要写在函数里，`break` 和 `continue` 要写在循环里。
    请检查这一行开头的空格。""",
)
ARGUMENT_ORDER = _kind(
    "argument-order",
    """In a call, arguments without a name come before those with one, and no name comes twice; in a `def`, parameters \
without a default come before those with one.
    Change the order.""",
    """调用时，不带名字的参数要写在带名字的前面，同一个名字不能写两次；定义函数时，没有默认值的参数要写在有默认值的前面。
    请调整顺序。""",
)
F_STRING = _kind(
    "f-string",
    """Between the braces of an f-string stands an expression, complete and with other quotation marks than the text.
    Check the braces and the quotation marks.""",
    """f-string 的花括号里要写完整的表达式，里面的引号要与外面的不同。
    请检查花括号和引号。""",
)
UNKNOWN_CHARACTER = _kind(
    "unknown-character",
    """This character has no meaning in Python.
    Delete it, or put it between quotation marks or behind `#`.""",
    """这个字符在 Python 里没有意义。
    请删掉它，或放进引号里、写在 `#` 后面。""",
)
MISSING_BLOCK = _kind(
    "missing-block",
    """After a line that ends with `:` the lines that belong to it begin further to the right, by four spaces.
    `{head}` on line {head_line} has none: line {body_line}, `{body}`, stands no further to the right.
    Indent them; where nothing is to be done write `pass`.""",
    """以 `:` 结尾的行之后，属于它的各行要向右缩进四个空格。
    第 {head_line} 行的 `{head}` 之后没有这样的行：第 {body_line} 行的 `{body}` 并没有更靠右。
    请缩进；如果什么都不做，请写 `pass`。""",
    IndentationError,
)
UNEXPECTED_INDENT = _kind(
    "unexpected-indent",
    """This line begins further to the right than the one before, and nothing there opens a block.
    Take away the spaces at its beginning, or end the line before with `:`.""",
    """这一行比上一行更靠右，而上一行并没有引出代码块。
    请去掉行首多余的空格，或在上一行末尾加 `:`。""",
    IndentationError,
)
UNMATCHED_INDENT = _kind(
    "unmatched-indent",
    """This line begins in a column in which no block around it begins.
    Give it as many spaces as the lines that it belongs to.""",
    """这一行开头的位置与外面任何一个代码块都对不上。
    请让它与所属代码块的各行开头对齐。""",
    IndentationError,
)
TABS = _kind(
    "tabs-and-spaces",
    """Some lines begin with tabs and others with spaces, so it is not certain which belong together.
    Use spaces everywhere.""",
    """有的行用制表符缩进，有的行用空格，无法确定哪些属于同一个代码块。
    请全部使用空格。""",
    TabError,
)

_PATTERNS: Final = (
    (r"'(?P<bracket>[(\[{])' was never closed", UNCLOSED),
    (r"f-string: .*", F_STRING),
    (r"closing parenthesis .*|unmatched '.*", MISMATCHED),
    (r"unterminated .*|EOL while scanning.*", UNTERMINATED),
    (r"expected ':'", MISSING_COLON),
    (r"invalid syntax\. Perhaps you forgot a comma\?", MISSING_COMMA),
    (r"(invalid syntax|cannot assign to .*)\. Maybe you meant '=='.*|cannot assign to .*", ASSIGNED_CONDITION),
    (r"Missing parentheses in call to .*|leading zeros in decimal.*|multiple exception types must.*", PYTHON_2),
    (r"'(return|yield|break|continue|await)' (outside|not properly).*", PLACE_OF_WORD),
    (
        r"positional argument follows .*|keyword argument repeated.*|(non-default argument|parameter without a default) "
        r"follows .*|duplicate argument .*",
        ARGUMENT_ORDER,
    ),
    (r"invalid (decimal|hexadecimal|binary|octal|imaginary) literal", NUMBER_TEXT),
    (r"invalid (non-printable )?character .*", UNKNOWN_CHARACTER),
    (r"expected an indented block.*", MISSING_BLOCK),
    (r"unexpected indent", UNEXPECTED_INDENT),
    (r"unindent does not match.*", UNMATCHED_INDENT),
    (r"inconsistent use of tabs.*", TABS),
)


def recognise_text(message: str) -> tuple[ErrorKind, dict[str, object]] | None:
    """The entry for a message of Python's parser, and the details in it."""
    for pattern, kind in _PATTERNS:
        if found := re.fullmatch(pattern, message, re.DOTALL):
            return kind, dict(found.groupdict())
    return None
