"""Custom Functions whose ``backward`` is right for another tensor than ``forward`` saved: the output in place of the input."""

from __future__ import annotations

import ast
from dataclasses import replace

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.derivatives.custom_function import known_in, reads_saved, saves
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import returned
from gradflow.engine.errors.language import python
from gradflow.engine.trace import Edit

_Methods = dict[str, ast.FunctionDef]


@finds(python.UNCLASSIFIED)
def _saved_under_another_name(case: Case) -> Finding | None:
    """``save_for_backward(x)`` and ``y, = ctx.saved_tensors``, where ``forward`` has a ``y``, too."""
    for save, forward, backward in _mismatched(case):
        read = _read(case, backward)
        saved = [case.text(one) for one in save.args]
        if not read or len(read) != len(saved) or read == saved or not set(read) <= known_in(forward):
            continue
        text = f"{case.text(save.func)}({', '.join(read)})"
        formula = _formula(case, backward)
        return finding(
            case,
            f"`backward` takes {_listed(read)[0]} out{formula[0]}, but line {line(save)} saves {_listed(saved)[0]}: what comes out are the saved tensors in"
            f" their order, whatever their names are. Save what `backward` computes with: `{text}`.",
            f"`backward` 取出的是 {_listed(read)[1]}{formula[1]}，但第 {line(save)} 行保存的是 {_listed(saved)[1]}：取出的就是按顺序保存的张量，与名字无关。请保存 `backward`"
            f" 计算时要用的：`{text}`。",
            case.fix(case.replace(save, text), case.statement(save)),
            save,
        )
    return None


@finds(python.UNCLASSIFIED)
def _of_the_output(case: Case) -> Finding | None:
    """``save_for_backward(x)`` and a formula of ``tanh(x)``; or the other way round. Told only where the change is proven."""
    for save, forward, backward in _mismatched(case):
        results, inputs = returned(forward), [one.arg for one in forward.args.args[1:]]
        if len(save.args) != 1 or len(results) != 1 or not isinstance(save.args[0], ast.Name) or not inputs:
            continue
        own, result = save.args[0].id, results[0]
        read, formula = _read(case, backward), _formula(case, backward)
        if own in inputs and len(read) == 1:
            what, what_zh, other, other_zh = "input", "输入", "output", "输出"
            name = result.id if isinstance(result, ast.Name) else "output"
            edits = _output_named(case, save, forward, result, name)
        elif isinstance(result, ast.Name) and result.id == own and len(inputs) == 1:
            what, what_zh, other, other_zh, name = "output", "输出", "input", "输入", inputs[0]
            edits = case.replace(save.args[0], name)
        else:
            continue
        text = f"{case.text(save.func)}({name})"
        found = finding(
            case,
            f"`backward`{formula[0]} is the derivative in terms of the {other} of `forward`, and line {line(save)} saves its {what} `{own}`. Save"
            f" the {other}: `{text}`.",
            f"`backward`{formula[1]} 是用 `forward` 的{other_zh}写出的导数，而第 {line(save)} 行保存的是它的{what_zh} `{own}`。请保存{other_zh}：`{text}`。",
            [apply(case, edits, f"`{text}`", f"`{text}`")],
            save,
        )
        return replace(found, guess=True) if found.fixes else None
    return None


def _mismatched(case: Case) -> list[tuple[ast.Call, ast.FunctionDef, ast.FunctionDef]]:
    """The Functions whose derivative a check refuses: what saves, ``forward``, ``backward``."""
    call = case.find(ast.Call)
    if "Jacobian mismatch" not in str(case.details.get("message", "")) or call is None:
        return []
    found = []
    for owner in case.nodes(ast.ClassDef):
        methods: _Methods = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
        forward, backward = methods.get("forward"), methods.get("backward")
        if forward is None or backward is None or "setup_context" in methods or len(saves(forward)) != 1:
            continue
        found.append((saves(forward)[0], forward, backward))
    return found if len(found) == 1 else []


def _read(case: Case, backward: ast.FunctionDef) -> list[str]:
    """The names that the saved tensors get."""
    for one in ast.walk(backward):
        match one:
            case ast.Assign(targets=[ast.Tuple(elts=parts) | ast.List(elts=parts)], value=source) if reads_saved(
                source
            ):
                return [case.text(part) for part in parts]
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Subscript(value=source, slice=ast.Constant(value=0))
            ) if reads_saved(source):
                return [name]
    return []


def _formula(case: Case, backward: ast.FunctionDef) -> tuple[str, str]:
    """What ``backward`` gives, to stand after its name."""
    results = returned(backward)
    if len(results) != 1:
        return "", ""
    return (
        f" ({code(case, results[0])} on line {line(results[0])})",
        f"（第 {line(results[0])} 行的 {code(case, results[0])}）",
    )


def _listed(names: list[str]) -> tuple[str, str]:
    marked = [f"`{one}`" for one in names]
    return ", ".join(marked), "、".join(marked)


def _output_named(case: Case, save: ast.Call, forward: ast.FunctionDef, result: ast.expr, name: str) -> list[Edit]:
    """Save the output; one that has no name gets one in front of the line that saves."""
    edits = case.replace(save.args[0], name)
    if isinstance(result, ast.Name):
        made = [one for one in ast.walk(forward) if isinstance(one, ast.Assign) and case.text(one.targets[0]) == name]
        return edits if made and max(map(line, made)) < line(save) else []
    statement = case.statement(save)
    if statement not in forward.body or name in known_in(forward):
        return []
    rest = forward.body[forward.body.index(statement) + 1 :]
    if len(rest) != 1 or not isinstance(rest[0], ast.Return):
        return []
    first = case.line_before(statement, f"{name} = {case.text(result)}")
    return [*first, *edits, *case.replace(result, name)] if first else []
