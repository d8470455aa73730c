"""The shapes of requests and of everything else in the API that is not a trace."""

from __future__ import annotations

from typing import Annotated, Final

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
    dtype: str = Field(default="float32", max_length=LONGEST_NAME, examples=["float64"])
    requires_grad: bool = True


def _leaf_or_array(value: object) -> object:
    return value if isinstance(value, dict) else {"data": value}


Input = Annotated[
    Leaf,
    BeforeValidator(_leaf_or_array),
    WithJsonSchema({"anyOf": [{"$ref": "#/components/schemas/Leaf"}, ARRAY_SCHEMA]}),
]


class TraceRequest(Request):
    """A program, and what to differentiate in it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "source": "c = a.mm(b)",
                    "inputs": {"a": [[1, 2], [3, 4]], "b": [[1, 2, 3], [4, 5, 6]]},
                    "gradient": [[1, 1, 1], [1, 1, 1]],
                }
            ]
        }
    )

    @model_validator(mode="before")
    @classmethod
    def _check_fields(cls, value: object) -> object:
        return _check_few(value)

    source: str = Field(description="A PyTorch program, or one expression.")
    inputs: Annotated[dict[Name, Input], BeforeValidator(_check_few)] | None = Field(
        default=None, description="Leaves by name. A bare list is float32 and requires grad."
    )
    output: Name | None = Field(
        default=None,
        description="Name of the tensor to differentiate; by default the last assignment's or expression's.",
    )
    gradient: Array | None = Field(default=None, description="The gradient argument, in the shape of the output.")
    gradients: Annotated[dict[str, Array], AfterValidator(_check_counts), BeforeValidator(_check_few)] | None = Field(
        default=None, description="Replaces the gradient argument of the program's own k-th backward, by k."
    )
    retain_graph: bool = False
    create_graph: bool = False
    jacobian: bool = Field(default=False, description="Also the Jacobian of the last differentiated output.")
    max_elements: int = Field(default=256, ge=1, description="Larger arrays are summarised.")
    max_bytes: int = Field(
        default=MAX_BYTES,
        ge=500_000,
        description="How long the answer may be; beyond it arrays become summaries and turns of loops are left out.",
    )
    values: list[Name] = Field(
        default=[], max_length=MOST_ENTRIES, description="Ids of tensors that are told in full.", examples=[["t3"]]
    )
    local_jacobians: list[Name] = Field(
        default=[],
        max_length=MOST_ENTRIES,
        description="Ids of functions whose own Jacobians are told, where they are not too large.",
        examples=[["n0"]],
    )


class FieldError(BaseModel):
    """One thing wrong with a request, and where: ``["body", "gradient"]``, ``["query", "format"]``."""

    location: list[str | int]
    message: str
    code: str


class Problem(BaseModel):
    """Every error of the API has this shape: RFC 9457, problem details."""

    type: str = "about:blank"
    title: str = Field(examples=["Unprocessable Content"])
    status: int = Field(examples=[422])
    detail: str
    errors: list[FieldError] | None = Field(default=None, description="With status 422: each thing that is wrong.")


class Gradient(BaseModel):
    """The gradient of one parameter of an operation."""

    parameter: str
    formula: str = Field(description="As in the source of the engine.", examples=["g @ mat2.mT"])
    latex: str
    saved: list[str] = Field(description="What the formula keeps from the forward pass.", examples=[["mat2"]])


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

    name: str = Field(description="The last part of its first name.")
    kind: Kind
    functions: list[str] = Field(
        description="Every dotted name under which programs find it, the shortest first.",
        examples=[["torch.mm", "torch.Tensor.mm"]],
    )
    signature: str = Field(description="Parameters with their defaults; of a method without the object before the dot.")
    signatures: list[str] = Field(description="PyTorch's own signatures as its error messages show them; may be empty.")
    doc: str = Field(description="What it does, in one paragraph.")
    grad_fn: str | None = Field(description="What PyTorch names the function of the graph; null without a gradient.")
    latex: str = Field(description="The forward rule, for operations.")
    gradients: list[Gradient] = Field(description="The vector-Jacobian products, for operations.")


class ExampleProgram(BaseModel):
    """One program of the gallery."""

    id: str
    title: Text
    summary: Text
    group: Text
    source: str


class LimitsInForce(BaseModel):
    """Seconds, bytes and counts."""

    time_limit: float
    memory_limit: int
    operation_limit: int
    max_source_bytes: int
    max_body_bytes: int
    max_elements: int
    concurrency: int
    queue: int


class Health(BaseModel):
    """What this server is and what it can do."""

    status: str = Field(examples=["ok"])
    version: str
    seccomp: bool = Field(description="Whether the kernel confines the programs.")
    graphviz: str = Field(description="What draws pictures.", examples=["dot", "pygraphviz", "none"])
    playground: bool = Field(description="Whether the built page is served at /.")
    links: bool = Field(description="Whether short links can be stored.")
    limits: LimitsInForce


class Ready(BaseModel):
    """The server can run programs."""

    status: str = Field(examples=["ready"])
