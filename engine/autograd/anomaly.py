"""Anomaly detection: a backward pass that stops at the first NaN, and the warning that tells where it began."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import Node
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Tensor

_NO_FORWARD = "No forward pass information available. Enable detect anomaly during forward pass for more information."


def check_nan(node: Node, grad_inputs: Sequence[Any]) -> None:
    """Raises RuntimeError for the first gradient of an input that has a NaN."""
    for index, grad_input in enumerate(grad_inputs):
        array = grad_input._a if isinstance(grad_input, Tensor) else grad_input
        if array is not None and bool(np.isnan(array).any()):
            warn_of(node)
            raise errors.NAN_GRADIENT(name=node.name(), index=index)


def warn_of(node: Node) -> None:
    """The warning that tells where the forward call of a failing function stands, if anomalies are looked for."""
    if STATE.anomaly:
        known = "Traceback of forward call that caused the error:" if node.traced else _NO_FORWARD
        warn(f"Error detected in {node.name()}. {known}")
