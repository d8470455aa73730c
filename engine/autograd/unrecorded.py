"""The recorder inside a block that is left out of the trace: nothing is noted, but the modes in force still see it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from gradflow.engine.autograd.saved_tensors import attend
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.autograd.node import Node
    from gradflow.engine.recording.recorder import Recorder


class Muted:
    """Has the methods of a `Recorder`; warnings alone reach the real one."""

    running = None

    def __init__(self, recorder: Recorder | None) -> None:
        self.recorder = recorder

    def call(
        self, op: Any, node: Node | None, operands: tuple[Any, ...], settings: Any, outs: tuple[Tensor, ...]
    ) -> None:
        attend(node, operands, outs)

    def before_inplace(self, tensor: Tensor) -> tuple[None, None]:
        return None, None

    def inplace(self, op: Any, node: Node | None, before: Any, operands: tuple[Any, ...], settings: Any) -> None:
        attend(node, operands, ())

    def override(self, outputs: Sequence[Tensor], gradients: Sequence[Any]) -> Sequence[Any]:
        return gradients

    def backward(self, *_: object) -> AbstractContextManager[None]:
        return nullcontext()

    def warn(self, category: str, message: str, once: bool) -> None:
        if self.recorder is not None:
            self.recorder.warn(category, message, once)

    def _nothing(self, *_: object) -> None:
        """Not noted."""

    alias = regenerated = update = forget = assigned_grad = new = place = _nothing
    step = accumulate = captured = keep_gradient = watch = _nothing
