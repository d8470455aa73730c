"""``torch.nn.utils.parametrize``: parameters that are computed from others every time they are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from weakref import WeakSet

from gradflow.engine import errors
from gradflow.engine.namespace.nn.containers import ModuleDict, ModuleList
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.namespace.nn.state_dict import replace
from gradflow.engine.sandbox.gate import allow, exact_name, is_public, type_name
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.state import grad_mode
from gradflow.engine.tensor import Tensor

_CACHE: dict[str, Any] = {"depth": 0, "held": {}}


def _refuse(wrong: bool, message: str) -> None:
    if wrong:
        raise errors.MODULE_ARGUMENT(message=message)


class ParametrizationList(ModuleList):
    """The modules that a tensor goes through, and the tensors it is computed from."""

    original: Any

    def __init__(self, modules: Any, original: Tensor, unsafe: bool = False) -> None:
        _refuse(not modules, "ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with grad_mode(False):
            new = self._inverse(original.detach())
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            replace(original, new)
            self._keep("original", original)
        else:
            for index, each in enumerate(new):
                wanted = isinstance(original, Parameter)
                self._keep(f"original{index}", Parameter(each, original.requires_grad) if wanted else each)
        if not unsafe:
            self._check(shape, dtype)

    def _check(self, shape: Any, dtype: Any) -> None:
        made = self()
        _refuse(not isinstance(made, Tensor), f"A parametrization must return a tensor. Got {type(made).__name__}.")
        _refuse(
            made.dtype is not dtype,
            "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is"
            f" enabled.\nunparametrized dtype: {dtype}\nparametrized dtype: {made.dtype}",
        )
        _refuse(
            made.shape != shape,
            "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is"
            f" enabled.\nunparametrized shape: {shape}\nparametrized shape: {made.shape}",
        )

    def _keep(self, name: str, tensor: Tensor) -> None:
        if isinstance(tensor, Parameter):
            self.register_parameter(name, tensor)
        else:
            self.register_buffer(name, tensor)

    def _inverse(self, value: Any) -> Any:
        for module in reversed(list(self)):
            if hasattr(module, "right_inverse"):
                try:
                    value = module.right_inverse(value)
                except NotImplementedError:
                    continue
        return value

    def right_inverse(self, value: Any) -> None:
        """Set the tensors from which the parametrized one is computed, so that it takes this value."""
        with grad_mode(False):
            new = self._inverse(value.detach() if isinstance(value, Tensor) else value)
            given = (new,) if self.is_tensor else tuple(new)
            names = ("original",) if self.is_tensor else tuple(f"original{i}" for i in range(self.ntensors))
            for name, each in zip(names, given, strict=True):
                replace(getattr(self, name), each)

    def forward(self) -> Any:  # it has no inputs
        """The tensor."""
        first, *others = list(self)
        names = ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]
        x = first(*(getattr(self, name) for name in names))
        for module in others:
            x = module(x)
        return x


def _property(name: str) -> property:
    def read(self: Any) -> Any:
        made = self.parametrizations[name]
        if not _CACHE["depth"]:
            return made()
        key = (id(self), name)
        if key not in _CACHE["held"]:
            _CACHE["held"][key] = made()
        return _CACHE["held"][key]

    def write(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(read, write)


def _readable(module: Any, name: str) -> bool:
    own = vars(module)
    tables = ("_parameters", "_buffers", "_modules")
    return is_public(name) and (hasattr(type(module), name) or name in own or any(name in own[t] for t in tables))


_MADE: Final[WeakSet[type]] = WeakSet()
"""The classes that were made for a module: in these alone properties are written, whatever a program calls `parametrizations`."""


def _own_class(module: Module) -> None:
    """Give a module a class of its own, which can have properties."""
    cls = type(module)
    # a metaclass of the program is not asked: it could answer with any class
    made: Any = type.__new__(type(cls), f"Parametrized{cls.__name__}", (cls,), {"__doc__": cls.__doc__})
    made.__module__ = "torch.nn.utils.parametrize"
    allow(made, (), readable=_readable, writable=is_public, shown_as=made)
    _MADE.add(made)
    object.__setattr__(module, "__class__", made)


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """Let a parameter or buffer be computed by a module each time it is read. Raises ValueError."""
    if is_special(exact_name(tensor_name)):
        raise errors.READ_ONLY(type=type_name(module), name=tensor_name)
    if not isinstance(module, Module) or not isinstance(parametrization, Module):
        raise TypeError(
            "a parametrization is a Module, of a Module"
        )  # what is no module has other tables, and no class to change
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        held = module.parametrizations[tensor_name]
        if not unsafe:
            before = getattr(module, tensor_name)
            after = parametrization(before)
            for what in ("dtype", "shape"):
                new, old = getattr(after, what, None), getattr(before, what)
                _refuse(
                    new != old,
                    f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag"
                    f" is enabled.\nmodule.{tensor_name}.{what}: {old}\n"
                    f"parametrization(module.{tensor_name}).{what}: {new}",
                )
            if hasattr(parametrization, "right_inverse"):
                with grad_mode(False):
                    held.right_inverse(parametrization.right_inverse(before))
        held.append(parametrization)
        return module
    known = tensor_name in module._parameters or tensor_name in module._buffers
    _refuse(
        not known,
        f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'",
    )
    made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _own_class(module)
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _property(tensor_name))
    module.parametrizations[tensor_name] = made
    return module


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether anything of a module is parametrized, or the tensor of this name."""
    held = getattr(module, "parametrizations", None)
    if not isinstance(held, ModuleDict) or type(module) not in _MADE:
        return False
    return len(held) > 0 if tensor_name is None else tensor_name in held


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Make a parametrized tensor an ordinary one again: as it is, or the original."""
    _refuse(
        not is_parametrized(module, tensor_name), f"Module {module} does not have a parametrization on {tensor_name}"
    )
    held = module.parametrizations[tensor_name]
    if held.is_tensor:
        original = held.original
        if leave_parametrized:
            with grad_mode(False):
                replace(original, getattr(module, tensor_name).detach())
    else:
        _refuse(
            not leave_parametrized,
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is"
            " parametrized in terms of a sequence of tensors.",
        )
        made = getattr(module, tensor_name)
        original = Parameter(made.detach(), held.original0.requires_grad)
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    (module.register_parameter if isinstance(original, Parameter) else module.register_buffer)(tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        object.__setattr__(module, "__class__", type(module).__bases__[0])
    return module


def type_before_parametrizations(module: Any) -> Any:
    """The class that a module had before it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


@contextmanager
def cached() -> Iterator[None]:
    """Within this, parametrized tensors are computed once."""
    _CACHE["depth"] += 1
    try:
        yield
    finally:
        _CACHE["depth"] -= 1
        if not _CACHE["depth"]:
            _CACHE["held"] = {}


FUNCTIONS: dict[str, Any] = {
    f.__name__: f
    for f in (
        register_parametrization,
        is_parametrized,
        remove_parametrizations,
        type_before_parametrizations,
        cached,
    )
}
