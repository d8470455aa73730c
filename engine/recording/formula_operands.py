"""What stands in the formulas of one recorded call: its tensors, settings and gradients, as symbols and as numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine.recording import latex
from gradflow.engine.recording.entries import NodeEntry, Reads, StepEntry, TensorEntry


def tensor_id(entry: TensorEntry) -> str:
    """How the trace refers to a version of a tensor."""
    return f"t{entry.number}"


class FormulaOperands:
    """The operands of formulas. ``letter`` tells how a tensor is called where no other is called so."""

    def __init__(self, letter: Callable[[TensorEntry], str]) -> None:
        self.letter = letter
        self._node: NodeEntry | None = None
        self._symbols: dict[int, str] = {}

    def symbol(self, entry: TensorEntry, node: NodeEntry) -> str:
        """How a tensor is called in the formulas of one call: later ones of the same letter get primes."""
        if self._node is not node:
            self._node, self._symbols = node, {}
            tensors = {e.number: e for e in (*node.inputs, *node.outputs)}
            for number in sorted(tensors):
                tex = self.letter(tensors[number])
                while tex in self._symbols.values():
                    tex += "'"
                self._symbols[number] = tex
        return self._symbols.get(entry.number) or self.letter(entry)

    def of(self, node: NodeEntry, step: StepEntry | None = None) -> dict[str, latex.Operand]:
        """What the names of an operation's formulas stand for in this call."""
        op, reads = node.op, (step.reads if step is not None else None) or {}
        assert op is not None
        found: dict[str, latex.Operand] = {}
        settings = iter(node.settings)
        positional = iter(node.operands)
        for p in op.params:
            if p.kind == "tensors":
                each = [self.symbol(e, node) for e in node.inputs]
                found[p.name] = latex.Operand(", ".join(each), None)
            elif p.kind == "setting":
                found[p.name] = latex.Operand(_setting(next(settings, None)), None)
            else:
                found[p.name] = self.one(_present(next(positional, None), reads), node)
        if node.outputs:
            outputs = op.outputs or ("out",)
            for name, entry in zip(outputs, node.outputs, strict=False):
                found[name] = self.one(_present(entry, reads), node)
        for i, grad in enumerate(step.grads if step is not None else []):
            if i < len(node.outputs):
                name = "g" if i == 0 else f"g_{op.outputs[i]}" if op.outputs else f"g{i}"
                tex = latex.barred(self.symbol(node.outputs[i], node))
                found[name] = latex.Operand(tex, grad, True, tensor_id(node.outputs[i]))
        return found

    def within(self, node: NodeEntry, operands: dict[str, latex.Operand]) -> dict[str, latex.Operand]:
        """The operands of a write into a part of a tensor: the rule works on the written region W of the gradient."""
        whole = operands.get("g")
        if whole is None or whole.array is None or node.region is None:
            return operands
        assert node.op is not None
        written = {
            name: latex.Operand(rf"{o.tex}_{{W}}", o.array.reshape(-1)[node.region], o.gradient, None)
            for name, o in operands.items()
            if name in ("g", "out", node.op.params[0].name) and o.array is not None
        }
        return operands | written | {latex.WHOLE: whole}

    def one(self, given: Any, node: NodeEntry) -> latex.Operand:
        if isinstance(given, TensorEntry):
            return latex.Operand(self.symbol(given, node), given.array, False, tensor_id(given))
        return latex.Operand(_setting(given), None)


def _present(given: Any, reads: Reads) -> Any:
    """An operand with the value that the backward found, where it was written since."""
    return reads.get(given.first, given) if isinstance(given, TensorEntry) else given


def _setting(given: Any) -> str:
    if isinstance(given, bool) or given is None:
        return rf"\text{{{given}}}"
    if isinstance(given, int | float):
        text = latex.tex_number(given)
        return rf"\left({text}\right)" if text.startswith("-") else text
    if isinstance(given, np.ndarray):
        return latex.matrix(given) if given.size <= latex.MATRIX_ELEMENTS else r"\cdot"
    if isinstance(given, list | tuple):
        return r",\,".join(_setting(each) for each in given[:8])
    return rf"\text{{{str(given).replace('_', chr(92) + '_')}}}"
