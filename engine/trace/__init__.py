"""The recorded run of a program, as frozen dataclasses. This is the JSON contract of the API.

Ids are strings: ``t3`` a tensor, ``n2`` a function (node), ``e5`` an edge, ``p0`` a backward pass, ``r1`` a rule, ``s3`` a place. A tensor that is
written in place keeps its id while its place in the graph is the same, and has a list of its values over time.

The string below a field is its description in the OpenAPI document, too: what it calls null is None here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gradflow.engine.trace.budget import Budget, LeftOutTurn
from gradflow.engine.trace.diagnosis import Edit, ErrorRecord, Fix, Frame, Note, Text, WarningRecord
from gradflow.engine.trace.events import (
    Event,
    FunctionEvent,
    HookEvent,
    MarkEvent,
    PassEvent,
    Place,
    PrintEvent,
    StepEvent,
    WriteEvent,
    ZeroEvent,
)
from gradflow.engine.trace.graph import Edge, NodeRecord, Region, Saved, TensorRecord, TensorVersion
from gradflow.engine.trace.passes import (
    Accumulation,
    GradInput,
    Jacobian,
    LocalJacobian,
    Pass,
    Root,
    Row,
    Step,
)
from gradflow.engine.trace.rules import OperandToken, Rule, TexToken, Token
from gradflow.engine.trace.values import Corner, Number, Span, Summary, Value


@dataclass(frozen=True, slots=True)
class Trace:
    """A whole run: what it printed, how it ended, the graph and the backward passes."""

    source: str
    """The program as it was sent."""
    stdout: str
    """What the program printed; very long output keeps its beginning and its end."""
    error: ErrorRecord | None
    """The exception or the limit that ended the run; null where the program ran to its end."""
    warnings: list[WarningRecord]
    """The warnings that the program gave, in their order."""
    tensors: list[TensorRecord]
    """The tensors of the run, also those that a recorded backward pass made."""
    nodes: list[NodeRecord]
    """The functions that the program called, in the order of the calls."""
    edges: list[Edge]
    """The connections between tensors and functions, in both directions."""
    passes: list[Pass]
    """The backward passes, in the order in which they ran."""
    places: list[Place] = field(default_factory=list)
    """Where in the run something was recorded, as one tree: each place stands after its parent."""
    events: list[Event] = field(default_factory=list)
    """What happened, in the order in which the program did it."""
    notes: list[Note] = field(default_factory=list)
    """Traps that the program walked into and that raise no error, by their lines."""
    shown: list[str] = field(default_factory=list)
    """Ids of the tensors and functions that belong to a picture of the run: what leads to a differentiated output, or to
    a tensor that could be one; of a program that differentiates nothing, all."""
    rules: dict[str, Rule] = field(default_factory=dict)
    """The mathematics of the functions, by the id that ``NodeRecord.rule`` has."""
    budget: Budget = field(default_factory=lambda: Budget(None, 0, 0))
    """How long the trace was allowed to be, and what it did without for that."""
    left_out: list[LeftOutTurn] = field(default_factory=list)
    """A row of scalars for each turn of a loop that was left out and had a pass; of very many, for every k-th."""
    local_jacobians: dict[str, list[LocalJacobian]] = field(default_factory=dict)
    """By id of a function: its own Jacobians, for the functions for which the request asked, where they could be
    computed."""
    schema: Literal[2] = 2
    """Version of this contract; it is raised when a field changes its meaning or goes away."""


__all__ = [
    "Accumulation",
    "Budget",
    "Corner",
    "Edge",
    "Edit",
    "ErrorRecord",
    "Event",
    "Fix",
    "Frame",
    "FunctionEvent",
    "GradInput",
    "HookEvent",
    "Jacobian",
    "LeftOutTurn",
    "LocalJacobian",
    "MarkEvent",
    "NodeRecord",
    "Note",
    "Number",
    "OperandToken",
    "Pass",
    "PassEvent",
    "Place",
    "PrintEvent",
    "Region",
    "Root",
    "Row",
    "Rule",
    "Saved",
    "Span",
    "Step",
    "StepEvent",
    "Summary",
    "TensorRecord",
    "TensorVersion",
    "TexToken",
    "Text",
    "Token",
    "Trace",
    "Value",
    "WarningRecord",
    "WriteEvent",
    "ZeroEvent",
]
