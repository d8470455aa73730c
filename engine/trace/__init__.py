"""The recorded run of a program, as frozen dataclasses. This is the JSON contract of the API.

Ids are strings: ``t3`` a tensor, ``n2`` a function (node), ``e5`` an edge, ``p0`` a backward pass, ``r1`` a rule, ``s3`` a place. A tensor that is
written in place keeps its id while its place in the graph is the same, and has a list of its values over time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
    Step,
)
from gradflow.engine.trace.rules import OperandToken, Rule, TexToken, Token
from gradflow.engine.trace.values import Corner, Number, Span, Summary, Value


@dataclass(frozen=True, slots=True)
class Trace:
    """A whole run: what it printed, how it ended, the graph and the backward passes.

    ``shown`` has the ids of the tensors and functions that belong to a picture of it: what leads to a differentiated
    output, or to a tensor that could be one; of a program that differentiates nothing, all. ``events`` are in the order
    in which the program did them. ``notes`` tell of traps that raise no error. ``local_jacobians`` has, by id, those of
    the functions for which the request asked, where they could be computed.
    """

    source: str
    stdout: str
    error: ErrorRecord | None
    warnings: list[WarningRecord]
    tensors: list[TensorRecord]
    nodes: list[NodeRecord]
    edges: list[Edge]
    passes: list[Pass]
    places: list[Place] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    rules: dict[str, Rule] = field(default_factory=dict)
    budget: Budget = field(default_factory=lambda: Budget(None, 0, 0))
    left_out: list[LeftOutTurn] = field(default_factory=list)
    local_jacobians: dict[str, list[LocalJacobian]] = field(default_factory=dict)
    schema: int = 2


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
