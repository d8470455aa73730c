"""Modules that learn the size of their input from the first call."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, Final, NoReturn

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.layers import conv, norm
from gradflow.engine.namespace.layers.linear import Linear
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Buffer, Parameter, WithoutShape
from gradflow.engine.namespace.tensor_arguments import numpy_dtype
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.sandbox.library.copies import copy_as_itself
from gradflow.engine.tensor import Tensor, dtypes

_UNREADY = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` when"
    " trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the parameters"
    " before accessing their attributes."
)


_UNUSABLE = (
    "Attempted to use an uninitialized parameter in {name}. This error happens when you are using a `LazyModule` or"
    " explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. When using LazyModules Call `forward`"
    " with a dummy batch to initialize the parameters before calling torch functions"
)
_USABLE: Final = frozenset(
    [
        "char",
        "copy_",
        "cpu",
        "cuda",
        "double",
        "float",
        "get_device",
        "half",
        "int",
        "is_complex",
        "is_conj",
        "is_floating_point",
        "is_inference",
        "is_neg",
        "is_set_to",
        "is_shared",
        "long",
        "materialize",
        "register_hook",
        "register_post_accumulate_grad_hook",
        "retain_grad",
        "short",
        "size",
        "to",
    ]
)
_OPERATORS: Final = (
    "abs add and eq floordiv ge getitem gt invert iter le len lt matmul mod mul ne neg or pos pow radd rfloordiv rmatmul rmul"
    " rpow rsub rtruediv setitem sub truediv xor iadd isub imul itruediv bool float int"
)
_SPECIAL: Final = frozenset(["bool", "eq", "float", "ge", "getitem", "gt", "int", "le", "len", "lt", "ne", "setitem"])
_CALLED: Final = {"ndimension": "dim", "nelement": "numel", "iter": "dim"}


def _refusing(name: str, kind: str = "method") -> Callable[..., NoReturn]:
    """A method that raises ValueError: the values are not known."""

    def refuse(*given: Any, **named: Any) -> NoReturn:
        owned = f"<{kind} '{_CALLED.get(name, name)}' of 'torch._C.TensorBase' objects>"
        raise errors.MODULE_ARGUMENT(message=_UNUSABLE.format(name=owned))

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


class _Uninitialized(WithoutShape):
    """What a parameter or a buffer can not do before its shape is known: whatever needs its values."""

    __hash__ = Tensor.__hash__

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        unusable = not name.startswith("_") and name not in _USABLE and isinstance(found, MethodType)
        return _refusing(name) if unusable else found

    def __deepcopy__(self: Any, memo: Any) -> Any:
        return self._again()


class UninitializedParameter(_Uninitialized, Parameter):
    """A parameter whose shape is not known yet."""

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(Tensor(np.zeros(0, dtypes.DEFAULT if dtype is None else numpy_dtype(dtype))), requires_grad)

    @property
    def shape(self) -> Any:
        """Raises RuntimeError: there is none yet."""
        raise errors.MODULE_RUNTIME(message=_UNREADY)

    def materialize(self, shape: tuple[int, ...]) -> None:
        """Become an ordinary parameter of this shape."""
        self._a = np.zeros(shape, self._a.dtype)
        self.__class__ = Parameter  # type: ignore[assignment]  # from here on it is one

    def _again(self) -> UninitializedParameter:
        return UninitializedParameter(self.requires_grad, dtype=dtypes.of(self._a))

    def __repr__(self) -> str:
        return "<UninitializedParameter>"


class UninitializedBuffer(_Uninitialized, Buffer):
    """A buffer whose shape is not known yet."""

    def __init__(self, cls: Any = None, persistent: bool = True) -> None:
        known = dtypes.DEFAULT if cls is None else numpy_dtype(cls)
        super().__init__(Tensor(np.zeros(0, known)), persistent=persistent)

    def materialize(self, shape: tuple[int, ...]) -> None:
        """Become an ordinary buffer of this shape."""
        self._a = np.zeros(shape, self._a.dtype)
        self.__class__ = Buffer  # type: ignore[assignment]  # from here on it is one

    def _again(self) -> UninitializedBuffer:
        return UninitializedBuffer(dtypes.of(self._a), self.persistent)

    def __repr__(self) -> str:
        return "<UninitializedBuffer>"


for _kind in (UninitializedParameter, UninitializedBuffer):
    for _name in _OPERATORS.split():
        setattr(_kind, f"__{_name}__", _refusing(f"__{_name}__" if _name in _SPECIAL else _name))


class _Settling:
    """The hook by which a module learns its size: programs find it among the hooks, and nothing in it."""

    __slots__ = ()

    def __call__(self, module: Any, inputs: Any) -> None:
        """Before the first call: take the size from the input, and become the module that it stands for."""
        if not (issubclass(type(module), LazyModuleMixin) and issubclass(type(module), Module)):
            raise TypeError(f"{type_name(module)} is not a lazy module")
        waiting = [number for number, hook in module._forward_pre_hooks.items() if hook is self]
        if not waiting:
            raise TypeError(f"{type_name(module)} does not wait for an input")
        module.initialize_parameters(*inputs)
        for number in waiting:
            module._forward_pre_hooks.pop(number, None)
        settled = type(module).cls_to_become
        if not (isinstance(settled, type) and issubclass(settled, Module)) or settled not in type(module).__mro__:
            raise TypeError(f"a lazy module becomes one of the modules that it is derived from, not {settled!r}")
        object.__setattr__(module, "__class__", settled)

    def __repr__(self) -> str:
        return "<bound method LazyModuleMixin._infer_parameters>"


_Settling.__module__, _Settling.__name__, _Settling.__qualname__ = "builtins", "method", "method"
_SETTLING: Final = _Settling()
copy_as_itself(_Settling)


def _wait_for_input(module: Any) -> None:
    Module.register_forward_pre_hook(module, _SETTLING)


class LazyModuleMixin:
    """What all of them have."""

    cls_to_become: type[Module]
    size_name: str

    def _wait(self: Any, bias: bool, dtype: Any) -> None:
        element_dtype = None if dtype is None else dtype
        self.weight = UninitializedParameter(dtype=element_dtype)
        self.register_parameter("bias", UninitializedParameter(dtype=element_dtype) if bias else None)
        _wait_for_input(self)

    def has_uninitialized_params(self: Any) -> bool:
        """Whether the first call is still to come."""
        held = [*self._parameters.values(), *self._buffers.values()]
        return any(isinstance(each, UninitializedParameter | UninitializedBuffer) for each in held)

    def reset_parameters(self: Any) -> None:
        """Draw new initial values, once the shapes are known."""
        if not self.has_uninitialized_params():
            self.cls_to_become.reset_parameters(self)


class LazyLinear(LazyModuleMixin, Linear):  # type: ignore[misc]  # its parameters have no shape yet
    """`Linear` with as many inputs as the first one has."""

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        Module.__init__(self)
        self.in_features, self.out_features = 0, out_features
        self._wait(bias, dtype)

    def initialize_parameters(self, input: Any) -> None:
        """Take the size from an input."""
        if not self.has_uninitialized_params():
            return
        self.in_features = input.size(-1)
        self.weight.materialize((self.out_features, self.in_features))
        if self.bias is not None:
            self.bias.materialize((self.out_features,))  # type: ignore[attr-defined]  # it is lazy
        self.reset_parameters()


class _LazyConv(LazyModuleMixin):
    """What lazy convolutions have."""

    transposed = False

    def __init__(self: Any, out_channels: int, *args: Any, **kwargs: Any) -> None:
        bias, dtype = kwargs.get("bias", True), kwargs.get("dtype")
        names = ("kernel_size", "stride", "padding", "output_padding", "groups", "bias", "dilation", "padding_mode")
        plain = ("kernel_size", "stride", "padding", "dilation", "groups", "bias", "padding_mode")
        given = dict(zip(names if self.transposed else plain, args, strict=False)) | kwargs
        if "kernel_size" not in given:
            raise TypeError(f"{type(self).__name__}.__init__() missing 1 required positional argument: 'kernel_size'")
        bias = given.get("bias", True)
        usual = {"stride": 1, "padding": 0, "dilation": 1, "groups": 1, "padding_mode": "zeros"} | given
        settings = (usual[n] for n in ("kernel_size", "stride", "padding", "dilation", "groups", "padding_mode"))
        self._settle((0, out_channels), *settings)
        self.output_padding = conv.each(usual.get("output_padding", 0), self.dims)
        self._wait(bias, dtype)

    def initialize_parameters(self: Any, input: Any) -> None:
        """Take the number of channels from an input."""
        if not self.has_uninitialized_params():
            return
        rank = self.dims + 2
        if input.dim() not in (rank, rank - 1):
            raise errors.MODULE_RUNTIME(
                message=f"Expected {rank - 1}D (unbatched) or {rank}D (batched) input to {type(self).__name__}, but got"
                f" input of size: {input.shape}"
            )
        self.in_channels = input.size(1 if input.dim() == rank else 0)
        if self.in_channels % self.groups:
            raise errors.MODULE_ARGUMENT(message="in_channels must be divisible by groups")
        first, second = self.out_channels, self.in_channels
        first, second = (second, first) if self.transposed else (first, second)
        self.weight.materialize((first, second // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class _LazyNorm(LazyModuleMixin):
    """What lazy normalisation has."""

    def __init__(
        self: Any,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        self._settle(0, eps, momentum, False, False, dtype, False)
        self.affine, self.track_running_stats = affine, track_running_stats
        if affine:
            self.weight = UninitializedParameter(dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(dtype=dtype)
        if track_running_stats:
            self.running_mean, self.running_var = UninitializedBuffer(), UninitializedBuffer()
            self.num_batches_tracked = Tensor(np.zeros((), np.int64))
        _wait_for_input(self)

    def initialize_parameters(self: Any, input: Any) -> None:
        """Take the number of channels from an input."""
        self.num_features = input.size(1)
        for name in ("weight", "bias", "running_mean", "running_var"):
            held = getattr(self, name)
            if isinstance(held, UninitializedParameter | UninitializedBuffer):
                held.materialize((self.num_features,))
                if name in ("weight", "running_var"):
                    held._a[...] = 1

    def reset_parameters(self: Any) -> None:
        """Nothing to draw."""


def _lazy(base: type, settled: type, **members: Any) -> type[Module]:
    name = f"Lazy{settled.__name__}"
    doc = f"`{settled.__name__}` with as many channels as the first input has."
    return type(name, (base, settled), {"cls_to_become": settled, "__doc__": doc, **members})


def _classes() -> dict[str, tuple[type, ...]]:
    convolutions: Any = conv.CLASSES["conv"]
    made: dict[str, tuple[type, ...]] = {
        "linear": (LazyLinear,),
        "conv": tuple(_lazy(_LazyConv, cls, transposed="Transpose" in cls.__name__) for cls in convolutions),
    }
    for place in ("batchnorm", "instancenorm"):
        made[place] = tuple(_lazy(_LazyNorm, cls) for cls in norm.CLASSES[place])
    return made


CLASSES = _classes()
LazyModuleMixin.__module__ = "torch.nn.modules.lazy"
