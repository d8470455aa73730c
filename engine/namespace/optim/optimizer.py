"""What all optimizers have: groups of parameters with settings, and state for each parameter.

The steps are taken on the arrays themselves: they are no part of the graph. Products with a number are added as
PyTorch's fused multiply-add does it, with one rounding (`plus`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.hooks import RemovableHandle, register
from gradflow.engine.dispatch import reduced
from gradflow.engine.namespace.nn.module_attributes import full_name
from gradflow.engine.namespace.nn.state_dict import made_tensor, zero_grads
from gradflow.engine.namespace.optim.complex_parts import change_by_gradient
from gradflow.engine.namespace.optim.held_state import as_of, params_of
from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.sandbox.library.copies import deepcopy
from gradflow.engine.sandbox.rules import exact_keywords
from gradflow.engine.state import STATE, grad_mode, warn
from gradflow.engine.tensor import Tensor

Group = dict[str, Any]


_HOOKS = (
    "_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks", "_optimizer_load_state_dict_post_hooks",
)  # fmt: skip
_TWICE = "some parameters appear in more than one parameter group"
_DUPLICATES = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see"
    " github.com/pytorch/pytorch/issues/40967 for more information"
)
_SET = (
    "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change"
    " between runs. Please use a list instead."
)


class RequiredParameter:
    """What stands as the default of a setting that an optimizer must be given."""

    def __repr__(self) -> str:
        return "<required parameter>"


required: Final = RequiredParameter()


class Optimizer:
    """The base of the optimizers."""

    _running = False
    _tracked = False
    """Whether a schedule watches that steps are taken."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """A step that a program writes runs the hooks too."""
        super().__init_subclass__(**kwargs)
        own = vars(cls).get("step")
        if own is not None and not cls.__module__.startswith("gradflow."):

            def step(self: Any, *args: Any, **kwargs: Any) -> Any:
                return run_hooked(self, lambda *a, **k: own(self, *a, **k), args, kwargs)

            step.__name__, step.__doc__ = "step", own.__doc__
            cls.step = step  # type: ignore[method-assign]  # in place of the program's own

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if not isinstance(defaults, dict):
            raise TypeError(f"the defaults of an optimizer are a dict, not {type_name(defaults)}")
        self.defaults = defaults
        for name in _HOOKS:
            setattr(self, name, OrderedDict())
        self._stepped = False
        if isinstance(params, Tensor):
            raise errors.PARAMETERS_TYPE(type=f"torch.{params.dtype.legacy}Tensor")
        lr = defaults.get("lr")
        if isinstance(lr, Tensor) and lr._a.size != 1:
            raise errors.OPTIMIZER_ARGUMENT(message="Tensor lr must be 1-element")
        self.state: dict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = list(params)
        if not groups:
            raise errors.NO_PARAMETERS()
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: Group) -> None:
        """Add parameters with settings of their own. Raises TypeError and ValueError for what is no leaf or not new."""
        if not isinstance(param_group, dict):
            raise errors.MODULE_TYPE(message=f"param_group must be a dict, but got {type(param_group)}")
        params, names = _listed(param_group["params"])
        param_group["params"] = params
        if names:
            param_group["param_names"] = names
        for p in params:
            if not isinstance(p, Tensor):
                raise errors.PARAMETER_TYPE(type=full_name(p))
            if not self.defaults.get("differentiable") and not p.is_leaf and not p.retains_grad:
                raise errors.OPTIMIZE_NON_LEAF(subject=p)
        for name, value in self.defaults.items():
            if value is required and name not in param_group:
                raise errors.OPTIMIZER_ARGUMENT(
                    message=f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            param_group.setdefault(name, value)
        own = {id(p) for p in params}
        if len(own) != len(params):
            warn(_DUPLICATES)
        for group in self.param_groups:
            if ("param_names" in group) != ("param_names" in param_group):
                given = "with names" if "param_names" in param_group else "without names"
                raise errors.OPTIMIZER_ARGUMENT(
                    message="all optimizer param groups should be with/without names. cannot add param group"
                    f" {given} to the optimizer"
                )
        for number, group in enumerate(self.param_groups):
            if twice := [id(p) for p in group["params"] if id(p) in own]:
                raise errors.OPTIMIZER_ARGUMENT(message=_TWICE, groups=(number, len(self.param_groups)), twice=twice)
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or set them to 0."""
        for group in self.param_groups:
            zero_grads(group["params"], set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters once. ``closure`` computes the loss and its gradients anew."""
        return run_hooked(self, partial(recorded, self), () if closure is None else (closure,), {})

    def _take(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step, without hooks."""
        loss = None
        if closure is not None:
            with grad_mode(True):
                loss = closure()
        with grad_mode(False):
            for group in self.param_groups:
                for p in group["params"]:
                    if made_tensor(p)._grad is not None:
                        self._check_layout(p._grad, group)
                        state = self.state[p] if self._keeps_state(group) else {}
                        change_by_gradient(self._change, p, p._grad, state, group)
        return loss

    _takes_sparse: ClassVar[bool] = False
    _sparse_refused: ClassVar[str] = ""
    """What to say where a gradient is sparse, if that is not as for all others."""

    def _check_layout(self, grad: Tensor, group: Group) -> None:
        """Raises RuntimeError for a sparse gradient that this optimizer does not take."""
        if not grad.is_sparse:  # type: ignore[attr-defined]  # on every tensor
            return
        if not self._takes_sparse:
            own = self._sparse_refused or f"{type(self).__name__} does not support sparse gradients"
            raise errors.MODULE_RUNTIME(message=own)
        if group.get("weight_decay"):
            raise errors.MODULE_RUNTIME(message="weight_decay option is not compatible with sparse gradients")

    def _keeps_state(self, group: Group) -> bool:
        """Whether the parameters of a group have state."""
        return True

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """Change one parameter; every optimizer defines it."""
        raise NotImplementedError

    # -- state ----------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Settings and state, with numbers in place of the parameters."""
        hooks: Any = vars(self)
        for hook in hooks["_optimizer_state_dict_pre_hooks"].values():
            hook(self)
        order = {id(p): i for i, p in enumerate(p for group in self.param_groups for p in group["params"])}
        groups = [{**_settings(g), "params": [order[id(p)] for p in g["params"]]} for g in self.param_groups]
        result = {
            "state": {order.get(id(p), p): held for p, held in self.state.items()},
            "param_groups": groups,
        }
        for hook in hooks["_optimizer_state_dict_post_hooks"].values():
            result = hook(self, result) or result
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take settings and state from another optimizer of the same shape."""
        hooks: Any = vars(self)
        state_dict = state_dict.copy()
        for hook in hooks["_optimizer_load_state_dict_pre_hooks"].values():
            state_dict = hook(self, state_dict) or state_dict
        given = state_dict["param_groups"]
        if len(given) != len(self.param_groups):
            raise errors.OPTIMIZER_ARGUMENT(message="loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(given, self.param_groups, strict=True)):
            raise errors.OPTIMIZER_ARGUMENT(
                message="loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        numbers = [n for group in given for n in group["params"]]
        known = dict(zip(numbers, (p for g in self.param_groups for p in params_of(g)), strict=True))
        state: dict[Any, Any] = defaultdict(dict)
        for number, held in state_dict["state"].items():
            state[known.get(number, number)] = as_of(known.get(number), deepcopy(held))
        self.state = state
        self.param_groups = [
            {"params": own["params"], **deepcopy(_settings(new))}
            for own, new in zip(self.param_groups, given, strict=True)
        ]
        self.defaults.setdefault("differentiable", False)
        for hook in hooks["_optimizer_load_state_dict_post_hooks"].values():
            hook(self)

    def register_step_pre_hook(self, hook: Any) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before every step; what it returns takes the place of the arguments."""
        return register(vars(self)["_optimizer_step_pre_hooks"], hook)

    def register_step_post_hook(self, hook: Any) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after every step."""
        return register(vars(self)["_optimizer_step_post_hooks"], hook)

    def register_state_dict_pre_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before the state is collected."""
        return register(vars(self)["_optimizer_state_dict_pre_hooks"], hook)

    def register_state_dict_post_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` after the state was collected; what it returns takes its place."""
        return register(vars(self)["_optimizer_state_dict_post_hooks"], hook)

    def register_load_state_dict_pre_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before loading; what it returns takes the place of the state."""
        return register(vars(self)["_optimizer_load_state_dict_pre_hooks"], hook)

    def register_load_state_dict_post_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` after loading."""
        return register(vars(self)["_optimizer_load_state_dict_post_hooks"], hook)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for index, group in enumerate(self.param_groups):
            lines = [f"    {name}: {value}\n" for name, value in sorted(_settings(group).items())]
            text += f"\nParameter Group {index}\n" + "".join(lines)
        return text + ")"


def recorded(optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
    """One step without hooks, which the recorder notes as one event."""
    with STATE.recorder.chronology.step(optimizer) if STATE.recorder is not None else nullcontext():
        return optimizer._take(*args, **kwargs)


def run_hooked(optimizer: Optimizer, step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a step with the hooks before and after it. Raises TypeError for what is no optimizer."""
    if not isinstance(optimizer, Optimizer):  # a class of the program was asked for its `step`
        raise errors.MODULE_TYPE(message=f"an Optimizer is expected, not {type_name(optimizer)}")
    if optimizer._running:
        return step(*args, **kwargs)
    optimizer._stepped = optimizer._running = True
    try:
        return _with_hooks(optimizer, step, (optimizer, *args), kwargs)
    finally:
        optimizer._running = False


def _with_hooks(optimizer: Optimizer, step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    hooks: Any = vars(optimizer)
    for hook in list(hooks.get("_optimizer_step_pre_hooks", {}).values()):
        changed = hook(optimizer, args, kwargs)
        if changed is not None:
            if not isinstance(changed, tuple) or len(changed) != 2:
                raise errors.MODULE_RUNTIME(
                    message=f"{type(optimizer).__name__}.step must return None or a tuple of (new_args, new_kwargs),"
                    f" but got {changed}."
                )
            args, kwargs = changed[0], exact_keywords(changed[1])
    result = step(*args[1:], **kwargs)
    for hook in list(hooks.get("_optimizer_step_post_hooks", {}).values()):
        hook(optimizer, args, kwargs)
    return result


def _listed(params: Any) -> tuple[list[Any], list[str]]:
    """The parameters of a group, and their names where they have names."""
    if isinstance(params, Tensor):
        return [params], []
    if isinstance(params, set | frozenset):
        raise errors.MODULE_TYPE(message=_SET)
    given = list(params)
    names = [p[0] for p in given if isinstance(p, tuple)]
    if names and len(names) != len(given):
        raise errors.OPTIMIZER_ARGUMENT(
            message="all optimizer params should be with/without names. Some param names are missing"
        )
    return [p[1] if isinstance(p, tuple) else p for p in given], names


def check_fused(defaults: dict[str, Any]) -> None:
    """Raises RuntimeError where ``fused`` is asked for together with what excludes it."""
    if defaults["fused"] and defaults["differentiable"]:
        raise errors.MODULE_RUNTIME(message="`fused` does not support `differentiable`")
    if defaults["fused"] and defaults["foreach"]:
        raise errors.MODULE_RUNTIME(message="`fused` and `foreach` cannot be `True` together.")


def beta_range(betas: Any) -> None:
    """Raises ValueError for one of two betas outside [0, 1)."""
    for index in range(2):
        if not 0.0 <= betas[index] < 1.0:
            raise errors.OPTIMIZER_ARGUMENT(message=f"Invalid beta parameter at index {index}: {betas[index]}")


def _settings(group: Group) -> Group:
    return {name: value for name, value in group.items() if name != "params"}


def plus(a: np.ndarray, b: np.ndarray, factor: float = 1.0) -> np.ndarray:
    """a + factor * b, rounded once."""
    if a.dtype.kind == "V":
        return reduced.added(a, b, factor)
    if factor == 1:
        result: np.ndarray = a + b
    elif a.dtype != np.float32:
        result = a + a.dtype.type(factor) * b
    else:
        result = np.empty(a.shape, np.float32)
        _plus_in_double(np.ravel(a), np.ravel(b), float(np.float32(factor)), result.reshape(-1))
    return result


_BLOCK = 16384
"""Elements in double precision that stay in the cache."""


def _plus_in_double(a: np.ndarray, b: np.ndarray, factor: float, result: np.ndarray) -> None:
    """a + factor * b, computed in double and rounded once, block by block."""
    sums, terms = np.empty((2, min(_BLOCK, a.size)))
    for start in range(0, a.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        total, term = sums[: a[part].size], terms[: a[part].size]
        total[...], term[...] = a[part], b[part]
        term *= factor
        total += term
        result[part] = total


def times(a: np.ndarray, factor: float) -> np.ndarray:
    """factor * a in the precision of ``a``."""
    if a.dtype.kind == "V":
        return times(a.astype(np.float32), factor).astype(a.dtype)
    result: np.ndarray = a * a.dtype.type(factor)
    return result


def divided(a: np.ndarray, number: float) -> np.ndarray:
    """a / number in the precision of ``a``."""
    if a.dtype.kind == "V":
        return divided(a.astype(np.float32), number).astype(a.dtype)
    result: np.ndarray = a / a.dtype.type(number)
    return result


def at_least_0(settings: dict[str, Any], names: Iterable[tuple[str, str]], *, below: bool = False) -> None:
    """Raises ValueError for a setting below 0, and with ``below`` for those alone: NaN is let through."""
    for name, title in names:
        if settings[name] < 0.0 if below else not 0.0 <= settings[name]:  # noqa: SIM300  # in this order a text is refused
            raise errors.OPTIMIZER_ARGUMENT(message=f"Invalid {title}: {settings[name]}")


def decayed(p: Tensor, grad: np.ndarray, group: Group) -> np.ndarray:
    """The gradient, turned round where the goal is a maximum, with weight decay."""
    grad = -grad if group["maximize"] else grad
    return plus(grad, p._a, group["weight_decay"]) if group["weight_decay"] else grad
