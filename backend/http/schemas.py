"""The shapes of requests and of everything else in the API that is not a trace."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from gradflow.backend.arguments import MAX_BYTES
from gradflow.engine.reference import Kind
from gradflow.engine.trace import Text

SPECIAL: Final = ("NaN", "Infinity", "-Infinity")
"""JSON has no such numbers: both ways they travel as strings."""

MAX_DIMENSIONS: Final = 64
MOST_ENTRIES: Final = 1000
"""Inputs, replaced gradients, tensors that are asked for."""
LONGEST_NAME: Final = 100
MOST_DIGITS: Final = 9

ARRAY_SCHEMA: Final = {
    "title": "Array",
    "description": "A number, or nested lists of numbers; NaN and infinities as strings.",
    "anyOf": [
        {"type": "number"},
        {"type": "boolean"},
        {"type": "string", "enum": list(SPECIAL)},
        {"type": "array", "items": {}},
    ],
}


def _check_array(value: object) -> object:
    """Numbers in lists, not deeper than an array can be. Whether the lists are even is the engine's to say."""
    pending: list[tuple[object, int]] = [(value, 0)]
    while pending:
        item, depth = pending.pop()
        if isinstance(item, list):
            if depth == MAX_DIMENSIONS:
                raise PydanticCustomError("array_depth", "An array has at most {most} dimensions", {"most": depth})
            pending.extend((part, depth + 1) for part in item)
        elif not isinstance(item, bool | int | float) and item not in SPECIAL:
            raise PydanticCustomError("array_element", "Expected a number or nested lists of numbers")
    return value


Array = Annotated[object, BeforeValidator(_check_array), WithJsonSchema(ARRAY_SCHEMA)]


def _check_few(value: object) -> object:
    """Before anything is made of the entries."""
    if isinstance(value, dict) and len(value) > MOST_ENTRIES:
        raise PydanticCustomError("too_many", "At most {most} entries are taken", {"most": MOST_ENTRIES})
    return value


Name = Annotated[str, Field(max_length=LONGEST_NAME)]


def _check_counts(value: dict[str, object]) -> dict[str, object]:
    for key in value:
        if not (key.isascii() and key.isdecimal() and len(key) <= MOST_DIGITS):
            raise PydanticCustomError("count", "Expected the number of a backward call as key: 0, 1, ...")
    return value


class Request(BaseModel):
    """A body: of these fields and types, and nothing else."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Leaf(Request):
    """An input with its dtype, or one that needs no gradient."""

    data: Array
    """Its values; the lists of one dimension are equally long."""
    dtype: str = Field(default="float32", max_length=LONGEST_NAME, examples=["float64"])
    """The dtype, as PyTorch names it, with or without `torch.`."""
    requires_grad: bool = True
    """Whether gradients are computed for it; integers and booleans take none."""


def _leaf_or_array(value: object) -> object:
    return value if isinstance(value, dict) else {"data": value}


Input = Annotated[
    Leaf,
    BeforeValidator(_leaf_or_array),
    WithJsonSchema({"anyOf": [{"$ref": "#/components/schemas/Leaf"}, ARRAY_SCHEMA]}),
]


EXAMPLE: Final[dict[str, Any]] = {
    "source": "c = a.mm(b)",
    "inputs": {"a": [[1, 2], [3, 4]], "b": [[1, 2, 3], [4, 5, 6]]},
    "gradient": [[1, 1, 1], [1, 1, 1]],
}
"""The request that the document shows, with its whole answer."""


class TraceRequest(Request):
    """A program, and what to differentiate in it."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    @model_validator(mode="before")
    @classmethod
    def _check_fields(cls, value: object) -> object:
        return _check_few(value)

    source: str
    """A PyTorch program, or one expression."""
    inputs: Annotated[dict[Name, Input], BeforeValidator(_check_few)] | None = None
    """Leaves by name. A bare list is float32 and requires grad."""
    output: Name | None = None
    """Name of the tensor to differentiate; by default the last assignment's or expression's."""
    gradient: Array | None = None
    """The gradient argument, in the shape of the output."""
    gradients: Annotated[dict[str, Array], AfterValidator(_check_counts), BeforeValidator(_check_few)] | None = None
    """Replaces the gradient argument of the program's own k-th backward, by k, from 0."""
    retain_graph: bool = False
    """As in `backward`: keep the graph for another pass. It applies when the program itself runs no backward."""
    create_graph: bool = False
    """As in `backward`: record the pass itself. It applies when the program itself runs no backward."""
    jacobian: bool = False
    """Also the Jacobian of the last differentiated output."""
    max_elements: int = Field(default=256, ge=1)
    """Arrays with more elements are summarised."""
    max_bytes: int = Field(default=MAX_BYTES, ge=500_000)
    """How long the answer may be, in bytes; beyond it arrays become summaries and turns of loops are left out."""
    values: list[Name] = Field(default=[], max_length=MOST_ENTRIES, examples=[["t3"]])
    """Ids of tensors that are told in full, from an earlier answer to the same request."""
    local_jacobians: list[Name] = Field(default=[], max_length=MOST_ENTRIES, examples=[["n0"]])
    """Ids of functions whose own Jacobians are told, where they are not too large."""


class FieldError(BaseModel):
    """One thing wrong with a request, and where."""

    location: list[str | int]
    """The part of the request, then names and indices down to the field: `["body", "gradient"]`, `["query", "format"]`."""
    message: str
    """What is wrong there."""
    code: str
    """Which kind of mistake it is, such as `missing`, `array_element` or `invalid`."""


class Problem(BaseModel):
    """Every error of the API has this shape: RFC 9457, problem details."""

    type: str = Field(examples=["/docs/problems#invalid-request"])
    """Which kind of problem it is: the address of what it means, on this server."""
    title: str = Field(examples=["Unprocessable Content"])
    """The name of the status."""
    status: int = Field(examples=[422])
    """The status of the answer."""
    detail: str
    """What is wrong with this request, in one or two sentences."""
    errors: list[FieldError] | None = None
    """With status 422: each thing that is wrong."""


class Gradient(BaseModel):
    """The gradient of one parameter of an operation."""

    parameter: str
    """Name of the parameter, as in `signature`."""
    formula: str = Field(examples=["g @ mat2.mT"])
    """The vector-Jacobian product as in the source of the engine; `g` is the upstream gradient."""
    latex: str
    """The same in LaTeX; `\\bar{y}` is the upstream gradient."""
    saved: list[str] = Field(examples=[["mat2"]])
    """What the formula keeps from the forward pass."""


class Operation(BaseModel):
    """Something that programs can call: an operation of the registry, or what is found in a module or on a class.

    An operation of several overloads has an entry for each. What has no formula of its own, such as a layer, has no
    ``latex`` and no ``gradients``.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "name": "mm",
                    "kind": "operation",
                    "functions": ["torch.mm", "torch.Tensor.mm"],
                    "signature": "(input, mat2)",
                    "signatures": ["(Tensor input, Tensor mat2, *, Tensor out = None)"],
                    "doc": "Matrix product of two matrices: (n, m), (m, p) -> (n, p).",
                    "grad_fn": "MmBackward0",
                    "latex": "y = \\mathit{input}\\,\\mathit{mat2}",
                    "gradients": [
                        {
                            "parameter": "input",
                            "formula": "g @ conj(mat2.T)",
                            "latex": "\\bar{y}\\,\\mathit{mat2}^{\\mathsf{H}}",
                            "saved": ["mat2"],
                        }
                    ],
                },
            ]
        }
    )

    name: str
    """The last part of its first name."""
    kind: Kind
    """What it is; an `operation` is one of the engine's, which may have a gradient of its own."""
    functions: list[str] = Field(examples=[["torch.mm", "torch.Tensor.mm"]])
    """Every dotted name under which programs find it, the shortest first."""
    signature: str
    """Parameters with their defaults; of a method without the object before the dot."""
    signatures: list[str]
    """PyTorch's own signatures as its error messages show them; may be empty."""
    doc: str
    """What it does, in one paragraph."""
    grad_fn: str | None
    """What PyTorch names the function of the graph; null without a gradient."""
    latex: str
    """The forward rule in LaTeX, for operations; else empty."""
    gradients: list[Gradient]
    """The vector-Jacobian products, for operations; else empty."""


class ExampleProgram(BaseModel):
    """One program of the gallery."""

    id: str
    """Its stable name, as links to the playground have it (`#example=`)."""
    title: Text
    """What the menu calls it."""
    summary: Text
    """What it shows, in one sentence; may be empty for a teacher's own."""
    group: Text
    """The heading that it stands under in the menu."""
    source: str
    """The program."""


class LimitsInForce(BaseModel):
    """The limits of this server: seconds, bytes and counts."""

    time_limit: float
    """Wall-clock time that a program may run, in seconds."""
    memory_limit: int
    """Memory that a program may add to its process, in bytes."""
    operation_limit: int
    """Operations that a program may record."""
    max_source_bytes: int
    """Longest program, in bytes of UTF-8."""
    max_body_bytes: int
    """Longest body of a request, in bytes."""
    max_elements: int
    """Largest `max_elements` that a request may ask for."""
    concurrency: int
    """Programs that run at the same time."""
    queue: int
    """Requests that may wait for a free place; beyond it the answer is 503."""


class Health(BaseModel):
    """What this server is and what it can do."""

    status: str = Field(examples=["ok"])
    """Always `ok`: a server that does not work answers with a problem."""
    version: str
    """Version of the installed package."""
    seccomp: bool
    """Whether the kernel confines the programs."""
    playground: bool
    """Whether the built page is served at /."""
    links: bool
    """Whether short links can be stored."""
    limits: LimitsInForce
    """The limits in force."""


class Ready(BaseModel):
    """The server can run programs."""

    status: str = Field(examples=["ready"])
    """Always `ready`: a server that is not answers with a problem."""
