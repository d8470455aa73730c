"""Calls of modules with hooks, forward and backward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradflow.engine import errors
from gradflow.engine.autograd.function.function import Function
from gradflow.engine.sandbox.rules import exact_keywords
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.namespace.nn.module import Module

_NO_INPUTS = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require"
    " gradients. See"
    " https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook "
    "for more details."
)
_NOT_TENSORS = (
    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received {type}"
)
_COUNT = "Backward {what} returned an invalid number of {which}, got {actual}, but expected {expected}"
_SILENCED = "module forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised in forward: {error}"
_OLD = (
    "Using a non-full backward hook when the forward contains multiple autograd Nodes is deprecated and will be removed"
    " in future versions. This hook will be missing some grad_input. Please use register_full_backward_hook to get the"
    " documented behavior."
)


def call_with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a module that has hooks. Those with ``always_call`` run even where the call raises."""
    done: set[int] = set()
    given: list[Any] = [args, kwargs, None]
    try:
        return _call(module, given, done)
    except Exception:
        for number, hook in list(module._forward_hooks.items()):
            if number in module._forward_hooks_always_called and number not in done:
                _call_silently(module, number, hook, given)
        raise


def _call_silently(module: Module, number: int, hook: Any, given: list[Any]) -> None:
    args, kwargs, result = given
    try:
        with_kwargs = number in module._forward_hooks_with_kwargs
        hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
    except Exception as error:
        warn(_SILENCED.format(error=error))


def _call(module: Module, given: list[Any], done: set[int]) -> Any:
    everywhere = STATE.module_hooks or {}
    for hook in list(everywhere.get("forward_pre", {}).values()):
        _before(module, hook, False, given)
    for number, hook in list(module._forward_pre_hooks.items()):
        _before(module, hook, number in module._forward_pre_hooks_with_kwargs, given)
    args, kwargs, _ = given
    full = module._is_full_backward_hook is not False
    hooks = [*everywhere.get("full_backward", {}).values(), *module._backward_hooks.values()]
    before = [*everywhere.get("full_backward_pre", {}).values(), *module._backward_pre_hooks.values()]
    backward = BackwardHooks(module, hooks if full else [], before) if (hooks and full) or before else None
    if backward is not None:
        args = given[0] = backward.inputs(args)
    given[2] = module.forward(*args, **kwargs)
    for hook in list(everywhere.get("forward", {}).values()):
        changed = hook(module, args, given[2])
        given[2] = given[2] if changed is None else changed
    for number, hook in list(module._forward_hooks.items()):
        if number in module._forward_hooks_always_called:
            done.add(number)
        with_kwargs = number in module._forward_hooks_with_kwargs
        changed = hook(module, args, kwargs, given[2]) if with_kwargs else hook(module, args, given[2])
        given[2] = given[2] if changed is None else changed
    if backward is not None:
        if not isinstance(given[2], Tensor | tuple):
            warn(_NOT_TENSORS.format(type=type(given[2])))
        given[2] = backward.outputs(given[2])
    if hooks and not full:
        _at_the_end(module, hooks, args, given[2])
    return given[2]


def _before(module: Module, hook: Any, with_kwargs: bool, given: list[Any]) -> None:
    """One hook before the call; what it returns takes the place of the arguments."""
    if not with_kwargs:
        changed = hook(module, given[0])
        if changed is not None:
            given[0] = changed if isinstance(changed, tuple) else (changed,)
        return
    changed = hook(module, given[0], given[1])
    if changed is None:
        return
    if not isinstance(changed, tuple) or len(changed) != 2:
        raise errors.MODULE_RUNTIME(
            message=f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
        )
    given[0], given[1] = changed[0], exact_keywords(changed[1])


def _at_the_end(module: Module, hooks: list[Any], args: tuple[Any, ...], result: Any) -> None:
    """The hooks of before: they see the last function of the module alone."""
    last = result
    while not isinstance(last, Tensor):
        last = next(v for v in last.values() if isinstance(v, Tensor)) if isinstance(last, dict) else last[0]
    node: Any = last.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(lambda grads, outs, hook=hook: hook(module, grads, outs))
    known = {id(a.grad_fn) for a in args if isinstance(a, Tensor) and a.grad_fn is not None}
    if known != {id(following) for following, _ in node.next_functions}:
        warn(_OLD, "FutureWarning")


class BackwardHookFunction(Function):
    """The tensors themselves, under one node on which hooks can be set."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:  # as every Function has it
        """The tensors as they are."""
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        """The gradients as they are."""
        return args


def _watched(given: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int] | None, Any]:
    """The arguments with their tensors under one node; the places of these; the node. None for both without gradient."""
    places = [i for i, each in enumerate(given) if isinstance(each, Tensor)]
    tensors = [given[i] for i in places]
    if not (STATE.grad and any(t.requires_grad for t in tensors)):
        return given, None, None
    made: tuple[Tensor, ...] = BackwardHookFunction.apply(*tensors)
    result = list(given)
    for place, tensor in zip(places, made, strict=True):
        result[place] = tensor
    cls: Any = type(given)
    named = cls(*result) if hasattr(given, "_fields") else tuple(result)
    return named, places, next(t.grad_fn for t in made if t.grad_fn is not None)


def _spread(values: Any, places: list[int], count: int) -> tuple[Any, ...]:
    """The values at their places, and None elsewhere."""
    known = dict(zip(places, values, strict=False))
    return tuple(known.get(i) for i in range(count))


class BackwardHooks:
    """The backward hooks of one call: they run when the gradients of its outputs, and of its inputs, are known."""

    def __init__(self, module: Module, hooks: list[Any], before: list[Any]) -> None:
        self.module, self.hooks, self.before = module, hooks, before
        self.grad_outputs: tuple[Any, ...] | None = None
        self.input_places: list[int] | None = None
        self.inputs_given = 0

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, watched."""
        self.inputs_given = len(args)
        args, self.input_places, node = _watched(args)
        if node is not None:
            node.register_hook(self._input_hook())
        return args

    def outputs(self, result: Any) -> Any:
        """The outputs, watched."""
        single = not isinstance(result, tuple)
        watched, places, node = _watched((result,) if single else result)
        if node is not None:
            count = len(watched)
            node.register_hook(lambda _, grads: self._reached_outputs(grads, places or [], count))
        return watched[0] if single else watched

    def _reached_outputs(self, grads: Any, places: list[int], count: int) -> Any:
        known: tuple[Any, ...] = _spread(grads, places, count)
        for hook in self.before:
            changed = hook(self.module, known)
            if changed is not None:
                changed = changed if isinstance(changed, tuple | list) else (changed,)
                self._counted("pre hook", "grad_output", changed, count)
                known = tuple(changed)
        self.grad_outputs = known
        if self.input_places is None:
            self._without_inputs()
        return tuple(known[i] for i in places)

    def _without_inputs(self) -> None:
        """No input requires a gradient: the hooks run now."""
        warn(_NO_INPUTS)
        for hook in self.hooks:
            answer = hook(self.module, (None,) * self.inputs_given, self.grad_outputs)
            if answer is not None and not (isinstance(answer, tuple) and all(each is None for each in answer)):
                raise errors.MODULE_RUNTIME(
                    message="Backward hook for Modules where no input requires gradient should always return None or"
                    " None for all gradients."
                )
        self.grad_outputs = None

    def _input_hook(self) -> Any:
        """What messages call ``hook``, as PyTorch's function is named."""

        def hook(grads: Any, others: Any) -> Any:
            return self._reached_inputs(grads, others)

        return hook

    def _reached_inputs(self, grads: Any, _: Any) -> Any:
        if self.grad_outputs is None or self.input_places is None:
            return None
        known: Any = _spread(grads, self.input_places, self.inputs_given)
        for hook in self.hooks:
            changed = hook(self.module, known, self.grad_outputs)
            if changed is not None:
                self._counted("hook", "grad_input", changed, len(known))
                known = changed
        self.grad_outputs = None
        return tuple(known[i] for i in self.input_places)

    def _counted(self, what: str, which: str, given: Any, expected: int) -> None:
        if len(given) != expected:
            raise errors.MODULE_RUNTIME(
                message=_COUNT.format(what=what, which=which, actual=len(given), expected=expected)
            )
