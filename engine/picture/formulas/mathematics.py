r"""Formulas as text: the LaTeX of a rule as pieces that a picture sets one after the other, ``ā = c̄ bᵀ``.

Only what stands in one line can be set: a fraction is ``1/8``, a root ``√(x)``. A formula with more than is known here has no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from gradflow.engine.picture.letters import width

THIN: Final = "\u2009"
_SMALLER: Final = 0.72
_TOKEN: Final = re.compile(r"\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_NOTHING: Final = frozenset(("textstyle", "displaystyle", "left", "right", "big", "Big", "bigl", "bigr", "!", "limits"))


def _table(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_SIGNS: Final = _table(
    "star ⋆ infty ∞ top ⊤ dots … partial ∂ prime ′ ast ∗ lVert ‖ rVert ‖ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ langle ⟨"
    " rangle ⟩ mid | alpha α beta β gamma γ delta δ epsilon ε varepsilon ε eta η theta θ lambda λ mu μ nu ν pi π rho ρ sigma σ"
    " tau τ phi φ varphi φ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Sigma Σ Phi Φ Psi Ψ Omega Ω Re Re Im Im ell ℓ"
    " _ _ { { } } & & % % # #"
) | {",": THIN, ";": " ", ":": " ", " ": " ", "quad": "  ", "sum": f"Σ{THIN}", "prod": f"Π{THIN}"}
_BETWEEN: Final = _table(
    "cdot · odot ⊙ oslash ⊘ le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ leftarrow ← rightarrow → to → times × pm ± approx ≈ sim ∼ oplus ⊕"
    " otimes ⊗ circ ∘ equiv ≡ = = < < > > + + - −"
)
"""Signs that have room on both sides."""
_WORDS: Final = frozenset(
    [
        "ln",
        "log",
        "exp",
        "sin",
        "cos",
        "tan",
        "sinh",
        "cosh",
        "tanh",
        "arcsin",
        "arccos",
        "arctan",
        "max",
        "min",
        "det",
        "tr",
        "sup",
        "inf",
        "lim",
        "arg",
        "gcd",
    ]
)
_UPRIGHT: Final = frozenset(("operatorname", "text", "mathrm", "mathsf", "textrm", "operatorname*"))
_LOWERED: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
"""An index within an exponent, which has no line of its own."""
_OVER: Final = frozenset(("bar", "overline"))


class Run(NamedTuple):
    """A piece of a formula in one style. ``level``: 1 over the line, -1 under it. ``over``: with a bar."""

    text: str
    italic: bool = False
    bold: bool = False
    level: int = 0
    over: bool = False


class Unknown(ValueError):
    """A formula that cannot be set in one line."""


def runs_of(tex: str) -> list[Run]:
    """The pieces of a formula. Raises Unknown."""
    reader = _Reader(_TOKEN.findall(tex))
    found = list(reader.pieces(Run("")))
    if reader.rest:
        raise Unknown(tex)
    return _joined(found)


def width_of(runs: list[Run], size: float) -> float:
    """How wide they are in one line."""
    return sum(width(run.text, size * (_SMALLER if run.level else 1.0), bold=run.bold) for run in runs)


def size_of(run: Run, size: float) -> float:
    """The size of a piece in a line of a size."""
    return size * (_SMALLER if run.level else 1.0)


def _joined(runs: list[Run]) -> list[Run]:
    """Neighbours of one style as one piece."""
    joined: list[Run] = []
    for run in runs:
        if joined and joined[-1][1:] == run[1:] and not run.over:
            joined[-1] = run._replace(text=joined[-1].text + run.text)
        elif run.text:
            joined.append(run)
    return joined


class _Reader:
    """Reads tokens from the first to the last. Styles are those of the run that is handed down."""

    def __init__(self, tokens: list[str]) -> None:
        self.rest = tokens[::-1]
        self.before = ""

    def pieces(self, style: Run) -> Iterator[Run]:
        """Up to the end, or the brace that closes."""
        while self.rest and self.rest[-1] != "}":
            yield from self.piece(self.rest.pop(), style)

    def argument(self, style: Run) -> list[Run]:
        """The next group or letter."""
        while self.rest and self.rest[-1].isspace():
            self.rest.pop()
        if not self.rest or self.rest[-1] == "}":
            raise Unknown("an argument is missing")
        token = self.rest.pop()
        return self.group(style) if token == "{" else list(self.piece(token, style))

    def group(self, style: Run) -> list[Run]:
        """Past the brace that closes."""
        self.before = "("
        found = list(self.pieces(style))
        if not self.rest:
            raise Unknown("a brace is missing")
        self.rest.pop()
        return found

    def piece(self, token: str, style: Run) -> Iterator[Run]:
        """What one token stands for."""
        if token == "_" and style.level:
            yield from (run._replace(text=run.text.translate(_LOWERED)) for run in self.argument(style))
            self.before = "x"
        elif token in "^_":
            yield from self.argument(style._replace(level=1 if token == "^" else -1))
            self.before = "x"
        elif token == "{":
            yield from self.group(style)
        elif token.startswith("\\"):
            yield from self.command(token[1:], style)
        elif token in _BETWEEN:
            yield self.between(_BETWEEN[token], style)
        elif not token.isspace():
            self.before = token
            text = {"'": "′", ",": f",{THIN}"}.get(token, token)
            yield style._replace(text=text, italic=style.italic or token.isalpha())

    def command(self, name: str, style: Run) -> Iterator[Run]:
        if name in _BETWEEN:
            yield self.between(_BETWEEN[name], style)
        elif name in _WORDS:
            self.before = "("
            yield style._replace(text=f"{name}{THIN}")
        elif name in _SIGNS:
            self.before = name
            yield style._replace(text=_SIGNS[name])
        elif name not in _NOTHING:
            yield from self.built(name, style)

    def built(self, name: str, style: Run) -> Iterator[Run]:
        """Commands with arguments."""
        if name in _UPRIGHT:
            yield from (run._replace(italic=False) for run in self.argument(style))
        elif name == "mathbf":
            yield from (run._replace(italic=False, bold=True) for run in self.argument(style))
        elif name in ("mathit", "mathcal", "mathrel"):
            yield from self.argument(style)
        elif name in _OVER:
            yield from self.barred(style)
        elif name == "hat":
            yield from (run._replace(text=f"{run.text}\u0302") for run in self.argument(style))
        elif name in ("frac", "tfrac", "dfrac"):
            yield from self.fraction(style)
        elif name == "sqrt":
            yield from (style._replace(text="√"), *_in_brackets(self.argument(style), style))
        else:
            raise Unknown(name)
        self.before = "x"

    def barred(self, style: Run) -> Iterator[Run]:
        """The bar is over what stands on the line, not over an index."""
        inner = self.argument(style)
        if any(run.over for run in inner):
            raise Unknown("a bar over a bar")
        for run in _joined(inner):
            yield run._replace(over=run.level == style.level)

    def fraction(self, style: Run) -> Iterator[Run]:
        over, under = self.argument(style), self.argument(style)
        yield from _in_brackets(over, style)
        yield style._replace(text="/")
        yield from _in_brackets(under, style)

    def between(self, sign: str, style: Run) -> Run:
        """A sign with room around it, but for one that begins."""
        first = sign in "+−" and self.before in ("", "(", "[", ",", "=", "|")
        self.before = "=" if not first else sign
        tight = first or style.level
        return style._replace(text=sign if tight else f" {sign} ")


def _in_brackets(runs: list[Run], style: Run) -> list[Run]:
    """In brackets, but for a number or a letter."""
    if len("".join(run.text for run in runs)) <= 1 or "".join(run.text for run in runs).isdigit():
        return runs
    return [style._replace(text="("), *runs, style._replace(text=")")]
