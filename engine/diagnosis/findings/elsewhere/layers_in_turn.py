"""Layers in a row that take more than one tensor each: ``nn.Sequential`` hands on one."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer


def each_takes_all(case: Case, call: ast.Call, model: Layer) -> Finding | None:
    """``h = self.layers(h, adj)``, where ``forward(self, h, adj)`` is that of every layer in it."""
    parts = list(model.children()) if type(model).__name__ == "Sequential" else []
    forwards = [Flow(case).methods(type(part).__name__).get("forward") for part in parts]
    taking = [one for one in forwards if one is not None and len(one.args.args) - 1 == len(call.args)]
    if not parts or len(taking) != len(parts) or call.keywords:
        return None
    where, where_zh = on_line(maker_of(case, model))
    owner, given = case.text(call.func), ", ".join(case.text(one) for one in call.args)
    statement = case.statement(call)
    edits = []
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
            head = " " * statement.col_offset
            first = case.text(call.args[0])
            begun = "" if name == first else f"{name} = {first}\n{head}"
            rest = "".join(f", {case.text(one)}" for one in call.args[1:])
            edits = case.replace(statement, f"{begun}for layer in {owner}:\n{head}    {name} = layer({name}{rest})")
        case _:
            name, rest = "h", "".join(f", {case.text(one)}" for one in call.args[1:])
    text = f"for layer in {owner}: {name} = layer({name}{rest})"
    kind = type(parts[0]).__name__
    return finding(
        case,
        f"{code(case, call.func)}{where} is an `nn.Sequential`, which hands one tensor from layer to layer, and every `{kind}` in it takes"
        f" {len(call.args)} (`forward` on line {line(taking[0])}): `{given}`. Call the layers one after the other: `{text}`.",
        f"{code(case, call.func)}{where_zh} 是 `nn.Sequential`，它只把一个张量从一层传到下一层，而其中每个 `{kind}` 都要 {len(call.args)} 个（第 {line(taking[0])} 行的"
        f" `forward`）：`{given}`。请逐层调用：`{text}`。",
        apply(case, edits, f"`{text}`", f"`{text}`") or (),
        call,
    )
