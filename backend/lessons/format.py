"""What a lesson says, as data: the fields of its front matter, each with what is allowed there."""

from __future__ import annotations

import math
import re
from difflib import get_close_matches
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from gradflow.engine.trace import Text

MOST_STEPS: Final = 12

Beat = Literal["forward", "arrive", "rule", "share", "add", "zero", "step", "write", "end"]
Change = Literal["zero", "step", "write", "print", "hook"]
View = Literal["graph", "jacobian", "scalar"]

PATH: Final = re.compile(r"[^\W\d]\w*(\.\w+)*( ?\[\d+(, ?\d+)*\])?")
"""``a``, ``a.grad``, ``model.weight.grad``, each with an element or without: ``a.grad[0, 1]``."""


class Part(BaseModel):
    """A part of a lesson: unknown fields are refused, with those that are known."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _check_fields(cls, given: Any) -> Any:
        known = list(cls.model_fields)
        if isinstance(given, cls):
            return given
        if not isinstance(given, dict):
            raise PydanticCustomError("mapping", "expected fields here; allowed: {known}", {"known": ", ".join(known)})
        for name in given:
            if name not in known:
                raise PydanticCustomError(
                    "unknown_field", "{message}", {"name": name, "message": _unknown(name, known)}
                )
        return given


def _unknown(name: object, known: list[str]) -> str:
    close = get_close_matches(str(name), known, n=1)
    meant = f" (did you mean {close[0]}?)" if close else ""
    return f"there is no field {str(name)!r}{meant}; allowed: {', '.join(known)}"


def _both_languages(given: Any) -> Any:
    """A text for both languages at once, or one for each."""
    if isinstance(given, str) and given.strip():
        return Text(given.strip(), given.strip())
    if isinstance(given, dict) and set(given) == {"en", "zh"}:
        texts = [str(given["en"]).strip(), str(given["zh"]).strip()]
        if all(isinstance(each, str) and each.strip() for each in given.values()):
            return Text(*texts)
    if isinstance(given, Text):
        return given
    raise PydanticCustomError("text", "expected a text, or one for each language: {en: ..., zh: ...}")


Words = Annotated[Text, BeforeValidator(_both_languages)]


def _is_path(path: str) -> str:
    if not PATH.fullmatch(path):
        raise PydanticCustomError("path", "expected a tensor or one of its elements: a, a.grad, a.grad[0, 1]")
    return path


Path = Annotated[StrictStr, AfterValidator(_is_path)]

_SPECIAL: Final = {math.inf: "Infinity", -math.inf: "-Infinity"}


def _numbers(given: Any) -> Any:
    """Numbers in nested lists, as a trace carries them; or None, for what is None in the program."""
    if given is None or given == "none":
        return None
    if isinstance(given, list):
        return [_numbers(each) for each in given]
    if isinstance(given, bool) or given in ("NaN", "Infinity", "-Infinity"):
        return given
    if isinstance(given, int | float):
        return "NaN" if math.isnan(given) else _SPECIAL.get(given, given)
    raise PydanticCustomError("numbers", "expected a number, nested lists of numbers, or none")


Numbers = Annotated[
    Any,
    BeforeValidator(_numbers),
    WithJsonSchema({"description": "A number, nested lists of numbers, or null: it is None.", "anyOf": [{}]}),
]


def _some(given: Any) -> Any:
    return given if isinstance(given, list) else [given]


Names = Annotated[list[StrictStr], Field(min_length=1), BeforeValidator(_some)]


class Facts(Part):
    """What is true of a tensor."""

    is_leaf: StrictBool | None = None
    """What its `is_leaf` is; null where it does not matter."""
    requires_grad: StrictBool | None = None
    """What its `requires_grad` is; null where it does not matter."""
    version: StrictInt | None = Field(default=None, ge=0)
    """How often it was written (`_version`); null where it does not matter."""
    shape: list[StrictInt] | None = None
    """Length of each dimension; null where it does not matter."""
    grad_fn: StrictStr | None = None
    """Name of its `grad_fn`; `none` for a tensor without one; null where it does not matter."""


class Playhead(Part):
    """Where the playhead is: on a beat, or at the end."""

    beat: Beat
    """The beat of the animation that it is on."""
    of: StrictStr | None = None
    """Name of the tensor or function of the beat; null where any will do."""


class Check(Part):
    """What has to be true for a step to be done: all that is given here."""

    error: StrictStr | None = None
    """The code of the error; `none`: the program ran to its end."""
    value: dict[Path, Numbers] | None = None
    """Tensors and `.grad` at the end of the run."""
    gradient: dict[Path, Numbers] | None = None
    """The gradient that the last pass from this output was given."""
    passes: StrictInt | None = Field(default=None, ge=0)
    """How many backward passes the program runs."""
    functions: Names | None = None
    """Functions of the graph by `grad_fn` or operation."""
    tensor: dict[StrictStr, Facts] | None = None
    """By name of a tensor: what is true of it."""
    events: dict[Change, StrictInt] | None = None
    """How often the program did this."""
    prints: Names | None = None
    """Texts that the output has."""
    source: Names | None = None
    """Texts that the program has, whatever the spaces."""
    notes: Names | None = None
    """Codes of traps that the run is told of; `none`: no trap."""
    chosen: Names | None = None
    """The tensor, element or function that was chosen; one of these."""
    view: View | None = None
    """The view that is open."""
    playhead: Playhead | None = None
    """Where the playhead is."""
    answer: list[float] | None = Field(default=None, min_length=1)
    """The number to be typed; one of these."""

    @model_validator(mode="before")
    @classmethod
    def _one_answer(cls, given: Any) -> Any:
        if not isinstance(given, dict) or given.get("answer") is None:
            return given
        answers = _some(given["answer"])
        if any(isinstance(each, bool) or not isinstance(each, int | float) for each in answers):
            raise PydanticCustomError("answer", "answer: expected a number, or a list of numbers: any of them is right")
        return given | {"answer": answers}

    @model_validator(mode="after")
    def _checks_something(self) -> Check:
        if not self.model_dump(exclude_none=True):
            raise PydanticCustomError(
                "empty", "nothing is checked; allowed: {known}", {"known": ", ".join(Check.model_fields)}
            )
        return self

    @property
    def is_of_program(self) -> bool:
        """Whether an edit of the program is what makes it pass: the rest the reader does to the page."""
        return bool(self.model_dump(exclude_none=True, exclude={"chosen", "view", "playhead", "answer"}))


class Solution(Part):
    """The edit that does what a step asks for. The texts that are replaced stand in the program once."""

    replace: dict[StrictStr, StrictStr] | None = None
    append: StrictStr | None = None
    program: StrictStr | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Solution:
        if len(self.model_dump(exclude_none=True)) != 1:
            raise PydanticCustomError("solution", "expected one of replace, append, program")
        return self


RINGED: Final = re.compile(
    r"(tensor|value of|gradient of|function|line|view) \S.*|\S+\.grad|gradient|output|play|step|program"
)


def _is_ringed(part: str) -> str:
    if not RINGED.fullmatch(part):
        raise PydanticCustomError(
            "ringed",
            "expected what is to be ringed: tensor NAME, value of NAME, gradient of NAME, NAME.grad, function NAME, "
            "line TEXT, view NAME, gradient, output, play, step, program",
        )
    return part


class Ring(Part):
    """The part of the page that is meant, and the label beside it."""

    part: Annotated[StrictStr, AfterValidator(_is_ringed)]
    """What is meant, such as `tensor a`, `a.grad` or `line y = x`; docs/teaching.md lists the ways to say it."""
    label: Words
    """What the label says."""
    note: Words | None = None
    """The second line of the label; null where it has one line."""


class Mistake(Part):
    """A wrong answer, and what it would be right for."""

    answer: float
    """The wrong number."""
    means: Words
    """What it would be right for."""


class StepText(Part):
    """A step as its file says it."""

    title: Words
    text: Words
    check: Check
    hints: list[Words] = Field(min_length=1, max_length=5)
    line: Words | None = None
    ring: Ring | None = None
    mistakes: list[Mistake] = []
    program: StrictStr | None = None
    solution: Solution | None = None
    proof: StrictStr | None = None


class LessonText(Part):
    """The front matter of a lesson."""

    title: Words
    summary: Words
    program: StrictStr
    steps: list[StepText] = Field(min_length=1, max_length=MOST_STEPS)
