"""``functorch``: the transformations under their names of before, and modules as functions of their parameters.

Source: https://pytorch.org/functorch/stable/functorch.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.autograd import func, vmap
from gradflow.engine.namespace.autograd.stateless import functional_call
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.tensor_arguments import need
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import allow, is_public, type_name
from gradflow.engine.sandbox.library.copies import deepcopy
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor

_TRANSFORMATIONS: Final = ("grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp")


def _deprecated(api: str, new: str) -> None:
    warn(
        "We've integrated functorch into PyTorch. As the final step of the integration, "
        f"`functorch.{api}` is deprecated as of PyTorch 2.0 and will be deleted in a future version of PyTorch >= 2.3. "
        f"Please use `{new}` instead; see the PyTorch 2.0 release notes and/or the `torch.func` migration guide for more"
        " details https://pytorch.org/docs/main/func.migrating.html",
        "FutureWarning",
    )


def _of_before(name: str, function: Callable[..., Any], new: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        _deprecated(name, new)
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


class FunctionalModule(Module):
    """A module as a function of its parameters and, where ``names`` has two lists, of its buffers."""

    def __init__(self, stateless_model: Module, names: Sequence[Sequence[str]]) -> None:
        _check_model(stateless_model, "FunctionalModule")
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = tuple(names[0])
        self._state_names = names

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The call of the module with the state that is given first."""
        count = len(self._state_names)
        pairs = zip(self._state_names, args[:count], strict=True)
        state = {name: tensor for names, tensors in pairs for name, tensor in zip(names, tensors, strict=False)}
        return functional_call(self.stateless_model, state, args[count:], kwargs)


class FunctionalModuleWithBuffers(FunctionalModule):
    """A module as a function of its parameters and buffers."""


def _check_model(model: Any, name: str) -> None:
    if not isinstance(model, Module):
        raise errors.CALL_REFUSED(name=f"{name}() of {type_name(model)}")


def _separated(model: Module, disable_autograd_tracking: bool) -> tuple[Module, dict[str, Any], dict[str, Any]]:
    _check_model(model, "make_functional")
    copied = deepcopy(model)
    parameters, buffers = dict(copied.named_parameters()), dict(copied.named_buffers())
    if disable_autograd_tracking:
        for each in parameters.values():
            need(each, "requires_grad_").requires_grad = False
    return copied, parameters, buffers


def _make(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, tuple[Any, ...]]:
    copied, parameters, _ = _separated(model, disable_autograd_tracking)
    return FunctionalModule(copied, [list(parameters)]), tuple(parameters.values())


def _make_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModule, tuple[Any, ...], tuple[Any, ...]]:
    copied, parameters, buffers = _separated(model, disable_autograd_tracking)
    made = FunctionalModuleWithBuffers(copied, [list(parameters), list(buffers)])
    return made, tuple(parameters.values()), tuple(buffers.values())


def _combine(models: Sequence[Module]) -> tuple[FunctionalModule, tuple[Tensor, ...], tuple[Tensor, ...]]:
    """One function for modules of one class, with their parameters and their buffers stacked."""
    name = "combine_state_for_ensemble"
    if not models:
        raise errors.MODULE_RUNTIME(message=f"{name}: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise errors.MODULE_RUNTIME(message=f"{name}: Expected all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise errors.MODULE_RUNTIME(message=f"{name}: Expected all models to be of the same class.")
    functions, parameters, buffers = zip(*map(_make_with_buffers, models), strict=True)
    return functions[0], _stacked(parameters), _stacked(buffers)


def _stacked(each: Iterable[Sequence[Tensor]]) -> tuple[Tensor, ...]:
    return tuple(REGISTRY["stack"].call(list(shards), 0).detach() for shards in zip(*each, strict=True))


def members() -> dict[str, dict[str, Any]]:
    """What the module shows, by its full name."""
    for cls in (FunctionalModule, FunctionalModuleWithBuffers):
        cls.__module__ = "torch._functorch.make_functional"
        shown = [name for name in dir(cls) if is_public(name)]
        allow(cls, shown, readable=lambda held, name: is_public(name) and name in vars(held), subclass=True)
    today = func.members()
    moved: dict[str, Any] = {
        name: _of_before(name, today[name], f"torch.func.{name}") for name in _TRANSFORMATIONS if name in today
    }
    moved["vmap"] = _of_before("vmap", vmap.vmap, "torch.vmap")
    for function, name, new in (
        (_make, "make_functional", "torch.func.functional_call"),
        (_make_with_buffers, "make_functional_with_buffers", "torch.func.functional_call"),
        (_combine, "combine_state_for_ensemble", "torch.func.stack_module_state"),
    ):
        moved[name] = _of_before(name, function, new)
    classes = {cls.__name__: cls for cls in (FunctionalModule, FunctionalModuleWithBuffers)}
    return {"functorch": {**moved, **classes, "__version__": "2.13.0"}}
