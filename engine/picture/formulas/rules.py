"""The formulas of the functions in a picture: what a function computes backward, in the letters of its tensors, and with numbers."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

from gradflow.engine.picture.contents import Contents
from gradflow.engine.picture.formulas.filled import Filled, Filling, transposed
from gradflow.engine.picture.formulas.mathematics import Run, Unknown, runs_of, width_of
from gradflow.engine.trace import Edge, NodeRecord, OperandToken, Rule, Step, TensorRecord, Token, Trace, Value

FORMULA: Final = 13.5
"""The size of formulas."""
LONGEST: Final = 400
"""Characters of LaTeX that a picture sets."""
WIDEST: Final = 330.0
"""What is wider has no room at its function."""
MOST_LINES: Final = 3
_COPY: Final = 3
"""The parts of a formula that says one gradient is another."""


class Formulas:
    """The formulas of a pass."""

    def __init__(self, trace: Trace, steps: Sequence[Step], letters: Letters) -> None:
        self.letters = letters
        self.rules: Mapping[str, Rule] = trace.rules
        self.tensors = {tensor.id: tensor for tensor in trace.tensors}
        self.edges = {edge.id: edge for edge in trace.edges}
        self.steps = {step.node: step for step in steps}
        self._known: dict[str, list[tuple[list[Run], list[Run]]]] = {}

    def of(self, node: NodeRecord) -> list[tuple[list[Run], list[Run]]]:
        """A formula for each input that a gradient went to, and the same with its numbers where all are single ones; none where
        the function did not run backward."""
        if node.id not in self._known:
            self._known[node.id] = self._of(node)
        return self._known[node.id]

    def _of(self, node: NodeRecord) -> list[tuple[list[Run], list[Run]]]:
        step, rule = self.steps.get(node.id), self.rules.get(node.rule or "")
        if step is None or rule is None:
            return []
        found: dict[str, tuple[list[Run], list[Run]]] = {}
        for sent in step.grad_inputs:
            with contextlib.suppress(Unknown, LookupError):  # it has no text, or a tensor that is not drawn
                tex, numbers = self._formula(node, rule, step, self.edges[sent.edge], sent.value)
                found.setdefault(tex, (runs_of(tex), runs_of(numbers)))
        return list(found.values())

    def filled(self, node: NodeRecord) -> Iterator[Filled]:
        """The formulas of a function with their arrays, those that have room, more than single numbers, and more to tell than that
        a gradient goes on as it is."""
        step, rule = self.steps.get(node.id), self.rules.get(node.rule or "")
        if step is None or rule is None:
            return
        found: dict[str, Filled] = {}
        for sent in step.grad_inputs:
            with contextlib.suppress(Unknown, LookupError):
                edge = self.edges[sent.edge]
                tokens = _tokens(rule, edge)
                operands = _Operands(node, rule, step, self.tensors)
                parts = [operands.piece(token) for token in tokens]
                tex = self._formula(node, rule, step, edge, sent.value)[0]
                found.setdefault(tex, Filled((Filling(sent.value, "gradient"), runs_of("{} = "), *parts)))
        for each in found.values():
            fillings = [part for part in each.parts if isinstance(part, Filling)]
            is_small = all(part.is_small for part in fillings) and len(fillings) > 1 and len(each.parts) > _COPY
            if is_small and any(part.value.shape for part in fillings) and each.width(FORMULA) <= WIDEST:
                yield each

    def that_fit(self, node: NodeRecord, *, is_chosen: bool = False) -> list[list[Run]]:
        """Lines for those that have room; what a reader has chosen has more."""
        widest, most = (2 * WIDEST, 2 * MOST_LINES) if is_chosen else (WIDEST, MOST_LINES)
        lines: list[list[Run]] = []
        for letters, numbers in self.of(node):
            whole = [*letters, *numbers]
            broken = [whole] if width_of(whole, FORMULA) <= WIDEST else [letters, numbers]
            lines += [line for line in broken if line and width_of(line, FORMULA) <= widest]
        return lines if len(lines) <= most else [*lines[: most - 1], [Run("…")]]

    def letter_beside(self, tensor: TensorRecord, name: str) -> list[Run]:
        """The letter of a tensor, where formulas have it and it is not the name."""
        if tensor.id not in self.letters.used:
            return []
        try:
            letter = runs_of(self.letters.of(tensor.id))
        except Unknown:
            return []
        return letter if "".join(run.text for run in letter) != name else []

    def _formula(self, node: NodeRecord, rule: Rule, step: Step, edge: Edge, sent: Value) -> tuple[str, str]:
        """One formula, and its numbers. Raises LookupError."""
        tokens = _tokens(rule, edge)
        told = f"{self.letters.gradient(edge.tensor)} = {_put(tokens, lambda one: self._letter(one, node, rule))}"
        if sent.data is None or len(sent.data) != 1 or sent.shape:
            return told, ""
        try:
            numbers, result = _put(tokens, _Numbers(node, rule, step, self.tensors).of), _number(sent.data[0])
        except LookupError:
            return told, ""
        for sign, plain in ((r"\odot", r"\cdot"), (r"\oslash", "/"), (r"\,", r" \cdot ")):
            numbers = numbers.replace(sign, plain)
        return told, f"{{}} = {numbers}" + (f" = {result}" if numbers.strip("() ") != result else "")

    def _letter(self, token: OperandToken, node: NodeRecord, rule: Rule) -> str:
        """What an operand is called."""
        if token.role == "setting":
            return _setting(node.attributes.get(token.name), token.name)
        tensor = _tensor(node, rule, token)
        if tensor is None:
            return _word(token.name)
        told = self.letters.gradient(tensor) if token.role == "gradient" else self.letters.of(tensor)
        return f"{{{told}}}" + (r"^{\top}" if token.transposed else "")


class Letters:
    """A letter for each tensor of a picture; those that would share one have numbers, in the order of the run,
    but for the one that has the letter as its name."""

    def __init__(self, tensors: Sequence[TensorRecord]) -> None:
        letters = {tensor.id: tensor.symbol or "x" for tensor in tensors}
        called = Counter(tensor.symbol for tensor in tensors if tensor.symbol in tensor.names)
        own = {tensor.id for tensor in tensors if tensor.symbol in tensor.names and called[tensor.symbol] == 1}
        shared, numbers = Counter(letters.values()), Counter[str]()
        self.known: dict[str, tuple[str, str]] = {}
        self.used: set[str] = set()
        """The tensors whose letters were asked for."""
        for tensor, letter in letters.items():
            plain = letter.rstrip("'")
            number = ""
            if tensor not in own and shared[letter] > 1:
                numbers[letter] += 1
                number = f"_{{{numbers[letter]}}}"
            self.known[tensor] = plain, number + letter[len(plain) :]

    def of(self, tensor: str) -> str:
        """In LaTeX. Raises LookupError for a tensor that the picture has not."""
        self.used.add(tensor)
        return "".join(self.known[tensor])

    def gradient(self, tensor: str) -> str:
        """The letter with a bar; numbers and primes stand beside the bar. Raises as above."""
        self.used.add(tensor)
        plain, beside = self.known[tensor]
        return rf"\bar{{{plain}}}{beside}"


def formulas_of(contents: Contents) -> Formulas | None:
    """Those of the pass that is drawn, as far as it has come; None where none is drawn."""
    steps = contents.state.steps
    return Formulas(contents.trace, steps, Letters(contents.tensors)) if steps else None


def _tokens(rule: Rule, edge: Edge) -> list[Token]:
    """The formula of what is sent along an edge. Raises LookupError."""
    tokens = None
    if edge.input is not None and edge.input < len(rule.inputs):
        tokens = rule.gradients.get(rule.inputs[edge.input].split(".")[0])
    if not tokens or sum(len(token.tex) for token in tokens if token.kind == "tex") > LONGEST:
        raise LookupError(edge.input)
    return tokens


def _put(tokens: list[Token], operand: Callable[[OperandToken], str]) -> str:
    """The LaTeX of a formula."""
    return "".join(token.tex if token.kind == "tex" else operand(token) for token in tokens)


class _Operands:
    """The values of the operands of one formula."""

    def __init__(self, node: NodeRecord, rule: Rule, step: Step, tensors: Mapping[str, TensorRecord]) -> None:
        self.node, self.rule, self.step, self.tensors = node, rule, step, tensors

    def piece(self, token: Token) -> list[Run] | Filling:
        """Text, or an array. Raises LookupError and Unknown."""
        if token.kind == "tex":
            return runs_of(token.tex)
        if token.role == "setting":
            return runs_of(_signed(_setting(self.node.attributes.get(token.name), token.name)))
        value = self.value(token)
        kind: Literal["value", "gradient"] = "gradient" if token.role == "gradient" else "value"
        return Filling(transposed(value) if token.transposed else value, kind)

    def value(self, token: OperandToken) -> Value:
        """Raises LookupError where it is not known, or may have been another one when it was read."""
        found = None
        if not token.region:
            found = self._gradient(token.name) if token.role == "gradient" else self._value(token)
        if found is None:
            raise LookupError(token.name)
        return found

    def _gradient(self, name: str) -> Value | None:
        at = 0 if name == "g" else self.rule.outputs.index(name[2:]) if name[2:] in self.rule.outputs else -1
        return self.step.grad_outputs[at] if 0 <= at < len(self.step.grad_outputs) else None

    def _value(self, token: OperandToken) -> Value | None:
        tensor = self.tensors.get(_tensor(self.node, self.rule, token) or "")
        return None if tensor is None or tensor.versions else tensor.value


class _Numbers(_Operands):
    """The numbers of one formula, where all of its operands are numbers."""

    def of(self, token: OperandToken) -> str:
        """Raises LookupError where it is no number."""
        if token.role == "setting":
            return _signed(_setting(self.node.attributes.get(token.name), token.name))
        value = self.value(token)
        if value.data is None or len(value.data) != 1:
            raise LookupError(token.name)
        return _signed(_number(value.data[0]))


def _tensor(node: NodeRecord, rule: Rule, token: OperandToken) -> str | None:
    """The tensor that an operand stands for: for a gradient, the output that it is the gradient of."""
    if token.role == "gradient":
        name = rule.outputs[0] if token.name == "g" and rule.outputs else token.name[2:]
        places, found = rule.outputs, node.outputs
    else:
        name = token.name
        places, found = (rule.inputs, node.inputs) if name in rule.inputs else (rule.outputs, node.outputs)
    at = places.index(name) if name in places else -1
    return found[at] if 0 <= at < len(found) else None


def _setting(value: object, name: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _word(name)
    return f"{value:.4g}"


def _word(name: str) -> str:
    plain = re.sub(r"[^\w]", "", name).replace("_", r"\_")
    return rf"\text{{{plain}}}"


def _number(number: object) -> str:
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise LookupError(number)
    return f"{number:.4g}"


def _signed(text: str) -> str:
    if text.startswith("\\"):
        raise LookupError(text)
    return f"({text})" if text.startswith("-") else text
