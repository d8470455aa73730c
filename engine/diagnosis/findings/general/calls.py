"""Calls with too few or too many arguments: who calls what, with what, and which argument was meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import names_of
from gradflow.engine.diagnosis.findings.words import finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Span, Text

_CALLERS: Final[dict[str, tuple[tuple[str, ...], str, str]]] = {
    "register_hook": (("grad",), "the gradient", "梯度"),
    "register_post_accumulate_grad_hook": (("param",), "the leaf whose `.grad` was filled", "填好 `.grad` 的叶子张量"),
    "register_forward_hook": (
        ("module", "inputs", "output"),
        "the module, its inputs and its output",
        "模块、它的输入和输出",
    ),
    "register_forward_pre_hook": (("module", "inputs"), "the module and its inputs", "模块和它的输入"),
    "register_full_backward_hook": (
        ("module", "grad_input", "grad_output"),
        "the module, the gradients of its inputs and those of its outputs",
        "模块、输入的梯度和输出的梯度",
    ),
    "LambdaLR": (("epoch",), "the number of the epoch", "轮数"),
    "collate_fn": (("batch",), "the list of samples of a batch", "一批样本的列表"),
    "saved_tensors_hooks": (("x",), "the tensor that is kept", "要保存的张量"),
    "apply": (("module",), "each module", "每个模块"),
}
"""Who calls a function of the program back, and with what."""

_SIGNATURE = (errors.MISSING_PYTHON_ARGUMENT, errors.TOO_MANY_ARGUMENTS, mistakes.NEEDS_SELF)


def _failing_function(case: Case) -> tuple[str, str]:
    """The class and the name of the function that refused its arguments."""
    owner, _, name = str(case.details.get("function", "")).replace("<locals>.", "").rpartition(".")
    return owner.rpartition(".")[2], name


def definition_of(case: Case) -> ast.FunctionDef | None:
    """The function of the program that refused its arguments."""
    owner, name = _failing_function(case)
    if owner and (methods := Flow(case).methods(owner)):
        return methods.get(name)
    defined = [one for one in case.nodes(ast.FunctionDef) if one.name == name]
    inside = any(one.name == owner for one in case.nodes(ast.FunctionDef))
    return defined[-1] if defined and (inside or not owner) else None


@finds(*_SIGNATURE)
def _called_back(case: Case) -> Finding | None:
    """A function of the program that PyTorch calls: a hook, the factor of a schedule, what makes a batch."""
    function = definition_of(case)
    if function is not None:
        return _callback(case, function, function.name, [one.arg for one in function.args.args])
    if _failing_function(case)[1] == "<lambda>":
        for call in case.nodes(ast.Call):
            for given in (*call.args, *(one.value for one in call.keywords)):
                if isinstance(given, ast.Lambda):
                    found = _callback(case, given, "lambda", [one.arg for one in given.args.args])
                    if found is not None:
                        return found
    return None


def _callback(case: Case, function: ast.FunctionDef | ast.Lambda, name: str, own: Sequence[str]) -> Finding | None:
    for call in case.nodes(ast.Call):
        callee = called(call)
        given = [("", one) for one in call.args] + [(one.arg or "", one.value) for one in call.keywords]
        for word, one in given:
            known = _CALLERS.get(word) or _CALLERS.get(callee)
            if known is None or not (one is function or _stands_for(case, one, name)):
                continue
            wanted, what, what_zh = known
            if len(own) == len(wanted):
                return None
            names = _completed(own, wanted) if len(own) < len(wanted) else list(own[-len(wanted) :])
            if callee == "register_full_backward_hook" and len(own) == 1:
                names = _with_gradient(own[0], wanted)
            text, text_zh = _head(name, names), names_of(list(own))
            who = f"`{case.text(call.func)}`"
            return finding(
                case,
                f"{who} on line {line(call)} calls `{name}` itself, with {len(wanted)} argument{'s' * (len(wanted) != 1)}: {what}."
                f" `{name}` on line {line(function)} takes {len(own)}{': ' + text_zh[0] if own else ''}. Write `{text}`.",
                f"第 {line(call)} 行的 {who} 会自己调用 `{name}`，并给它 {len(wanted)} 个参数：{what_zh}。而第 {line(function)} 行的 `{name}` 有"
                f" {len(own)} 个参数{'：' + text_zh[1] if own else ''}。请写成 `{text}`。",
                _with_parameters(case, function, names) or (),
                function,
            )
    return None


def _stands_for(case: Case, node: ast.expr, name: str) -> bool:
    """Whether an expression is a function of this name: by itself, or as what another function returns."""
    if isinstance(node, ast.Call):
        return any(_stands_for(case, one, name) for made in Flow(case).called(node) for one in returned(made))
    return isinstance(node, ast.Name) and node.id == name


def _completed(own: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """The parameters that a function has, each in the place where it belongs, with those that it lacks."""
    names: list[str] = []
    for one in wanted:
        same = [each for each in own if one.startswith(each[:3]) and each not in names]
        names.append(same[0] if same and not any(each in own for each in wanted) else one)
    return names if set(own) <= set(names) else [*own, *wanted[len(own) :]]


def _with_gradient(own: str, wanted: Sequence[str]) -> list[str]:
    """The parameters of a hook that names one gradient alone, that of the inputs or that of the outputs, if its name says which."""
    if "out" in own:
        return [wanted[0], wanted[1], own]
    return [wanted[0], own, wanted[2]] if re.search(r"(?<![a-z])in", own) else list(wanted)


def _head(name: str, parameters: Sequence[str]) -> str:
    return f"lambda {', '.join(parameters)}: ..." if name == "lambda" else f"def {name}({', '.join(parameters)})"


def _with_parameters(case: Case, function: ast.FunctionDef | ast.Lambda, names: Sequence[str]) -> Fix | None:
    """The function with other parameters."""
    given = function.args.args
    dropped = {one.arg for one in given} - set(names)
    used = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
    if not given and isinstance(function, ast.FunctionDef) and case.line(line(function)).count("()") == 1:
        at = case.line(line(function)).index("()") + 1
        text = _head(function.name, names)
        return case.fix([insertion(line(function), at, ", ".join(names))], words=Text(f"`{text}`", f"`{text}`"))
    if not given or function.args.defaults or dropped & used:
        return None
    first, last = case.program.span_of(given[0]), case.program.span_of(given[-1])
    if first is None or last is None:
        return None
    edit = Edit(Span(first.line, first.column, last.end_line, last.end_column), ", ".join(names))
    text = _head(function.name if isinstance(function, ast.FunctionDef) else "lambda", names)
    return case.fix([edit], words=Text(f"`{text}`", f"`{text}`"))


_TAKERS: Final = frozenset(
    {"jacobian", "hessian", "vjp", "jvp", "grad", "jacrev", "jacfwd", "vmap", "checkpoint", "vhp", "hvp"}
)


@finds(*_SIGNATURE)
def _given_on(case: Case) -> Finding | None:
    """``hessian(f, x)`` of a function of two inputs."""
    call, function = case.find(ast.Call), definition_of(case)
    name = called(call) if call is not None else ""
    if (
        call is None
        or function is None
        or name not in _TAKERS
        or not call.args
        or case.text(call.args[0]) != function.name
    ):
        return None
    own = [one.arg for one in function.args.args]
    inputs = (
        call.args[1].elts if len(call.args) > 1 and isinstance(call.args[1], ast.Tuple | ast.List) else call.args[1:]
    )
    listed = names_of(own)
    tupled = name in ("jacobian", "hessian", "vjp", "jvp", "vhp", "hvp")
    shown = ", ".join([*(case.text(one) for one in inputs), *own[len(inputs) :]][: len(own)])
    text = f"{case.text(call.func)}({function.name}, {f'({shown})' if tupled and len(own) > 1 else shown})"
    return finding(
        case,
        f"`{name}` calls `{function.name}` with the {len(inputs)} input{'s' * (len(inputs) != 1)} that it is given, and `{function.name}` on line {line(function)}"
        f" takes {len(own)}: {listed[0]}. Give one for each: `{text}`.",
        f"`{name}` 会用给它的 {len(inputs)} 个输入去调用 `{function.name}`，而第 {line(function)} 行的 `{function.name}` 有 {len(own)} 个参数：{listed[1]}。请各给一个："
        f"`{text}`。",
        (),
        function,
    )


@finds(*_SIGNATURE)
def _without_context(case: Case) -> Finding | None:
    """``def forward(x)`` of a custom Function."""
    function = definition_of(case)
    owner = case.enclosing(function, ast.ClassDef) if function is not None else None
    if function is None or owner is None or function.name not in ("forward", "backward", "jvp"):
        return None
    bases = [case.text(one) for one in owner.bases]
    names = [one.arg for one in function.args.args]
    if not any(base.endswith("Function") for base in bases) or names[:1] in (["ctx"], ["self"]):
        return None
    if (
        any(one.name == "setup_context" for one in owner.body if isinstance(one, ast.FunctionDef))
        and function.name == "forward"
    ):
        return None
    text = f"def {function.name}({', '.join(['ctx', *names])})"
    return finding(
        case,
        f"`{owner.name}.{function.name}` is called with the context in front of its arguments, the object that carries what"
        f" `forward` keeps over to `backward`, and `def {function.name}({', '.join(names)})` on line {line(function)} has no place"
        f" for it. Write `{text}`.",
        f"调用 `{owner.name}.{function.name}` 时，最前面会多给一个上下文对象，`forward` 通过它把东西留给 `backward`，而第 {line(function)} 行的"
        f" `def {function.name}({', '.join(names)})` 没有给它留位置。请写成 `{text}`。",
        case.fix(case.before(function.args.args[0], "ctx, "), words=Text(f"`{text}`", f"`{text}`"))
        if function.args.args
        else (),
        function,
    )


@finds(mistakes.NEEDS_SELF, errors.TOO_MANY_ARGUMENTS)
def _more_than_parameters(case: Case) -> Finding | None:
    """``model(x, h)`` of a ``forward(self, x)``."""
    call, function = case.find(ast.Call), definition_of(case)
    names = [one.arg for one in function.args.args] if function is not None else []
    if function is not None and function.name == "__getitem__" and names == ["self"]:
        return _no_index(case, function)
    if call is None or function is None or names[:1] != ["self"] or len(call.args) < len(names) or call.keywords:
        return None
    if function.name == "__init__":
        return None
    own = names[1:]
    more = [case.text(one) for one in call.args[len(own) :]]
    told, told_zh = names_of(own) if own else ("nothing", "")
    shown, shown_zh = names_of(more)
    signature = ", ".join([*names, *(one if one.isidentifier() else "..." for one in more)])
    return finding(
        case,
        f"`{function.name}` on line {line(function)} takes {told} besides `self`, and this call gives {len(call.args)} values, {shown} as well. Leave"
        f" that out here, or take it there: `def {function.name}({signature})`.",
        f"第 {line(function)} 行的 `{function.name}` 除了 `self` 之外{f'只接受 {told_zh}' if own else '不接受参数'}，而这里给了 {len(call.args)} 个值，还有 {shown_zh}。请在这里去掉它，"
        f"或者在那里接收：`def {function.name}({signature})`。",
        (),
        function,
    )


def _no_index(case: Case, function: ast.FunctionDef) -> Finding:
    """``def __getitem__(self)``; the number is called as in its body, where that has a name that is bound nowhere."""
    used = [
        one.slice.id for one in ast.walk(function) if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Name)
    ]
    name = used[0] if used and used[0] not in case.values else "index"
    text = f"def __getitem__(self, {name})"
    span = case.program.span_of(function.args.args[0])
    edits = [insertion(span.end_line, span.end_column, f", {name}")] if span is not None else []
    return finding(
        case,
        f"`__getitem__` on line {line(function)} takes no number, and it is called with that of the sample. Take it: `{text}`.",
        f"第 {line(function)} 行的 `__getitem__` 没有接收编号，而调用时会给出样本的编号。请接收它：`{text}`。",
        [case.fix(edits, words=Text(f"`{text}`", f"`{text}`"))],
        function,
    )


@finds(mistakes.NEEDS_SELF, errors.TOO_MANY_ARGUMENTS, mistakes.TAKES_NO_ARGUMENTS)
def _class_for_object(case: Case) -> Finding | None:
    """``Net(x)``: a model that is to be made first, and then applied."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Name) or not call.args:
        return None
    held = case.value(call.func)
    owner = next((one for one in case.nodes(ast.ClassDef) if one.name == call.func.id), None)
    if owner is None or not isinstance(held, type) or not issubclass(held, Layer):
        return None
    given = ", ".join(case.text(one) for one in call.args)
    if not all(isinstance(Flow(case).tensor(one), Tensor) for one in call.args):
        init = Flow(case).methods(owner.name).get("__init__")
        names = [one.arg for one in init.args.args] if init is not None else []
        if init is None or names[:1] != ["self"]:
            return None
        return finding(
            case,
            f"`{owner.name}` is made with {len(call.args)} value{'s' * (len(call.args) != 1)} (`{given}`), and its `__init__` on line"
            f" {line(init)} takes {names_of(names[1:])[0] or 'none'} besides `self`. Add a parameter there, or leave the value out here.",
            f"创建 `{owner.name}` 时给了 {len(call.args)} 个值（`{given}`），而第 {line(init)} 行的 `__init__` 除了 `self` 之外的参数是"
            f" {names_of(names[1:])[1] or '没有'}。请在那里加上参数，或者在这里去掉这个值。",
            (),
            init,
        )
    init = Flow(case).methods(owner.name).get("__init__")
    needed = init.args.args[1 : len(init.args.args) - len(init.args.defaults)] if init is not None else []
    settings = ", ".join(one.arg for one in needed)
    text = f"{owner.name}({settings})({given})"
    return finding(
        case,
        f"`{owner.name}` is the class, so `{case.text(call)}` makes a model and takes `{given}` for its settings; nothing is computed. Make"
        f" the model first and apply it in a second pair of brackets: `{text}`, or `model = {owner.name}({settings})` once and `model({given})`.",
        f"`{owner.name}` 是类，`{case.text(call)}` 是在创建模型，并把 `{given}` 当成了设置，什么也没有计算。请先创建模型，再用第二对括号调用："
        f"`{text}`；或者先写一次 `model = {owner.name}({settings})`，再写 `model({given})`。",
        case.fix(case.after(call.func, "()"), call) if not needed else (),
    )
