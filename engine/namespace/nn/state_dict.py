"""State of modules out and in, and what else works on all tensors of a module."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.inplace import into_memory
from gradflow.engine.namespace.nn.parameter import Parameter, WithoutShape
from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.sandbox.gate import check_writable, type_name
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor
from gradflow.engine.tensor.storage import accumulator_of
from gradflow.engine.tensor.without_array import WithoutArray

if TYPE_CHECKING:
    from gradflow.engine.namespace.nn.module import Module


EXTRA = "_extra_state"
NO_EXTRA = (
    "Reached a code path in Module.{which}_extra_state() that should never be called. Please file an issue at"
    " https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ("missing_keys", "unexpected_keys"))):
    """Which paths were missing and which were unknown."""

    __slots__ = ()

    def __repr__(self) -> str:
        return super().__repr__() if any(self) else "<All keys matched successfully>"

    __str__ = __repr__


IncompatibleKeys = _IncompatibleKeys


class Replacing:
    """A hook whose result takes the place of the state that it was given."""

    def __init__(self, hook: Callable[..., Any]) -> None:
        self._hook = hook

    def __call__(self, *given: Any) -> Any:
        return self._hook(*given)


def state_dict(module: Module, result: Any, prefix: str, keep: bool) -> Any:
    """Add the state of a module to ``result``, with its hooks."""
    whole: Any = OrderedDict() if result is None else result
    if result is None:
        whole._metadata = OrderedDict()
    about = {"version": module._version}
    if hasattr(whole, "_metadata"):
        whole._metadata[prefix[:-1]] = about
    for hook in module._state_dict_pre_hooks.values():
        hook(module, prefix, keep)
    module._save_to_state_dict(whole, prefix, keep)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=whole, prefix=f"{prefix}{name}.", keep_vars=keep)
    collected = whole
    for hook in module._state_dict_hooks.values():
        changed = hook(module, whole, prefix, about)
        if changed is not None and isinstance(hook, Replacing):
            whole = changed
        elif changed is not None:
            raise errors.MODULE_RUNTIME(message="state_dict post-hook must return None")
    if result is None and STATE.recorder is not None and whole is collected:
        STATE.recorder.modules.state_taken(whole, STATE.recorder.place())
    return whole


def save(module: Module, result: dict[str, Any], prefix: str, keep: bool) -> None:
    """Add the parameters and lasting buffers of one module, without those inside it."""
    lasting = {n: b for n, b in module._buffers.items() if n not in module._non_persistent_buffers_set}
    for name, held in (*module._parameters.items(), *lasting.items()):
        if held is not None:
            made_tensor(held)
            result[prefix + name] = (
                held if keep else held.detach() if isinstance(held, WithoutArray) else Tensor(held._a, held._st)
            )
    if _has_extra(module, "get_extra_state"):
        result[f"{prefix}{EXTRA}"] = module.get_extra_state()


def _has_extra(module: Module, method: str) -> bool:
    return getattr(type(module), method) is not getattr(_base(module), method)


def _base(module: Module) -> type:
    return next(cls for cls in type(module).__mro__ if "_save_to_state_dict" in vars(cls) and cls.__name__ == "Module")


def load(module: Module, given: Any, strict: bool, assign: bool = False) -> IncompatibleKeys:
    """Copy the values of ``given`` into a module, or with ``assign`` put the tensors themselves in place."""
    if not isinstance(given, Mapping):
        raise errors.STATE_TYPE(type=_full_name(given))
    about = getattr(given, "_metadata", None)
    found: tuple[list[str], list[str], list[str]] = ([], [], [])
    _load(module, OrderedDict(given), "", about, assign, found)
    missing, unexpected, complaints = found
    if strict and unexpected:
        complaints.insert(0, f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
    if strict and missing:
        complaints.insert(0, f"Missing key(s) in state_dict: {_quoted(missing)}. ")
    if complaints:
        told = "\n\t".join(complaints)
        raise errors.STATE_LOADING(type=type(module).__name__, complaints=told, state=OrderedDict(given))
    return IncompatibleKeys(missing, unexpected)


def _full_name(given: Any) -> str:
    """The name of the type with its module, as Python prints it."""
    if isinstance(given, Tensor):
        return "torch.Tensor"
    cls = type(given)
    return f"{cls.__module__}.{cls.__qualname__}" if hasattr(cls, "load_state_dict") else type_name(given)


def _load(
    module: Module,
    given: Any,
    prefix: str,
    about: Any,
    assign: bool,
    found: tuple[list[str], list[str], list[str]],
) -> None:
    own = {} if about is None else about.get(prefix[:-1], {})
    if assign:
        own["assign_to_params_buffers"] = assign
    module._load_from_state_dict(given, prefix, own, True, *found)
    for name, child in module._modules.items():
        if child is not None:
            inner = f"{prefix}{name}."
            _load(child, {k: v for k, v in given.items() if k.startswith(inner)}, inner, about, assign, found)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, IncompatibleKeys(found[0], found[1])) is not None:
            raise errors.MODULE_ASSERTION(
                message="Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new"
                " values, if incompatible_keys need to be modified, it should be done inplace."
            )


def load_own(
    module: Module,
    given: Any,
    prefix: str,
    about: Any,
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    complaints: list[str],
) -> None:
    """Take the parameters and lasting buffers of one module from ``given``; note what does not fit."""
    for hook in module._load_state_dict_pre_hooks.values():
        hook(module, given, prefix, about, strict, missing, unexpected, complaints)
    lasting = {n: b for n, b in module._buffers.items() if n not in module._non_persistent_buffers_set}
    own = {n: held for n, held in (*module._parameters.items(), *lasting.items()) if held is not None}
    assign = about.get("assign_to_params_buffers", False)
    for name, held in own.items():
        key = prefix + name
        if key in given:
            complaints.extend(_fill(module, name, key, held, given[key], assign))
        elif strict:
            missing.append(key)
    extra = f"{prefix}{EXTRA}"
    if _has_extra(module, "set_extra_state"):
        if extra in given:
            module.set_extra_state(given[extra])
        elif strict:
            missing.append(extra)
    elif strict and extra in given:
        unexpected.append(extra)
    if strict:
        unexpected.extend(
            key
            for key in given
            if key.startswith(prefix) and key != extra and not _known(module, own, key[len(prefix) :])
        )


def _known(module: Module, own: Mapping[str, Any], path: str) -> bool:
    first, dot, _ = path.partition(".")
    return first in (module._modules if dot else own)


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _fill(module: Module, name: str, key: str, held: Any, new: Any, assign: bool) -> Iterator[str]:
    """Give one parameter or buffer its new value; what is wrong with that."""
    if not isinstance(new, Tensor):
        yield (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint'
            f" but received <class '{type_name(new)}'>"
        )
        return
    lazy = isinstance(held, WithoutShape)
    if not lazy and not held.ndim and new.ndim == 1:
        new = Tensor(new._a[0])
    if not lazy and held.shape != new.shape:
        yield (
            f"size mismatch for {key}: copying a param with shape {new.shape} from checkpoint,"
            f" the shape in current model is {held.shape}."
        )
    elif assign:
        try:
            placed = _in_place_of(held, new)
        except RuntimeError as refused:
            yield (
                f'While copying the parameter named "{key}", whose dimensions in the model are {held.shape} and whose'
                f" dimensions in the checkpoint are {new.shape}, an exception occurred : {refused.args!r}."
            )
            return
        _put(module, name, placed)
    elif isinstance(held, WithoutArray):
        if held.is_sparse:  # type: ignore[attr-defined]  # a method given to tensors later
            _put(module, name, new)
    elif lazy:
        held.materialize(new._a.shape)
        write(held, new._a)
    else:
        if STATE.recorder is not None and new._st.memory is held._st.memory:
            STATE.recorder.modules.state_given_back(new, STATE.recorder.place())
        write(held, new._a)


def _put(module: Module, name: str, new: Tensor) -> None:
    """Set an attribute, whose name stands in a table that a program has filled."""
    check_writable(module, name)
    setattr(module, name, new)


def _in_place_of(held: Tensor, new: Tensor) -> Tensor:
    if not isinstance(held, Parameter):
        return new
    if isinstance(new, Parameter):
        new.requires_grad = held.requires_grad
        return new
    return Parameter(new, held.requires_grad)


def write(tensor: Tensor, array: np.ndarray) -> None:
    """New values for a tensor, in place and outside the graph."""
    recorder = STATE.recorder
    tensor = made_tensor(tensor)
    if recorder is not None and tensor._entry is not None and tensor._entry.grad_of is not None:
        recorder.entry(tensor)  # what a pass has added since is a value of its own
    overwrite(tensor, array)
    if recorder is not None:
        recorder.chronology.wrote(tensor, "no_grad")


def overwrite(tensor: Tensor, array: np.ndarray) -> None:
    """The same as a part of something that is told as a whole. Not into what a class of the program's keeps in the place of a tensor."""
    made_tensor(tensor)._st.before_write()
    into_memory(tensor, np.asarray(array))
    tensor._st.version += 1


def made_tensor(new: Any) -> Tensor:
    """What stands where a tensor is expected, and may be the program's. Raises TypeError where it is none."""
    if not isinstance(new, Tensor):
        raise errors.DATA_TYPE(type=type_name(new))
    return new


def replace(tensor: Tensor, new: Any) -> None:
    """Give a tensor the data of another, of any dtype, as ``tensor.data = new`` does. Raises TypeError for no tensor."""
    if made_tensor(new)._a is not made_tensor(tensor)._a:
        tensor._accumulator = accumulator_of(tensor, new)
        tensor._a, tensor._st = new._a, new._st
        if STATE.recorder is not None:
            STATE.recorder.replaced(tensor)


def zero_grads(tensors: Iterable[Tensor], forget: bool) -> None:
    """Forget gradients, or set them to 0."""
    having = [tensor for tensor in tensors if made_tensor(tensor)._grad is not None]
    for tensor in having:
        assert tensor._grad is not None
        if forget:
            tensor._grad = None
        else:
            tensor._grad = Tensor(tensor._grad._a, tensor._grad._st) if tensor._grad._node is not None else tensor._grad
            overwrite(tensor._grad, np.zeros_like(tensor._grad._a))
            if STATE.recorder is not None:
                STATE.recorder.entry(tensor._grad).grad_of = STATE.recorder.entry(tensor)
    if STATE.recorder is not None:
        STATE.recorder.chronology.zeroed(having, "none" if forget else "zeros")
