"""``torch.utils.checkpoint``: run a function without keeping what its backward needs, and run it again for that.

https://pytorch.org/docs/stable/checkpoint.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine import backward, errors
from engine.function import Function
from engine.namespace.graph import saved_tensors_hooks
from engine.state import STATE, grad_mode, unrecorded, warn
from engine.tensor import Tensor

_PASS_IT = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling"
    " {name} without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to"
    " preserve"
    " the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences"
    " between the two variants."
)
_REENTRANT = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to"
    " .backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without"
    " passing the"
    " `inputs` argument."
)


def checkpoint(
    function: Callable[..., Any], *args: Any, use_reentrant: bool | None = None, preserve_rng_state: bool = True,
    context_fn: Any = None, determinism_check: str = "default", debug: bool = False, early_stop: bool = True, **kwargs: Any,
) -> Any:  # fmt: skip
    """``function(*args)``, whose intermediate results are computed again in the backward pass."""
    if use_reentrant is None:
        warn(_PASS_IT.format(name="checkpoint"))
        use_reentrant = True
    if not use_reentrant:
        return _Frame(function, args, kwargs, early_stop).forward()
    if kwargs:
        raise errors.DERIVATIVE_VALUE(message="Unexpected keyword arguments: " + ",".join(kwargs))
    if not any(isinstance(a, Tensor) and a.requires_grad for a in args):
        warn("None of the inputs have requires_grad=True. Gradients will be None")
    return CheckpointFunction.apply(function, preserve_rng_state, *args)


class _Stop(BaseException):
    """All that was saved has been computed again."""


class _Frame:
    """One checkpointed call. What would be saved is numbered; on the first use in a pass all is computed again."""

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], early: bool
    ) -> None:
        self.function, self.args, self.kwargs, self.early = function, args, kwargs, early
        self.count = 0
        self.again: list[Tensor] = []
        self.runner: object = self

    def forward(self) -> Any:
        with saved_tensors_hooks(self.number, self.use):
            return self.function(*self.args, **self.kwargs)

    def number(self, tensor: Tensor) -> int:
        self.count += 1
        return self.count - 1

    def use(self, number: int) -> Tensor:
        if self.runner is not STATE.runner or number >= len(self.again):
            self.recompute()
        if number >= len(self.again):
            raise errors.DERIVATIVE_CALL(
                message="torch.utils.checkpoint: A different number of tensors was saved during the original forward and"
                f" recomputation.\nNumber of tensors saved during forward: {self.count}\nNumber of tensors saved during"
                f" recomputation: {len(self.again)}."
            )
        return self.again[number]

    def recompute(self) -> None:
        self.again, self.runner = [], STATE.runner
        try:
            with unrecorded(), grad_mode(True), saved_tensors_hooks(self.collect, _absent):
                self.function(*self.args, **self.kwargs)
        except _Stop:
            pass

    def collect(self, tensor: Tensor) -> None:
        self.again.append(Tensor(tensor._a, tensor._st))
        if self.early and len(self.again) == self.count:
            raise _Stop


def _absent(_: object) -> Tensor:
    raise errors.BACKWARD_TWICE()


class CheckpointFunction(Function):
    """The reentrant form: a function whose backward runs the call again, with gradients, and differentiates it."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve: bool, *args: Any) -> Any:
        ctx.run_function, ctx.arguments = run_function, args
        return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        if STATE.runner is not None and STATE.runner.targets is not None:
            raise errors.DERIVATIVE_CALL(message=_REENTRANT)
        inputs = [_detached(a) if isinstance(a, Tensor) else a for a in ctx.arguments]
        with grad_mode(True):
            returned = ctx.run_function(*inputs)
        outputs = returned if isinstance(returned, tuple) else (returned,)
        pairs = [
            (o, g) for o, g in zip(outputs, grad_outputs, strict=False) if isinstance(o, Tensor) and o.requires_grad
        ]
        if not pairs:
            raise errors.DERIVATIVE_CALL(
                message="none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        backward.backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(i._grad if isinstance(i, Tensor) else None for i in inputs))


def _detached(tensor: Tensor) -> Tensor:
    fresh = tensor.detach()
    fresh._rg = tensor.requires_grad
    return fresh


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """A chain of functions in ``segments`` parts, each of which is checkpointed but the last."""
    if use_reentrant is None:
        warn(_PASS_IT.format(name="checkpoint_sequential"))
        use_reentrant = True
    chain = list(functions)
    size = len(chain) // segments
    for start in range(0, size * (segments - 1), size):
        input = checkpoint(_chained(chain[start : start + size]), input, use_reentrant=use_reentrant, **kwargs)
    return _chained(chain[size * (segments - 1) :])(input)


def _chained(functions: list[Callable[..., Any]]) -> Callable[..., Any]:
    def run(value: Any) -> Any:
        for function in functions:
            value = function(value)
        return value

    return run


def members() -> dict[str, Any]:
    """The public names of the module."""
    return {"checkpoint": checkpoint, "checkpoint_sequential": checkpoint_sequential}
