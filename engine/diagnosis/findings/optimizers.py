"""Optimizers and loops: what they are given is no list, or nothing; texts in the place of numbers."""

from __future__ import annotations

import ast
import re

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.computed_leaves import computed_from_leaf, leaves_last
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import FIXERS, finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Text


@finds(errors.OPTIMIZE_NON_LEAF, errors.PARAMETER_NON_LEAF)
def _computed(case: Case) -> Finding | None:
    """``torch.randn(3, requires_grad=True) * 0.01``."""
    name = case.context.name
    made = case.assignment(name) if name and name.isidentifier() else None
    found = computed_from_leaf(case, made) if made is not None else None
    return leaves_last(case, [found]) if found is not None else None


@finds(errors.NO_PARAMETERS)
def _plain_list(case: Case) -> Finding | None:
    """Layers in a plain list."""
    fixer = FIXERS.get(errors.NO_PARAMETERS.code)
    fix = fixer(case) if fixer is not None else None
    if fix is None:
        return None
    row = fix.edits[0].span.line
    behind = re.match(r"\s*(\S+) = (\S+)\(", fix.edits[0].text)
    kind = behind[2] if behind else fix.edits[0].text.rstrip("(")
    deep = any(edit.text.startswith(f"{kind}([") for edit in fix.edits)
    also = f", and what each element holds into one of its own: `{kind}([...])`" if deep else ""
    also_zh = f"，其中每个元素也各放进一个 `{kind}([...])`" if deep else ""
    what, what_zh, inner = ("dictionary", "字典", "{...}") if kind.endswith("Dict") else ("list", "列表", "[...]")
    if behind:
        also = f", in a line behind the last one that treats it as a list: `{behind[0].strip()}...)`"
        also_zh = f"，写在最后一处把它当列表用的语句之后：`{behind[0].strip()}...)`"
        begun = [one for one in case.nodes(ast.Assign) if case.text(one.targets[0]) == behind[1]]
        row = line(begun[0]) if begun else row
    return finding(
        case,
        f"Line {row} keeps the layers in a plain Python {what}, in which a module does not look for them, so it has no"
        f" parameters. Put the {what} into `{kind}(...)`{also}.",
        f"第 {row} 行把层放在普通的 Python {what_zh}里，模块不会到{what_zh}里查找，所以没有参数。请把{what_zh}放进 `{kind}(...)`{also_zh}。",
        Fix(Text(f"`{kind}({inner})`", f"`{kind}({inner})`"), fix.edits),
        fix.edits[0].span,
    )


@finds(errors.NO_PARAMETERS)
def _plain_tensors(case: Case) -> Finding | None:
    """``self.w = torch.randn(3, requires_grad=True)``: a module finds parameters alone."""
    nn = "nn" if "nn" in case.values else "torch.nn"
    made = [
        one
        for one in case.nodes(ast.Assign)
        if isinstance(one.targets[0], ast.Attribute)
        and ast.unparse(one.targets[0].value) == "self"
        and isinstance(one.value, ast.Call)
        and any(keyword.arg == "requires_grad" for keyword in one.value.keywords)
    ]
    if not made:
        return None
    edits = [edit for one in made for edit in _as_parameter(case, one.value, nn)]
    first = made[0]
    return finding(
        case,
        f"{code(case, first.targets[0])} on line {line(first)} is a plain tensor, and a module counts as its parameters only what"
        f" is an `{nn}.Parameter`, so it has none. Wrap it: `{nn}.Parameter(...)`, which requires a gradient by itself.",
        f"第 {line(first)} 行的 {code(case, first.targets[0])} 是普通张量，而模块只把 `{nn}.Parameter` 算作自己的参数，所以一个参数也没有。请包起来："
        f"`{nn}.Parameter(...)`，它本来就需要梯度。",
        case.fix(edits, first),
        first,
    )


def _as_parameter(case: Case, call: ast.expr, nn: str) -> list[Edit]:
    flags = [one for one in call.keywords if one.arg == "requires_grad"] if isinstance(call, ast.Call) else []
    taken = [edit for one in flags for edit in case.without_argument(call, one)] if isinstance(call, ast.Call) else []
    return [*case.wrapped(call, f"{nn}.Parameter(", ")"), *taken]


@finds(mistakes.NOT_ITERABLE, errors.PARAMETERS_TYPE, errors.PARAMETER_TYPE)
def _model_itself(case: Case) -> Finding | None:
    """``optim.Adam(model)``, ``optim.SGD(model.parameters)``."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    value = case.value(given)
    if given is None or call is None:
        return None
    if isinstance(value, Layer):
        name = called(call)
        trains = name[:1].isupper()
        who = "The optimizer" if trains else f"`{name}`"
        who_zh = "优化器" if trains else f" `{name}`"
        return finding(
            case,
            f"{who} is given the model {code(case, given)} itself; what it {'trains' if trains else 'works on'} are its parameters. Write"
            f" `{case.operand(given)}.parameters()`.",
            f"这里把模型 {code(case, given)} 本身给了{who_zh}，而{'要训练' if trains else '它处理'}的是它的参数。请写 `{case.operand(given)}.parameters()`。",
            case.fix(case.followed(given, ".parameters()"), call),
        )
    if isinstance(value, Tensor):
        return finding(
            case,
            f"The optimizer takes a list of tensors, and {code(case, given)} is one tensor. Put it in brackets:"
            f" `[{case.text(given)}]`.",
            f"优化器需要张量的列表，而 {code(case, given)} 是单个张量。请加上方括号：`[{case.text(given)}]`。",
            case.fix(case.wrapped(given, "[", "]"), call),
        )
    if isinstance(given, ast.Attribute) and given.attr in ("parameters", "named_parameters", "items", "values", "keys"):
        return finding(
            case,
            f"`{case.text(given)}` is the method itself, for its brackets are missing. Call it: `{case.text(given)}()`.",
            f"`{case.text(given)}` 是方法本身，缺少调用的括号。请写 `{case.text(given)}()`。",
            case.fix(case.after(given, "()"), call),
        )
    return None


@finds(errors.PARAMETER_TYPE)
def _other_things(case: Case) -> Finding | None:
    """A dictionary of tensors, a list of layers, or names with their parameters."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    if call is None or given is None:
        return None
    value, text = case.value(given), case.text(given)
    if isinstance(value, dict):
        what, what_zh = "a dictionary, whose elements are its keys", "字典，逐个取出的是它的键"
        new = f"{text}.values()"
    elif isinstance(given, ast.Call) and getattr(given.func, "attr", "") == "named_parameters":
        what, what_zh = "pairs of names and parameters", "名字和参数组成的对"
        new = re.sub(r"named_parameters\(", "parameters(", text)
    elif isinstance(given, ast.List) and all(isinstance(case.value(one), Layer) for one in given.elts):
        what, what_zh = "a list of layers", "层的列表"
        new = f"[{', '.join(f'*{case.operand(one)}.parameters()' for one in given.elts)}]"
    else:
        return None
    return finding(
        case,
        f"The optimizer takes tensors one after the other, and {code(case, given)} is {what}. Write `{new}`.",
        f"优化器要逐个取出张量，而 {code(case, given)} 是{what_zh}。请写 `{new}`。",
        write(case, given, new, call),
    )


@finds(errors.MISSING_PYTHON_ARGUMENT)
def _whose_rate(case: Case) -> Finding | None:
    """``StepLR(step_size=2)``: a scheduler without its optimizer."""
    call = case.find(ast.Call)
    held = [name for name, value in case.values.items() if isinstance(value, Optimizer) and not name.startswith("_")]
    if call is None or "'optimizer'" not in str(case.details.get("message", case.details)) or not held:
        return None
    text = f"{case.text(call.func)}({', '.join([held[-1], *(case.text(one) for one in [*call.args, *call.keywords])])})"
    return finding(
        case,
        f"{code(case, call.func)} changes the rate of an optimizer, and is not told of which. Give it the optimizer first:"
        f" `{text}`.",
        f"{code(case, call.func)} 要调整某个优化器的学习率，但没有说是哪一个。请把优化器作为第一个参数：`{text}`。",
        write(case, call, text),
    )


@finds(mistakes.NOT_ITERABLE)
def _counted(case: Case) -> Finding | None:
    """``for i in 10``."""
    loop = case.find(ast.For)
    source = loop.iter if loop is not None else case.find(ast.expr)
    value = case.value(source)
    if source is None or not isinstance(value, int) or isinstance(value, bool):
        return None
    text = f"range({case.text(source)})"
    return finding(
        case,
        f"`{case.text(source)}` is one number, and a loop goes through the elements of something. For {value} turns write"
        f" `{text}`.",
        f"`{case.text(source)}` 是一个数，而循环要逐个取出元素。要循环 {value} 次请写 `{text}`。",
        write(case, source, text),
    )


@finds(mistakes.UNORDERED, mistakes.OPERAND_TYPES, mistakes.CONCATENATION)
def _text_for_number(case: Case) -> Finding | None:
    """A number written in quotation marks."""
    node = case.find(ast.expr)
    flow = Flow(case)
    for source in flow.behind(node) if node is not None else ():
        for one in ast.walk(source):
            if (
                isinstance(one, ast.Constant)
                and isinstance(one.value, str)
                and re.fullmatch(r"-?\d+(\.\d*)?(e-?\d+)?", one.value)
            ):
                if isinstance(case.parents.get(one), ast.Subscript | ast.JoinedStr | ast.FormattedValue):
                    continue
                return finding(
                    case,
                    f"`{case.text(one)}` on line {line(one)} is a text, for it stands in quotation marks, and a number is needed."
                    f" Write `{one.value}`.",
                    f"第 {line(one)} 行的 `{case.text(one)}` 带引号，是字符串，而这里需要数。请写 `{one.value}`。",
                    write(case, one, one.value),
                    one,
                )
    return None


@finds(mistakes.CONCATENATION, mistakes.OPERAND_TYPES)
def _joined_text(case: Case) -> Finding | None:
    """``'loss: ' + loss``."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.op, ast.Add):
        return None
    left, right = case.value(node.left), case.value(node.right)
    if isinstance(left, str) == isinstance(right, str):
        return None
    other = node.right if isinstance(left, str) else node.left
    return finding(
        case,
        f"`+` joins texts only with texts, and {code(case, other)} is none. Write it with `str(...)`, or give `print` both,"
        f" separated by a comma.",
        f"`+` 只能把字符串和字符串连接，而 {code(case, other)} 不是字符串。请写成 `str(...)`，或者在 `print` 里用逗号隔开两者。",
        case.fix(case.wrapped(other, "str(", ")"), node),
    )
