"""Custom Functions, distributions and lists that lack something: methods without `staticmethod`, samples without a"
" gradient, entries that never came."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.calls import definition_of
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.inputs.dtypes import RECURRENT
from gradflow.engine.diagnosis.findings.practice.emptiness import length_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.trace import Edit, Span


@finds(errors.MISSING_PYTHON_ARGUMENT, mistakes.NEEDS_SELF, python.TYPE)
def _method_of_function(case: Case) -> Finding | None:
    """``def forward(self, ctx, x)`` in a Function, without ``@staticmethod``."""
    function = definition_of(case)
    classes = [function and case.parents.get(function)] if function is not None else case.nodes(ast.ClassDef)
    for owner in classes:
        if not isinstance(owner, ast.ClassDef) or not any(case.text(one).endswith("Function") for one in owner.bases):
            continue
        methods = [
            one
            for one in owner.body
            if isinstance(one, ast.FunctionDef) and one.name in ("forward", "backward", "setup_context", "jvp")
        ]
        wrong = [
            one
            for one in methods
            if not one.decorator_list
            and [each.arg for each in one.args.args][:1] == ["self"]
            and len(one.args.args) > 1
            and one.args.args[1].arg in ("ctx", "context", "c")
        ]
        if not wrong:
            continue
        first = wrong[0]
        names = [one.arg for one in first.args.args][1:]
        shown = f"def {first.name}({', '.join(names)})"
        edits: list[Edit] = []
        for one in wrong:
            edits += _static(case, one)
        return finding(
            case,
            f"A Function is used by its class, and PyTorch calls `{first.name}` (line {line(first)}) without an object: `ctx` is its"
            " first argument, and `self` takes the place of that. Write"
            " `@staticmethod` above it, and"
            f" `{shown}`{'' if len(wrong) == 1 else '; the same for ' + ', '.join(f'`{one.name}`' for one in wrong[1:])}.",
            f"Function 是通过类来使用的，PyTorch 调用 `{first.name}`（第 {line(first)} 行）时没有对象：第一个参数就是 `ctx`，而 `self`"
            f" 占了它的位置。请在上面写 `@staticmethod`，并写 `{shown}`"
            f"{'' if len(wrong) == 1 else '；' + '、'.join(f'`{one.name}`' for one in wrong[1:]) + ' 也是如此'}。",
            apply(case, edits, f"`@staticmethod` and `{shown}`", f"`@staticmethod` 与 `{shown}`") or (),
            first,
        )
    return None


def _static(case: Case, method: ast.FunctionDef) -> list[Edit]:
    span, given = case.program.span_of(method), method.args.args
    first = case.program.span_of(given[0])
    second = case.program.span_of(given[1]) if len(given) > 1 else None
    if span is None or first is None:
        return []
    end = (second.line, second.column) if second is not None else (first.end_line, first.end_column)
    pad = " " * span.column
    return [insertion(span.line, span.column, f"@staticmethod\n{pad}"), Edit(Span(first.line, first.column, *end), "")]


_RELAXED: Final = {
    "Categorical": "torch.nn.functional.gumbel_softmax(logits)",
    "OneHotCategorical": "torch.nn.functional.gumbel_softmax(logits)",
    "Bernoulli": "torch.distributions.RelaxedBernoulli(...)",
}


@finds(python.UNCLASSIFIED)
def _jumping_samples(case: Case) -> Finding | None:
    """``Categorical(...).rsample()``."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "rsample":
        return None
    made = definition(case, call.func.value)
    kind = type(case.value(call.func.value)).__name__
    if isinstance(made, ast.Call):
        kind = case.text(made.func).rpartition(".")[2]
    if not kind or kind == "object":
        return None
    other = f", or take a smooth one in its place: `{_RELAXED[kind]}`" if kind in _RELAXED else ""
    other_zh = f"，或者改用平滑的替代：`{_RELAXED[kind]}`" if kind in _RELAXED else ""
    return finding(
        case,
        f"`rsample` draws so that gradients go through the sample, and the samples of `{kind}` jump from one value to another:"
        " they have none. Draw with `sample()` and bring the gradient in by"
        f" `log_prob`, `-(dist.log_prob(a) * reward)`{other}.",
        f"`rsample` 抽样时让梯度穿过样本，而 `{kind}` 的样本是从一个值跳到另一个值，没有梯度。请用 `sample()` 抽样，并通过"
        f" `log_prob` 引入梯度，即 `-(dist.log_prob(a) * reward)`{other_zh}。",
        (),
        call,
    )


@finds(python.INDEX, mistakes.SEQUENCE_INDEX)
def _too_early(case: Case) -> Finding | None:
    """``history[-2]`` in the first turn of the loop that fills it."""
    node = case.find(ast.Subscript)
    match node:
        case ast.Subscript(
            value=ast.Name(id=name) as owner, slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(back)))
        ):
            pass
        case _:
            return None
    size, loop = length_of(case.value(owner)), case.enclosing(node, ast.For) or case.enclosing(node, ast.While)
    adds = [one for one in case.nodes(ast.Call) if case.text(one.func) == f"{name}.append"]
    if size is None or loop is None or not adds or not any(one in ast.walk(loop) for one in adds) or size >= back:
        return None
    test = case.enclosing(node, ast.If)
    text = f"len({name}) >= {back}"
    inside = test is not None and node in list(ast.walk(test.test))
    shown = f"if {text} and {case.text(test.test)}:" if inside and test is not None else f"if {text}:"
    return finding(
        case,
        f"`{name}` grows by one in each turn (line {line(adds[0])}) and has {size} element{'s' * (size != 1)} by now, so there is"
        f" no {case.text(node.slice)} yet. Ask for it only when there are"
        f" enough: `{shown}`.",
        f"`{name}` 每轮增加一个元素（第 {line(adds[0])} 行），现在只有 {size} 个，所以还没有 {case.text(node.slice)}。"
        f"请等到足够时再取：`{shown}`。",
        write(case, test.test, f"{text} and {case.text(test.test)}", test.test)
        if inside and test is not None and not isinstance(test.test, ast.BoolOp)
        else (),
        node,
    )


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _sum_of_nothing(case: Case) -> Finding | None:
    """``sum(... for a, b in zip(log_probs, rewards))`` of a list that nothing was put into: 0, a plain number."""
    node = case.find(ast.Attribute)
    if node is None or case.details.get("type") != "int":
        return None
    made = definition(case, node.value)
    match made:
        case ast.Call(func=ast.Name(id="sum"), args=[inner, *_]):
            pass
        case _:
            return None
    sources = [one.iter for one in inner.generators] if isinstance(inner, ast.GeneratorExp | ast.ListComp) else [inner]
    parts = [each for one in sources for each in (one.args if isinstance(one, ast.Call) else [one])]
    for part in parts:
        if not isinstance(part, ast.Name) or length_of(case.value(part)) != 0:
            continue
        adds = [
            one for one in case.nodes(ast.Call) if case.text(one.func) in (f"{part.id}.append", f"{part.id}.extend")
        ]
        begun = definition(case, part)
        where = f"gets something only on line {line(adds[0])}, which did not run" if adds else "gets nothing anywhere"
        where_zh = f"只在第 {line(adds[0])} 行放入内容，而那一行没有运行" if adds else "从未放入任何内容"
        return finding(
            case,
            f"`{part.id}` (line {line(begun)}) {where}, so the sum on line {line(made)} goes through nothing and is the plain number"
            f" 0, which has no `{node.attr}`. Put the values in where they are"
            f" computed: `{part.id}.append(...)`.",
            f"`{part.id}`（第 {line(begun)} 行）{where_zh}，所以第 {line(made)} 行的求和什么也没有遍历，得到的是普通的数 0，它没有"
            f" `{node.attr}`。请在计算这些值的地方放入：`{part.id}.append(...)`。",
            (),
            adds[0] if adds else begun,
        )
    return None


@finds(errors.AFFINE_DTYPE, errors.MM_DTYPE, errors.MODULE_ARGUMENT)
def _halved(case: Case) -> Finding | None:
    """``nn.Linear(3, 1).half()`` and inputs of 32 bits."""
    call = case.find(ast.Call)
    owner = call.func if call is not None else None
    if call is None or owner is None or not call.args:
        return None
    if not str(case.details.get("message", RECURRENT)).startswith(RECURRENT):
        return None
    words = ("half", "bfloat16", "double")
    for one in case.nodes(ast.Call):
        if not isinstance(one.func, ast.Attribute) or one.func.attr not in words or one.args or line(one) > line(call):
            continue
        target = case.text(one.func.value)
        made = definition(case, owner)
        if one is not made and target != case.text(owner):
            continue
        kind = {"half": "float16", "bfloat16": "bfloat16", "double": "float64"}[one.func.attr]
        text = f"{case.operand(call.args[0])}.{one.func.attr}()"
        return finding(
            case,
            f"`.{one.func.attr}()` on line {line(one)} makes the weights of `{case.text(owner)}` `torch.{kind}`, and"
            f" {code(case, call.args[0])} is of another kind; a product does not convert. Convert the"
            f" input, too, `{text}`, or leave `.{one.func.attr}()` out there.",
            f"第 {line(one)} 行的 `.{one.func.attr}()` 把 `{case.text(owner)}` 的权重变成了 `torch.{kind}`，而"
            f" {code(case, call.args[0])} 是另一种类型；乘法不会自动转换。请把输入也转换 `{text}`，或者去掉那里的"
            f" `.{one.func.attr}()`。",
            [
                case.fix(case.followed(call.args[0], f".{one.func.attr}()"), call),
                case.fix(case.without_tail(one), one.func.value),
            ],
            one,
        )
    return None
