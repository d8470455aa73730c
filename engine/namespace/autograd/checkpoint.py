"""``torch.utils.checkpoint``: run a function without keeping what its backward needs, and run it again for that.

https://pytorch.org/docs/stable/checkpoint.html
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.autograd import backward
from gradflow.engine.autograd.function.function import Function
from gradflow.engine.autograd.kept_tensors import Kept
from gradflow.engine.dispatch.autocast import Region
from gradflow.engine.namespace.autograd.graph import saved_tensors_hooks
from gradflow.engine.namespace.random.generator import fork_rng
from gradflow.engine.numerics import mersenne_twister
from gradflow.engine.sandbox.gate import allow
from gradflow.engine.state import STATE, grad_mode, recorded, unrecorded, warn
from gradflow.engine.tensor import Tensor

_PASS_IT = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling"
    " {name} without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to"
    " preserve"
    " the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences"
    " between the two variants."
)
_CHECKS: Final = ["default", "none"]
_EARLY: Final = "checkpoint_early_stop"
_REENTRANT = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to"
    " .backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without"
    " passing the"
    " `inputs` argument."
)


_NOT_REENTRANT = "Passing `context_fn` or `debug` is only supported when use_reentrant=False."


def noop_context_fn() -> tuple[Any, Any]:
    """What surrounds the call, and the call when it is run again: nothing."""
    return nullcontext(), nullcontext()


class CheckpointPolicy(enum.Enum):
    """What a policy says of a function: keep its result, or compute it again."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


CheckpointPolicy.__module__ = "torch.utils.checkpoint"


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[Any, Any]:
    """Two contexts for ``context_fn``. Here everything is computed again, whatever the policy says: the numbers are the same."""
    if not isinstance(policy_fn_or_list, list) and not callable(policy_fn_or_list):
        raise errors.DERIVATIVE_TYPE(message="policy_fn_or_list must be either a function or a list of ops.")
    warn(_SELECTIVE, "Note", once=True)
    return nullcontext(), nullcontext()


_SELECTIVE = (
    "The policy of a selective checkpoint is not asked: everything within the checkpoint is computed again, which gives the"
    " same numbers."
)


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Callable[[], Any] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args)``, whose intermediate results are computed again in the backward pass."""
    if use_reentrant is None:
        warn(_PASS_IT.format(name="checkpoint"))
        use_reentrant = True
    if not use_reentrant:
        return _non_reentrant(function, args, kwargs, preserve_rng_state, context_fn, determinism_check, early_stop)
    if context_fn is not noop_context_fn or debug is not False:
        raise errors.DERIVATIVE_VALUE(message=_NOT_REENTRANT)
    if kwargs:
        raise errors.DERIVATIVE_VALUE(message="Unexpected keyword arguments: " + ",".join(kwargs))
    if not any(isinstance(a, Tensor) and a.requires_grad for a in args):
        warn("None of the inputs have requires_grad=True. Gradients will be None")
    return CheckpointFunction.apply(function, preserve_rng_state, *args)


def _non_reentrant(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    preserve: bool,
    context_fn: Any,
    check: str,
    early: bool,
) -> Any:
    if check not in _CHECKS:
        raise errors.DERIVATIVE_VALUE(message=f"determinism_check should be one of {_CHECKS}, but got {check}")
    contexts = context_fn()
    if not STATE.grad:
        return function(*args, **kwargs)
    chosen = STATE.settings.get(_EARLY)
    frame = _Frame(function, args, kwargs, early if chosen is None else chosen, check != "none")
    return frame.forward(preserve, args, contexts)


class set_checkpoint_early_stop:
    """Whether, inside, computing again stops as soon as all that is needed is there, whatever a call says itself."""

    def __init__(self, enable: bool) -> None:
        self.enable, self.before = enable, STATE.settings.get(_EARLY)

    def __enter__(self) -> None:
        self.before, STATE.settings[_EARLY] = STATE.settings.get(_EARLY), self.enable

    def __exit__(self, *_: object) -> None:
        STATE.settings[_EARLY] = self.before


class _Then:
    """What a call depends on beside its arguments: where the random numbers have come to, and mixed precision."""

    def __init__(self, preserve: bool) -> None:
        self.drawn = mersenne_twister.GENERATOR.state() if preserve else None
        self.region = STATE.autocast

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Inside, all is as it was then; afterwards it goes on as if it had not been."""
        outer, region = STATE.autocast, self.region
        STATE.autocast = None if region is None else Region(region.dtype, region.caching, outer)
        try:
            with fork_rng(enabled=self.drawn is not None):
                if self.drawn is not None:
                    mersenne_twister.GENERATOR.restore(self.drawn)
                yield
        finally:
            STATE.autocast = outer


class CheckpointError(RuntimeError):
    """What was computed again is not what was computed before."""

    __module__ = "torch.utils.checkpoint"


def _differs(message: str) -> CheckpointError:
    error = CheckpointError(message)
    error.__dict__.update(kind=errors.RECOMPUTED, details={"message": message})
    return error


_TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint‑debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""  # PyTorch's own hyphen


def _metadata(tensor: Tensor) -> str:
    return f"{{'shape': {tensor.shape}, 'dtype': {tensor.dtype}, 'device': device(type='cpu')}}"


_MORE = (
    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward pass.\n"
)


class _Stop(BaseException):
    """All that was saved has been computed again."""


class _Frame:
    """One checkpointed call. What would be saved is numbered; on the first use in a pass all is computed again."""

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], early: bool, checked: bool
    ) -> None:
        self.function, self.kwargs, self.early, self.checked = function, kwargs, early, checked
        self.args = [Kept(a) if isinstance(a, Tensor) else a for a in args]
        self.saved: list[str] = []
        self.again: list[Tensor] = []
        self.graph_task: object = self
        self.completed = False
        self.differentiated_inside = False

    def forward(self, preserve: bool, args: tuple[Any, ...], contexts: tuple[Any, Any]) -> Any:
        self.then, self.context = _Then(preserve), contexts[1]
        with saved_tensors_hooks(self.number, self.use), contexts[0]:
            result = self.function(*args, **self.kwargs)
        self.completed = True
        return result

    def number(self, tensor: Tensor) -> int:
        self.saved.append(_metadata(tensor))
        return len(self.saved) - 1

    def use(self, number: int) -> Tensor:
        if self.graph_task is not STATE.graph_task or self.graph_task is None or number >= len(self.again):
            self.recompute()
            self.check()
        return self.again[number]

    def check(self) -> None:
        """Raises CheckpointError where other tensors were saved than the first time."""
        start = "torch.utils.checkpoint: "
        if self.differentiated_inside:
            return
        if len(self.again) != len(self.saved):
            raise _differs(
                f"{start}A different number of tensors was saved during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.saved)}\n"
                f"Number of tensors saved during recomputation: {len(self.again)}.\n{_TIP}"
            )
        different = [
            f"tensor at position {index}:\nsaved metadata: {saved}\nrecomputed metadata: {_metadata(tensor)}\n"
            for index, (saved, tensor) in enumerate(zip(self.saved, self.again, strict=True))
            if saved != _metadata(tensor)
        ]
        if different and self.checked:
            raise _differs(
                f"{start}Recomputed values for the following tensors have different metadata than during the forward"
                f" pass.\n{''.join(different)}.\n{_TIP}"
            )

    def recompute(self) -> None:
        args = [a.tensor() if isinstance(a, Kept) else a for a in self.args]
        self.again, self.graph_task = [], STATE.graph_task
        try:
            with (
                unrecorded(),
                grad_mode(True),
                saved_tensors_hooks(self.collect, lambda tensor: tensor),
                self.then.restored(),
                self.context,
            ):
                self.function(*args, **self.kwargs)
        except _Stop:
            pass

    def collect(self, tensor: Tensor) -> Tensor:
        value = Tensor(tensor._a, tensor._st)
        if len(self.again) >= len(self.saved):
            if self.completed:
                raise _differs(_MORE + _TIP)
            self.differentiated_inside = True
            return value
        self.again.append(value)
        if self.early and len(self.again) == len(self.saved):
            raise _Stop
        return value


class CheckpointFunction(Function):
    """The reentrant form: a function whose backward runs the call again, with gradients, and differentiates it."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve: bool, *args: Any) -> Any:
        ctx.run_function, ctx.arguments = run_function, args
        ctx.then = _Then(preserve)
        ctx.save_for_backward(*(a for a in args if isinstance(a, Tensor)))
        return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        if STATE.graph_task is not None and STATE.graph_task.targets is not None:
            raise errors.DERIVATIVE_CALL(message=_REENTRANT)
        saved = iter(ctx.saved_tensors)
        inputs = [_detached(next(saved)) if isinstance(a, Tensor) else a for a in ctx.arguments]
        with grad_mode(True), recorded(), ctx.then.restored():
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
    return {
        "CheckpointError": CheckpointError,
        "CheckpointPolicy": CheckpointPolicy,
        "create_selective_checkpoint_contexts": create_selective_checkpoint_contexts,
        "noop_context_fn": noop_context_fn,
        "checkpoint": checkpoint,
        "checkpoint_sequential": checkpoint_sequential,
        "set_checkpoint_early_stop": set_checkpoint_early_stop,
    }


allow(CheckpointPolicy, ("name", "value", *CheckpointPolicy.__members__), shown_as=CheckpointPolicy)
