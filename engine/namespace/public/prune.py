"""``torch.nn.utils.prune`` as programs import it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.nn.module_attributes import Registering, real_modules, table_of
from gradflow.engine.namespace.nn.utils import parameters_to_vector
from gradflow.engine.namespace.public.pruning_methods import (
    CLASSES,
    BasePruningMethod,
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    PruningContainer,
    RandomStructured,
    RandomUnstructured,
    as_method,
    check,
    ones,
    prunes,
)
from gradflow.engine.sandbox.classes.kept_whole import keep_whole
from gradflow.engine.sandbox.gate import allow, exact_name, is_public, read_attribute, type_name
from gradflow.engine.state import grad_mode, unrecorded


def identity(module: Any, name: str) -> Any:
    """Prune nothing."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    """Prune elements at random."""
    RandomUnstructured.apply(module, name, amount=amount)
    return module


def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Any = None) -> Any:
    """Prune the elements of the least magnitude, or score."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: Any, dim: int) -> Any:
    """Prune slices at random."""
    RandomStructured.apply(module, name, amount=amount, dim=dim)
    return module


def ln_structured(module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None) -> Any:
    """Prune the slices of the least norm."""
    LnStructured.apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """Prune by a mask."""
    CustomFromMask.apply(module, name, mask=mask)
    return module


def global_unstructured(parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any) -> None:
    """Prune elements of several parameters, chosen among all of them."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = [(module, exact_name(name)) for module, name in parameters]  # once: a pair could be another the next time
    for module, name in pairs:
        check(module, name)
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method'
            f" {pruning_method} of type {method.PRUNING_TYPE}"
        )
    as_method(method)._tensor_name = "temp"
    with unrecorded(), grad_mode(False):
        held = [read_attribute(module, name) for module, name in pairs]
        every = parameters_to_vector([scores.get(pair, each) for pair, each in zip(pairs, held, strict=True)])
        masks = [_mask(module, name, each) for (module, name), each in zip(pairs, held, strict=True)]
        mask = PruningContainer(method).compute_mask(every, parameters_to_vector(masks))
        parts = mask.split([each.numel() for each in held])
    for (module, name), each, part in zip(pairs, held, parts, strict=True):
        custom_from_mask(module, name, mask=part.reshape(tuple(each.shape)))


def _mask(module: Any, name: str, held: Any) -> Any:
    """The mask by which a parameter is pruned already, or ones."""
    found = table_of(module, "_buffers").get(f"{name}_mask")
    return ones(held) if found is None else found


def remove(module: Any, name: str) -> Any:
    """Make a pruned tensor the parameter, for good. Raises ValueError where it is not pruned."""
    check(module, name)
    for key, hook in module._forward_pre_hooks.items():
        if prunes(hook, name):
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise errors.MODULE_ARGUMENT(
        message=f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Any) -> bool:
    """Whether anything in a module is pruned."""
    if not issubclass(type(module), Registering):
        raise AttributeError(f"'{type_name(module)}' object has no attribute 'named_modules'")
    hooks = (hook for each in real_modules(module) for hook in vars(each)["_forward_pre_hooks"].values())
    return any(isinstance(hook, BasePruningMethod) for hook in hooks)


_FUNCTIONS: Final = (
    identity, random_unstructured, l1_unstructured, random_structured, ln_structured, custom_from_mask, global_unstructured,
    remove, is_pruned,
)  # fmt: skip


def members() -> dict[str, dict[str, Any]]:
    """What the module shows, by its full name."""
    keep_whole(*CLASSES)
    for cls in CLASSES:
        cls.__module__ = "torch.nn.utils.prune"
        shown = [name for name in dir(cls) if is_public(name)]
        allow(cls, (*shown, "_tensor_name"), readable=_own, writable=_writable, subclass=True)
    return {"torch.nn.utils.prune": {each.__name__: each for each in (*CLASSES, *_FUNCTIONS)}}


def _own(held: Any, name: str) -> bool:
    return is_public(name) and name in vars(held)


def _writable(name: str) -> bool:
    return is_public(name) or name == "_tensor_name"
