"""``torch.nn.utils.parametrize``: parameters that are computed from others every time they are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from weakref import WeakKeyDictionary

from gradflow.engine import errors
from gradflow.engine.namespace.nn.containers import ModuleDict, ModuleList
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.namespace.nn.state_dict import made_tensor, replace
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.classes.raw_content import put, take_out
from gradflow.engine.sandbox.gate import allow, exact_name, forget, type_name
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.state import STATE, grad_mode, undone_at_end
from gradflow.engine.tensor import Tensor


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
        """Set the tensors from which the parametrized one is computed, so that it takes this value. Raises RuntimeError."""
        for module in reversed(list(self)):
            if not hasattr(module, "right_inverse"):
                raise errors.MODULE_RUNTIME(
                    message=f"parametrization {type(module).__name__} does not implement right_inverse."
                )
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


# -- the classes of modules that are parametrized --------------------------------------------------------------------------

_MADE: Final[WeakKeyDictionary[type, set[str]]] = WeakKeyDictionary()
"""The classes that were made for a module, and what of it is parametrized: in these alone properties are written, whatever a
program calls `parametrizations`, and whatever it has done to a module meanwhile."""


def _changed(module: Any, name: str) -> Exception:
    return errors.MODULE_RUNTIME(
        message=f"{type_name(module)}.{name} was changed while its parametrization was computed"
    )


def _held(module: Any) -> ModuleDict | None:
    """The lists of parametrizations of a module, unless the program has put anything else in their place."""
    table = vars(module).get("_modules") if type(module) in _MADE else None
    held = table.get("parametrizations") if isinstance(table, dict) else None
    return held if type(held) is ModuleDict else None


def _list_of(module: Any, name: str) -> ParametrizationList | None:
    """The parametrizations of a tensor, if it has any."""
    held = _held(module)
    found = None if held is None or name not in _MADE.get(type(module), ()) else held._modules.get(name)
    return found if type(found) is ParametrizationList else None


def _property(name: str) -> property:
    def found(self: Any) -> ParametrizationList:
        if (computed := _list_of(self, name)) is None:
            raise errors.NO_ATTRIBUTE(type=type_name(self), name=name, value=self)
        return computed

    def read(self: Any) -> Any:
        computed = found(self)
        if not STATE.parametrized["depth"]:
            return computed()
        key = (id(self), name)
        if key not in STATE.parametrized["held"]:
            STATE.parametrized["held"][key] = computed()
        return STATE.parametrized["held"][key]

    def write(self: Any, value: Any) -> None:
        found(self).right_inverse(value)

    return property(read, write)


def _own_class(module: Module) -> None:
    """Give a module a class of its own, which can have properties. What is read and written stays as in the class before."""
    cls = type(module)
    about = vars(cls).get("__doc__")
    # a metaclass of the program is not asked: it could answer with any class
    content = {"__doc__": about if type(about) is str else None}
    made: Any = type.__new__(type(cls), f"Parametrized{cls.__name__}", (cls,), content)
    made.__module__ = "torch.nn.utils.parametrize"

    def readable(held: object, name: str) -> bool:
        return gate.instance_readable(cls, held, name)

    def of_class(held: object, name: str) -> bool:
        return name in _MADE[made]

    def writable(name: str) -> bool:
        return gate.takes(cls, name)

    allow(made, (), readable=readable, of_class=of_class, writable=writable, shown_as=made, copyable=True)
    _MADE[made] = set()
    STATE.parametrized["classes"].append(made)
    if type(module) is not cls:
        raise _changed(module, "__class__")
    object.__setattr__(module, "__class__", made)


def _forget_classes() -> None:
    for cls in STATE.parametrized["classes"]:
        forget(cls)


undone_at_end.append(_forget_classes)


def _write_property(made: type, name: str) -> None:
    """The one place where a class is given a name: one that was made here."""
    _MADE[made].add(name)  # or KeyError
    put(made, name, _property(name))


def _delete_property(module: Module, made: type, name: str) -> None:
    """The one place where a name is taken out of a class: one that was made here, and has it from here."""
    if type(module) is not made or name not in _MADE[made]:
        raise _changed(module, name)
    _MADE[made].discard(name)
    take_out(made, name)


def _plain_class(module: Module, made: type) -> None:
    """Give a module the class back that it had before."""
    if type(module) is not made or made not in _MADE:
        raise _changed(module, "__class__")
    object.__setattr__(module, "__class__", made.__bases__[0])


# -- what programs call ------------------------------------------------------------------------------------------------


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """Let a parameter or buffer be computed by a module each time it is read. Raises ValueError."""
    if is_special(exact_name(tensor_name)):
        raise errors.READ_ONLY(type=type_name(module), name=tensor_name)
    if not isinstance(module, Module) or not isinstance(parametrization, Module):
        raise TypeError(
            "a parametrization is a Module, of a Module"
        )  # what is no module has other tables, and no class to change
    parametrization.train(module.training)
    if (computed := _list_of(module, tensor_name)) is not None:
        _add(module, tensor_name, computed, parametrization, unsafe)
        return module
    computed = ParametrizationList([parametrization], _registered(module, tensor_name), unsafe=unsafe)
    gate.check_writable(module, tensor_name)
    delattr(module, tensor_name)
    if _held(module) is None:
        _own_class(module)
        module.parametrizations = ModuleDict()
    made, held = type(module), _held(module)
    if held is None:
        raise _changed(module, "parametrizations")
    _write_property(made, tensor_name)
    held[tensor_name] = computed
    return module


def _registered(module: Any, name: str) -> Any:
    """The parameter or buffer of a name, out of its table. Raises ValueError."""
    for table in (module._parameters, module._buffers):
        if name in table:
            found = table[name]
            return found if found is None else made_tensor(found)
    raise errors.MODULE_ARGUMENT(
        message=f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{name}'"
    )


def _add(module: Any, name: str, computed: ParametrizationList, parametrization: Any, unsafe: bool) -> None:
    """One more parametrization of a tensor that has some."""
    if not unsafe:
        before = computed()
        after = parametrization(before)
        _refuse(not isinstance(after, Tensor), f"A parametrization must return a tensor. Got {type(after).__name__}.")
        for what in ("dtype", "shape"):
            new, old = getattr(after, what), getattr(before, what)
            _refuse(
                new != old,
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is"
                f" enabled.\nmodule.{name}.{what}: {old}\nparametrization(module.{name}).{what}: {new}",
            )
        _check_inverse(name, parametrization, before, after)
    computed.append(parametrization)
    computed.unsafe |= unsafe


def _check_inverse(name: str, parametrization: Any, before: Any, after: Any) -> None:
    """Raises ValueError where ``right_inverse`` gives anything else than what the parametrization takes."""
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    kind = type(back).__name__
    _refuse(not isinstance(back, Tensor), f"parametrization.right_inverse must return a tensor. Got: {kind}")
    for what in ("dtype", "shape"):
        new, old = getattr(back, what), getattr(before, what)
        _refuse(
            new != old,
            f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, unless"
            f" the `unsafe` flag is enabled.\nmodule.{name}.{what}: {old}\nreturned {what}: {new}",
        )


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether anything of a module is parametrized, or the tensor of this name."""
    if tensor_name is not None:
        return _list_of(module, exact_name(tensor_name)) is not None
    held = _held(module)
    return held is not None and len(held) > 0


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Make a parametrized tensor an ordinary one again: as it is, or the original."""
    made, computed = type(module), _list_of(module, exact_name(tensor_name))
    if computed is None:
        raise errors.MODULE_ARGUMENT(message=f"Module {module} does not have a parametrization on {tensor_name}")
    if computed.is_tensor:
        original = computed.original
        if leave_parametrized:
            with grad_mode(False):
                replace(original, made_tensor(computed()).detach())
    else:
        _refuse(
            not leave_parametrized,
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is"
            " parametrized in terms of a sequence of tensors.",
        )
        original = Parameter(made_tensor(computed()).detach(), computed.original0.requires_grad)
    _delete_property(module, made, tensor_name)
    held = _held(module)
    if held is None:
        raise _changed(module, "parametrizations")
    del held[tensor_name]
    (module.register_parameter if isinstance(original, Parameter) else module.register_buffer)(tensor_name, original)
    if len(held) == 0:
        delattr(module, "parametrizations")
        _plain_class(module, made)
    return module


def type_before_parametrizations(module: Any) -> Any:
    """The class that a module had before it was parametrized."""
    made = type(module)
    return made if _held(module) is None else made.__bases__[0]


@contextmanager
def cached() -> Iterator[None]:
    """Within this, parametrized tensors are computed once."""
    STATE.parametrized["depth"] += 1
    try:
        yield
    finally:
        STATE.parametrized["depth"] -= 1
        if not STATE.parametrized["depth"]:
            STATE.parametrized["held"] = {}


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
