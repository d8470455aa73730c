"""The rules of a run, each stated once: the operation's, for the kind of arguments that it was called with."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from gradflow.engine.formula import METADATA, UPSTREAM, as_lists, symbol, tex_number
from gradflow.engine.recording.attributes import exact, plain
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.recording.rules import latex
from gradflow.engine.recording.rules.simplify import simplified
from gradflow.engine.registry import REGISTRY, Op
from gradflow.engine.trace import OperandToken, Rule, TexToken, Token

MOST_TENSORS: Final = 6
"""Of a longer list of tensors, the middle is left out of the forward rule."""
MOST_SIZES: Final = 256
"""Rules with sizes of their own; past that many, sizes are letters."""


class RuleBook:
    """Numbers the rules as functions ask for theirs. Equal rules have one number."""

    def __init__(self) -> None:
        self.rules: dict[str, Rule] = {}
        self._ids: dict[tuple[object, ...], str] = {}

    def of(self, node: NodeEntry) -> str:
        """The id of a function's rule."""
        key = self._key(node)
        known = self._ids.get(key)
        if known is None:
            sized = len(self.rules) < MOST_SIZES
            known = self._ids[key] = self._enter(_Specialised(node, sized).rule())
        return known

    def _key(self, node: NodeEntry) -> tuple[object, ...]:
        """Two functions of one key have one rule."""
        op = node.op
        assert op is not None
        kinds = tuple([_kind(exact(given)) for given in (*node.operands, *node.settings)])
        outputs = node.outputs
        of_complex = bool(outputs) and outputs[0].array.dtype.kind == "c"
        sizes = _sizes(node) if _counts(op) and len(self.rules) < MOST_SIZES else None
        declared = op if REGISTRY.declares(op) else (op.name, *(p.name for p in op.params))
        return declared, kinds, len(outputs), of_complex, node.region is not None, sizes

    def _enter(self, rule: Rule) -> str:
        for number, known in self.rules.items():
            if known == rule:
                return number
        number = f"r{len(self.rules)}"
        self.rules[number] = rule
        return number


class _Specialised:
    """The rule of one function."""

    def __init__(self, node: NodeEntry, sized: bool) -> None:
        assert node.op is not None
        self.node, self.op, self.sized = node, node.op, sized
        self.inputs = list(_input_names(node))
        self.outputs = _output_names(node)
        given = dict(zip([p.name for p in self.op.tensors], node.operands, strict=False))
        settings = [p.name for p in self.op.params if p.kind == "setting"]
        given |= dict(zip(settings, node.settings, strict=False))
        self.given = {name: exact(each) for name, each in given.items()}
        self.known = {name: each for name, each in self.given.items() if _is_known(each)}
        self.numbers = [name for name, each in self.given.items() if isinstance(each, int | float | complex)]
        first = self.op.params[0].name if self.op.params else ""
        self.region = (UPSTREAM, "out", first) if node.region is not None else ()

    def rule(self) -> Rule:
        gradients, expressions = {}, {}
        for key in dict.fromkeys(name.partition(".")[0] for name in self.inputs):
            if key in self.op.texts:
                tree = self._tree(key)
                gradients[key] = latex.tokens(latex.backward(tree, self.numbers), self._operand)
                if _is_first(self.region, key):
                    gradients[key] = latex.written(OperandToken(UPSTREAM, "gradient"), gradients[key])
                else:
                    expressions[key] = as_lists(tree)
        return Rule(self.inputs, self.outputs, self._forward(), gradients, expressions)

    def _forward(self) -> list[Token]:
        line = latex.tokens(latex.forward(self.op, self._is_given), self._operand)
        if self.region:
            return latex.written(OperandToken(self.inputs[0], "value"), line)
        return line

    def _is_given(self, k: int) -> bool:
        """Whether an argument is there and is not the default."""
        p = self.op.params[k]
        given = self.given.get(p.name)
        if isinstance(given, TensorEntry | np.ndarray) or p.kind == "tensors":
            return True
        return given is not None and not (isinstance(given, str | int | float) and given == p.parameter.default)

    def _tree(self, key: str) -> ast.expr:
        formula = self.op.gradients[key]
        of_complex = bool(self.node.outputs) and self.node.outputs[0].array.dtype.kind == "c"
        return simplified(formula.tree if of_complex else formula.real, self.known, self._computed)

    def _computed(self, call: ast.Call) -> Any:
        """The number that a helper makes of sizes and settings, such as how many elements a mean goes over."""
        if not self.sized or not _is_count(call):
            return None
        assert isinstance(call.func, ast.Name)
        try:
            found = REGISTRY.helpers[call.func.id].arrays(*map(self._size, call.args))
        except (KeyError, TypeError, ValueError, IndexError):
            return None
        return found if isinstance(found, int | float) else None

    def _size(self, node: ast.expr) -> Any:
        """The value of an argument that is a size, a setting or a number."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.given[name]
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                return getattr(self.given[name].array, attribute)
        raise ValueError

    def _operand(self, name: str, transposed: bool) -> Sequence[Token]:
        if name in self.inputs or name in self.outputs:
            return [OperandToken(name, "value", transposed, name in self.region)]
        if name == UPSTREAM or name.startswith(f"{UPSTREAM}_"):
            return [OperandToken(name, "gradient", transposed, name in self.region)]
        listed = [each for each in self.inputs if each.startswith(f"{name}.")]
        if listed:
            return list(_between(listed))
        if name not in self.given:
            return [TexToken(symbol(name))]
        if name in self.known:
            return [TexToken(_constant(self.known[name]))]
        return [OperandToken(name, "setting")]


def _is_first(region: Sequence[str], key: str) -> bool:
    """Whether the input of this name is the one of which a region was written."""
    return bool(region) and key == region[-1]


def _constant(value: object) -> str:
    if isinstance(value, str):
        return rf"\text{{{value}}}".replace("_", r"\_")
    if isinstance(value, bool):
        return rf"\text{{{value}}}"
    return "" if value is None else tex_number(value)  # type: ignore[arg-type]  # one of -1, 0, 1


def _between(names: Sequence[str]) -> Iterator[Token]:
    """Tensors of a list, with commas."""
    left_out = len(names) > MOST_TENSORS
    shown = [*names[:3], "", names[-1]] if left_out else names
    for k, name in enumerate(shown):
        if k:
            yield TexToken(r",\,")
        yield OperandToken(name, "value") if name else TexToken(r"\dots")


def _kind(given: Any) -> object:
    """What of an argument decides about the rule."""
    if given.__class__ is TensorEntry:
        return TensorEntry
    return (given.__class__, given) if _is_known(given) else None.__class__ if given is None else object


def _is_known(given: Any) -> bool:
    """Whether an argument is put into the rule: see `simplify`."""
    if given is None or given.__class__ is bool:
        return True
    if isinstance(given, int | float):
        return given in (0, 1, -1)
    return isinstance(given, str) and len(given) <= 24 and given.isidentifier()


def _input_names(node: NodeEntry) -> Iterator[str]:
    """The names of the operands that are tensors, in their order."""
    op = node.op
    assert op is not None
    if any(p.kind == "tensors" for p in op.tensors):
        name = op.tensors[0].name
        yield from (f"{name}.{k}" for k in range(len(node.inputs)))
        return
    for p, operand in zip(op.tensors, node.operands, strict=False):
        if isinstance(operand, TensorEntry):
            yield p.name


def _output_names(node: NodeEntry) -> list[str]:
    assert node.op is not None
    if node.op.outputs:
        return list(node.op.outputs[: len(node.outputs)])
    return ["out"] if len(node.outputs) == 1 else [f"out.{k}" for k in range(len(node.outputs))]


def _sizes(node: NodeEntry) -> tuple[object, ...]:
    """Everything that a count can depend on."""
    return (*(e.array.shape for e in node.inputs), repr(tuple(map(plain, node.settings))))


def _counts(op: Op) -> bool:
    """Whether a gradient formula has a number in it that follows from sizes; a function of the program's has no formula."""
    return REGISTRY.declares(op) and _counts_by_formula(op)


@cache
def _counts_by_formula(op: Op) -> bool:
    calls = (each for f in op.gradients.values() for each in ast.walk(f.tree) if isinstance(each, ast.Call))
    return any(_is_count(each) for each in calls)


def _is_count(call: ast.Call) -> bool:
    """Whether a call of a helper gives a number that follows from sizes and settings: its LaTeX is a letter."""
    known = isinstance(call.func, ast.Name) and call.func.id in REGISTRY.helpers
    return known and any(_is_size(each) for each in call.args) and all(map(_is_argument, call.args))


def _is_size(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in METADATA


def _is_argument(node: ast.expr) -> bool:
    return _is_size(node) or isinstance(node, ast.Name | ast.Constant)
