"""Gradient formulas: what they may name, what they save, and how they are written."""

from __future__ import annotations

import re

import pytest

import gradflow.engine.ops  # noqa: F401  # declares the operations
from gradflow.engine.formula import FormulaError, as_lists, parse, pieces
from gradflow.engine.recording.rules.latex import forward_text, rule_text
from gradflow.engine.registry import REGISTRY, Array, Registry, op

NAMES = frozenset({"g", "out", "input", "other"})

REFUSED = {
    "g * wrong": "here: unknown name 'wrong'",
    "input.Q": "here: unknown attribute 'Q'",
    "g.wrong": "here: unknown attribute 'wrong'",
    "input.shape.sum()": "here: only operations can be called",
    "(lambda: g)()": "here: only operations can be called",
    "[x for x in g]": "here: ListComp is not part of a formula",
    "g if input else out": "here: IfExp is not part of a formula",
    "g := 1": "here: invalid syntax in 'g := 1'",
    "g *": "here: invalid syntax in 'g *'",
    "f'{g}'": "here: JoinedStr is not part of a formula",
    "exp(*g)": "here: Starred is not part of a formula",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_formula_that_names_what_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text, NAMES, "here")
    assert str(caught.value) == REFUSED[text]


def test_an_unknown_operation_is_refused_when_the_registry_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry()
    monkeypatch.setattr("gradflow.engine.registry.REGISTRY", registry)

    @op(gradients={"input": "explode(g)"})
    def double(input: Array):
        return input * 2

    with pytest.raises(FormulaError, match=r"^gradient of double for input: unknown operation 'explode'$"):
        registry.finish()


def test_an_operation_is_declared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradflow.engine.registry.REGISTRY", Registry())

    def same(input: Array):
        return input

    op()(same)
    with pytest.raises(ValueError, match=r"^operation same is declared twice$"):
        op()(same)


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("g", set()),
        ("g * other", {"other"}),
        ("g @ input.mT", {"input"}),
        ("sum_to_size(g, input.shape)", {"input__shape"}),
        ("g * out * input.ndim", {"out", "input__ndim"}),
        ("sum_to_size(g * input, input.shape)", {"input", "input__shape"}),
        ("exp(g.mT)", set()),
    ],
)
def test_what_is_saved_follows_from_the_text(text: str, slots: set[str]) -> None:
    assert parse(text, NAMES, "here").slots == slots


@pytest.mark.parametrize(
    ("name", "slots"),
    [
        ("mul", ("other", "input")),
        ("exp", ("out",)),
        ("mm", ("mat2", "input", "mat2__shape", "mat2__strides", "input__shape", "input__strides")),
        ("sum_all", ("input__shape",)),
        ("neg", ()),
        ("max_dim", ("dim", "indices", "input__shape", "keepdim")),
    ],
)
def test_slots_of_an_operation_stand_in_the_order_of_pytorchs_names(name: str, slots: tuple[str, ...]) -> None:
    assert set(REGISTRY[name].slots) == set(slots)
    tensors = [slot for slot in REGISTRY[name].slots if slot in ("input", "other", "mat2", "out")]
    assert tensors == [slot for slot in slots if slot in tensors]


LATEX = {
    "g * other": r"g \odot other",
    "g / (2 * out)": r"g \oslash \left(2\,out\right)",
    "-g * input / (other * other)": r"\left(-g\right) \odot input \oslash \left(other \odot other\right)",
    "g @ input.mT": r"g\,input^\top",
    "(g + input).mT": r"\left(g+input\right)^{\top}",
    "g ** 2": "g^{2}",
    "(g * 2) ** input": r"\left(g\,2\right)^{input}",
    "g - (input - other)": r"g-\left(input-other\right)",
    "g * (input == 0)": "g \\odot [input=0]",
    "g * (input <= 0)": r"g \odot [input \le 0]",
    "cos(input)": r"\cos input",
    "unheard_of(g, 2)": r"\operatorname{unheard\_of}\left(g, 2\right)",
    "input.ndim": r"\operatorname{ndim}(input)",
}


@pytest.mark.parametrize("text", LATEX)
def test_a_formula_in_latex(text: str) -> None:
    line = pieces(parse(text, NAMES, "here").tree, {"cos": r"\cos ⟨0⟩"})
    assert "".join(p if isinstance(p, str) else p[0] + r"^\top" * p[1] for p in line) == LATEX[text]


def test_a_formula_as_lists() -> None:
    tree = parse("-g * cos(input.mT) ** 2 + (out <= 0)", NAMES, "here").tree
    assert as_lists(tree) == [
        "+",
        ["*", ["neg", ["name", "g"]], ["**", ["call", "cos", ["mT", ["name", "input"]]], ["number", 2]]],
        ["<=", ["name", "out"], ["number", 0]],
    ]


def test_the_rules_of_the_matrix_product() -> None:
    mm = REGISTRY["mm"]
    assert forward_text(mm) == r"y = \mathit{input}\,\mathit{mat2}"
    assert rule_text(mm, "input").endswith(r" = \bar{y}\,\mathit{mat2}^{\top}")
    assert rule_text(mm, "mat2").endswith(r" = \mathit{input}^{\top}\,\bar{y}")


@pytest.mark.parametrize("operation", list(REGISTRY), ids=lambda o: o.name)
def test_every_rule_can_be_written(operation: object) -> None:
    texts = [forward_text(operation), *(rule_text(operation, key) for key in operation.texts)]  # type: ignore[attr-defined, arg-type]
    for text in texts:
        assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
        assert len(re.findall(r"\\left\b", text)) == len(re.findall(r"\\right\b", text))
        assert "⟨" not in text
