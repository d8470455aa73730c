"""The device ``meta``: tensors that have a shape and a dtype, and no elements.

What is computed of them is computed of zeros, and only shape, dtype and place in the graph are kept. They have no array
that a function of the engine could take for elements; what is not provided is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.autograd.stateless import functional_call
from gradflow.engine.namespace.checked_calls import computes_meta, dispatched_by
from gradflow.engine.namespace.functions.legacy_types import TENSOR
from gradflow.engine.namespace.nn.module_attributes import real_modules, table_of
from gradflow.engine.namespace.nn.parameter import Parameter, has_parameters
from gradflow.engine.namespace.nn.state_dict import made_tensor
from gradflow.engine.namespace.tensor.devices import destination, moves_to_meta
from gradflow.engine.numerics.bounded_counts import check_view
from gradflow.engine.numerics.mersenne_twister import GENERATOR
from gradflow.engine.numerics.strides import contiguous
from gradflow.engine.sandbox.gate import allow, is_public
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, check_dim, dtypes
from gradflow.engine.tensor.device import device, is_meta
from gradflow.engine.tensor.late_methods import OPERATORS
from gradflow.engine.tensor.without_array import WithoutArray

META: Final = device("meta")


def _zeros(shape: tuple[int, ...], dtype: np.dtype) -> Tensor:
    """A tensor of zeros that takes no memory."""
    check_view(shape, dtype.itemsize)
    return Tensor(np.broadcast_to(np.zeros((), dtype), shape))


class MetaTensor(WithoutArray):
    """A tensor without elements. ``like``: one of zeros with the same shape, dtype and place in the graph."""

    def __init__(self, like: Tensor) -> None:
        kept = _zeros(like._a.shape, like._a.dtype)
        kept._node, kept._nr, kept._rg = like._node, like._nr, like._rg
        self._held, self._size = kept, kept.shape

    def _refused(self, name: str) -> Exception:
        return errors.META_REFUSED(name=name)

    @property
    def device(self) -> device:
        """The device without elements."""
        return META

    is_meta = property(lambda self: True)
    is_cpu = property(lambda self: False)

    def is_contiguous(self, *, memory_format: Any = None) -> bool:
        """True."""
        return True

    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        """As if the elements lay in row-major order."""
        strides = contiguous(self.shape)
        return strides if dim is None else strides[check_dim(dim, self.ndim)]

    def __len__(self) -> int:
        return len(self._held)

    @property
    def grad(self) -> Tensor | None:
        """None: there are no gradients of what has no elements."""
        return None

    @grad.setter
    def grad(self, new: Tensor | None) -> None:
        if new is not None:
            raise errors.META_REFUSED(name="a gradient")

    def detach(self) -> MetaTensor:
        """The same outside the graph."""
        return MetaTensor(self._held.detach())

    def item(self) -> NoReturn:
        """Raises: there are no elements."""
        if self.numel() != 1:
            raise errors.ITEM_NOT_SCALAR(elements=self.numel(), subject=self)
        raise errors.META_ITEM()

    def numpy(self, *, force: bool = False) -> NoReturn:
        """Raises: there are no elements."""
        raise errors.META_NUMPY()

    def tolist(self) -> NoReturn:
        """Raises: there are no elements."""
        raise errors.META_NO_DATA(advice="")

    def cpu(self) -> NoReturn:
        """Raises: there are no elements to copy."""
        raise errors.META_NO_DATA(advice="")

    def to(self, *args: Any, **kwargs: Any) -> MetaTensor:
        """In another dtype. Raises for another device."""
        given = kwargs.get("device", args[0] if args and isinstance(args[0], str | device) else META)
        if given is not None and not is_meta(given):
            raise errors.META_NO_DATA(advice="")
        rest = args[1:] if args and isinstance(args[0], str | device) else args
        dtype, _ = destination(rest, {name: value for name, value in kwargs.items() if name != "device"})
        return self if dtype is None or dtype is self.dtype else computed(Tensor.to, (self, dtype), {})  # type: ignore[attr-defined]

    def __bool__(self) -> NoReturn:
        if self.numel() != 1:
            raise errors.BOOL_AMBIGUOUS(elements="more than one value" if self.numel() else "no values")
        raise errors.META_ITEM()

    def __deepcopy__(self, memo: dict[int, object]) -> MetaTensor:
        copied = type(self)(self._held.detach())
        copied._held._rg = self.requires_grad
        memo[id(self)] = copied
        return copied

    def __repr__(self) -> str:
        text = f"tensor(..., device='meta', size={tuple(self.shape)}"
        if self.dtype.numpy != dtypes.DEFAULT:
            text += f", dtype={self.dtype!r}"
        if self.grad_fn is not None:
            return f"{text}, grad_fn=<{self.grad_fn.printed_name}>)"
        return text + (", requires_grad=True)" if self.requires_grad else ")")


class MetaParameter(MetaTensor, Parameter):
    """A parameter without elements."""

    def __init__(self, data: Tensor, requires_grad: bool = True) -> None:
        MetaTensor.__init__(self, (data._held if isinstance(data, MetaTensor) else data).detach())
        self._held.requires_grad = requires_grad

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


MetaTensor.__name__ = MetaTensor.__qualname__ = "Tensor"
MetaParameter.__name__ = MetaParameter.__qualname__ = "Parameter"
_OWN: Final = frozenset(vars(MetaTensor)) | frozenset(vars(WithoutArray)) | {"__class__", "__hash__", "__init__"}


def _filled(tensor: MetaTensor) -> Tensor:
    """A tensor of zeros that can be written, in the place of one without elements."""
    like = tensor._held
    made = Tensor(np.zeros(like._a.shape, like._a.dtype))
    made._node, made._nr, made._rg = like._node, like._nr, like._rg
    return made


def _plain(value: Any) -> Any:
    """A tensor of zeros for one without elements, in lists as well."""
    if isinstance(value, MetaTensor):
        return _filled(value)
    if isinstance(value, Tensor) and value._a.ndim:
        raise errors.META_DEVICE()
    if type(value) in (list, tuple):
        return type(value)(map(_plain, value))
    return value


def to_meta(value: Any) -> Any:
    """What was computed, without its elements."""
    if isinstance(value, Tensor) and not isinstance(value, MetaTensor):
        return MetaTensor(value)
    if type(value) in (list, tuple):
        return type(value)(map(to_meta, value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(to_meta, value))
    return value


def computed(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What a function makes of zeros, without its elements; nothing is recorded and no random number is drawn."""
    recorder, STATE.recorder = STATE.recorder, None
    state = GENERATOR.state()
    try:
        result = function(*map(_plain, args), **{name: _plain(value) for name, value in kwargs.items()})
    finally:
        STATE.recorder = recorder
        GENERATOR.restore(state)
    return to_meta(result)


def _through(name: str) -> Callable[..., Any]:
    def method(self: MetaTensor, *args: Any, **kwargs: Any) -> Any:
        if name.endswith("_") and not name.startswith("__"):
            return self  # there is nothing to write into
        found = computed(getattr(Tensor, name), (self, *args), kwargs)
        return self if name.startswith("__i") and name != "__invert__" else found

    method.__name__ = method.__qualname__ = name
    return method


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise errors.META_REFUSED(name=f"`{name}`")

    return refuse


_REFUSED: Final = frozenset(
    {"backward", "register_hook", "retain_grad", "register_post_accumulate_grad_hook", "storage", "untyped_storage"}
    | {
        "data_ptr",
        "__setitem__",
        "__delitem__",
        "__array__",
        "__float__",
        "__int__",
        "__index__",
        "__complex__",
        "apply_",
    }
    | {"map_", "set_", "new", "share_memory_", "cuda"}
)


def install(public: list[str]) -> None:
    """Give tensors without elements the methods of tensors, and tell the gate. ``public``: what tensors show."""
    for name in {*public, *OPERATORS, *_REFUSED, "__iter__"} - _OWN:
        found = getattr(Tensor, name, None)
        if name in _REFUSED:
            setattr(MetaTensor, name, _refusing(name))
        elif isinstance(found, property):
            if is_public(name) and name in ("T", "mT", "H", "mH", "real", "imag"):
                setattr(MetaTensor, name, property(_property(name)))
        elif callable(found):
            setattr(MetaTensor, name, _through(name))
    for cls in (MetaTensor, MetaParameter):
        allow(
            cls, public, writable={"requires_grad", "grad"}, shown_as=TENSOR, called=lambda _: "Tensor", copyable=True
        )
        dispatched_by(cls, computed)
    has_parameters(MetaTensor, MetaParameter)
    computes_meta(computed)
    moves_to_meta(to_meta)


def _property(name: str) -> Callable[[MetaTensor], Any]:
    return lambda self: computed(getattr(Tensor, name).fget, (self,), {})


# -- modules -----------------------------------------------------------------------------------------------------------


def without_elements(module: Any) -> Any:
    """A module whose parameters and buffers have lost their elements."""
    for table, name, held in _tensors_in(module):
        if not isinstance(held, MetaTensor):
            made = (MetaParameter if isinstance(held, Parameter) else MetaTensor)(_zeros(held._a.shape, held._a.dtype))
            made._held.requires_grad = held.requires_grad
            table[name] = made
    return module


def with_elements(module: Any) -> Any:
    """``to_empty``: a module whose parameters and buffers have elements that mean nothing."""
    for table, name, held in _tensors_in(module):
        made = Tensor(np.zeros(held.shape, held.dtype.numpy))
        table[name] = Parameter(made, held.requires_grad) if isinstance(held, Parameter) else made
    return module


def _tensors_in(module: Any) -> list[tuple[dict[str, Any], str, Any]]:
    """Where each parameter and each buffer of a module stands, under what name, and what it is: by the engine's own tables."""
    tables = [table_of(each, kind) for each in real_modules(module) for kind in ("_parameters", "_buffers")]
    return [(table, name, made_tensor(held)) for table in tables for name, held in table.items() if held is not None]


def called(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a module makes of a tensor without elements."""
    named = (*module.named_parameters(), *module.named_buffers())
    held = {name: _filled(each) for name, each in named if isinstance(each, MetaTensor)}

    def call(*args: Any, **kwargs: Any) -> Any:
        return functional_call(module, held, args, kwargs)

    return computed(call, args, kwargs)


def lacks_elements(module: Any) -> bool:
    """Whether some parameter or buffer of a module has no elements."""
    return any(isinstance(held, MetaTensor) for _, _, held in _tensors_in(module))
