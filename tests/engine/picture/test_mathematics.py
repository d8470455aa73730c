"""Tests of formulas as text."""

from __future__ import annotations

import pytest

from gradflow.engine.picture.formulas.mathematics import Run, Unknown, runs_of, width_of


def plain(tex: str) -> str:
    """The text, with marks for bars and levels."""
    signs = {1: "^", 0: "", -1: "_"}
    return "".join(signs[run.level] + run.text + ("\u0304" if run.over else "") for run in runs_of(tex))


@pytest.mark.parametrize(
    ("tex", "told"),
    [
        (r"\bar{a} = {\bar{c}}\,{b}^{\top}", "a\u0304 = c\u0304\u2009b^⊤"),
        (r"\tfrac{1}{16}\,\mathbf{1}\,g", "1/16\u20091\u2009g"),
        (r"\frac{x+1}{2}", "(x + 1)/2"),
        (r"-\operatorname{put}_{i, j}\left(g\right)", "−put_i_,\u2009_j(g)"),
        (r"g \odot (1-y) \odot y", "g ⊙ (1 − y) ⊙ y"),
        (r"\sqrt{x} \le \textstyle\sum g'", "√x ≤ Σ\u2009g′"),
        (r"e^{-x}", "e^−^x"),
        (r"\bar{\mathit{loss}}_{2}", "loss\u0304_2"),
        (r"\text{a\_b} \leftarrow \infty", "a_b ← ∞"),
    ],
)
def test_a_formula_becomes_text(tex: str, told: str) -> None:
    assert plain(tex) == told


def test_letters_are_italic_and_names_of_functions_are_not() -> None:
    assert runs_of(r"\ln x2") == [Run("ln\u2009"), Run("x", italic=True), Run("2")]
    assert runs_of(r"\mathbf{1}x") == [Run("1", bold=True), Run("x", italic=True)]


@pytest.mark.parametrize(
    "tex", [r"\begin{matrix}", r"\unknown{x}", "x^", "{x", "x}", r"\frac{1}", r"\bar{\bar{x}}", r"\sqrt"]
)
def test_what_is_not_known_has_no_text(tex: str) -> None:
    with pytest.raises(Unknown):
        runs_of(tex)


def test_smaller_letters_are_narrower() -> None:
    assert 0 < width_of([Run("abc", level=1)], 10) < width_of([Run("abc")], 10)
    assert width_of([Run("中")], 10) == 10
