"""The small functions and types that files of repositories import from PyTorch's own modules.

``torch.nn.modules.utils``, ``torch.nn.common_types``, ``torch.types``, ``torch.nn.grad``, ``torch.nn._reduction``, and
what ``torch.optim.optimizer`` and ``torch.nn.modules.transformer`` have for those who write optimizers and layers.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable
from typing import Any, Final, Union

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import backward
from gradflow.engine.autograd.function.function import Function
from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.layers import attention, transformer
from gradflow.engine.namespace.nn import init, lazy
from gradflow.engine.namespace.nn.containers import ModuleList
from gradflow.engine.namespace.nn.module_attributes import Registering
from gradflow.engine.namespace.nn.state_dict import IncompatibleKeys
from gradflow.engine.namespace.optim.optimizer import RequiredParameter, required
from gradflow.engine.sandbox.gate import allow, is_program_function, is_public, type_name
from gradflow.engine.sandbox.library.copies import deepcopy
from gradflow.engine.sandbox.stand_ins import OpaqueType
from gradflow.engine.state import STATE, grad_mode
from gradflow.engine.tensor import Size, Tensor, dtypes
from gradflow.engine.tensor.device import device

# -- torch.nn.modules.utils --------------------------------------------------------------------------------------------


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """One setting for each of ``n`` dimensions: a number is repeated, what has several is taken as it is."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = parse.__qualname__ = name
    return parse


def _reverse_repeat_tuple(t: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size: list[int], defaults: list[int]) -> list[int]:
    if isinstance(out_size, int | numbers.Integral):
        return out_size
    if len(defaults) <= len(out_size):
        raise errors.MODULE_ARGUMENT(message=f"Input dimension should be at least {len(out_size) + 1}")
    return [v if v is not None else d for v, d in zip(out_size, defaults[-len(out_size) :], strict=True)]


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take ``prefix`` from the names in a state that begin with it, in place."""
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata: Any = getattr(state_dict, "_metadata", None) or {}
    for key in list(metadata):
        if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
            metadata[key[len(prefix) :]] = metadata.pop(key)


# -- torch.nn.modules.module, .transformer, torch.nn.parameter, torch.nn._reduction ------------------------------------


def _addindent(s_: str, numSpaces: int) -> str:
    first, *rest = s_.split("\n")
    return "\n".join([first, *(numSpaces * " " + line for line in rest)])


def _get_clones(module: Any, N: int) -> ModuleList:
    if not isinstance(module, Registering):
        raise errors.CALL_REFUSED(name=f"_get_clones() of {type_name(module)}")
    return ModuleList([deepcopy(module) for _ in range(N)])


def _get_activation_fn(activation: str) -> Any:
    known = torch_nn_functional.functions()
    if activation in ("relu", "gelu"):
        return known[activation]
    raise errors.MODULE_RUNTIME(message=f"activation should be relu/gelu, not {activation}")


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer has no shape yet."""
    return isinstance(param, lazy.UninitializedParameter | lazy.UninitializedBuffer)


def get_enum(reduction: str) -> int:
    """The number of a reduction. Raises ValueError."""
    known = {"none": 0, "mean": 1, "sum": 2, "elementwise_mean": 1}
    if reduction not in known:
        raise errors.MODULE_ARGUMENT(message=f"{reduction} is not a valid value for reduction")
    return known[reduction]


# -- torch.optim.optimizer ---------------------------------------------------------------------------------------------


def _use_grad_for_differentiable(function: Any) -> Any:
    """A ``step`` that records gradients only where its optimizer is differentiable."""
    if not is_program_function(function):
        raise errors.CALL_REFUSED(name="_use_grad_for_differentiable() of what is no function of the program")

    def step(*args: Any, **kwargs: Any) -> Any:
        with grad_mode(bool(args[0].defaults.get("differentiable", False)) and STATE.grad):
            return function(*args, **kwargs)

    step.__name__, step.__qualname__ = function.__name__, function.__qualname__
    return step


def _default_to_fused_or_foreach(params: Any, differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    return False, False


# -- torch.autograd.function, torch.nn.init ----------------------------------------------------------------------------


class InplaceFunction(Function):
    """A function that may work in place; PyTorch keeps it for files of old."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        message = f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']"
        raise errors.MODULE_ARGUMENT(message=message)
    return init.fans(tensor)[mode == "fan_out"]


_INIT: Final = {
    "_calculate_correct_fan": _calculate_correct_fan,
    "_no_grad_uniform_": init.uniform_,
    "_no_grad_normal_": init.normal_,
    "_no_grad_fill_": init.constant_,
    "_no_grad_zero_": init.zeros_,
    "_no_grad_trunc_normal_": init.trunc_normal_,
}


# -- torch.nn.grad -----------------------------------------------------------------------------------------------------


def _input_gradient(dims: int) -> Callable[..., Any]:
    """The gradient of a convolution with respect to its input."""

    def gradient(
        input_size: Any,
        weight: Any,
        grad_output: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        stride, padding, dilation = (_ntuple(dims)(each) for each in (stride, padding, dilation))
        kernel = [d * (k - 1) + 1 for k, d in zip(weight.shape[2:], dilation, strict=True)]
        sizes = zip(input_size[-dims:], grad_output.shape[-dims:], kernel, stride, padding, strict=True)
        extra = [n - ((m - 1) * s - 2 * p + k) for n, m, k, s, p in sizes]
        transposed = torch_nn_functional.functions()[f"conv_transpose{dims}d"]
        return transposed(grad_output, weight, None, stride, padding, tuple(extra), groups, dilation)

    gradient.__name__ = gradient.__qualname__ = f"conv{dims}d_input"
    return gradient


def _weight_gradient(dims: int) -> Callable[..., Any]:
    """The gradient of a convolution with respect to its weight."""

    def gradient(
        input: Any,
        weight_size: Any,
        grad_output: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        convolve = torch_nn_functional.functions()[f"conv{dims}d"]
        with grad_mode(True):
            weight = Tensor(np.zeros(tuple(weight_size), input._a.dtype), requires_grad=True)
            made = convolve(input, weight, None, stride, padding, dilation, groups)
        again = STATE.grad and (input.requires_grad or grad_output.requires_grad)
        return backward.grad(made, (weight,), (grad_output,), create_graph=again)[0]

    gradient.__name__ = gradient.__qualname__ = f"conv{dims}d_weight"
    return gradient


GRAD: Final = {f.__name__: f for dims in (1, 2, 3) for f in (_input_gradient(dims), _weight_gradient(dims))}

# -- types -------------------------------------------------------------------------------------------------------------

_WORDS: Final = {1: "_size_1_t", 2: "_size_2_t", 3: "_size_3_t", 4: "_size_4_t", 5: "_size_5_t", 6: "_size_6_t"}


def _common_types() -> dict[str, Any]:
    several: Any = tuple  # its items are made here, and not for a type checker
    sizes = {name: Union[int, several[(int,) * n]] for n, name in _WORDS.items()}  # noqa: UP007  # printed as in PyTorch
    options = {f"_size_{n}_opt_t": several[(int | None,) * n] for n in (2, 3)}
    ratios = {f"_ratio_{n}_t": Union[float, several[(float,) * n]] for n in (2, 3)}  # noqa: UP007
    rest = {"_size_any_t": Union[int, tuple[int, ...]], "_ratio_any_t": Union[float, tuple[float, ...]]}  # noqa: UP007
    tensors = {"_tensor_list_t": Any, "_maybe_indices_t": Any, "_size_any_opt_t": tuple[int | None, ...]}
    return {**sizes, **options, **ratios, **rest, **tensors}


def _types() -> dict[str, Any]:
    plain = {
        "_int": int,
        "_float": float,
        "_bool": bool,
        "_dtype": dtypes.dtype,
        "_device": device,
        "_complex": complex,
    }
    number = Union[int, float, bool]  # noqa: UP007  # printed as in PyTorch
    return {
        **plain,
        "Number": number,
        "Device": Union[str, int, device, None],  # noqa: UP007
        "FileLike": Any,
        "_size": Union[Size, list[int], tuple[int, ...]],  # noqa: UP007
        "_TensorOrTensors": Any,
        "Storage": Any,
    }


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    allow(RequiredParameter)
    InplaceFunction.__module__ = "torch.autograd.function"
    allow(InplaceFunction, [name for name in dir(InplaceFunction) if is_public(name)], subclass=True)
    tuples = {"_single": 1, "_pair": 2, "_triple": 3, "_quadruple": 4}
    return {
        "torch.nn.modules.utils": {
            **{name: _ntuple(n, name) for name, n in tuples.items()},
            "_ntuple": _ntuple,
            "_reverse_repeat_tuple": _reverse_repeat_tuple,
            "_list_with_default": _list_with_default,
            "consume_prefix_in_state_dict_if_present": consume_prefix_in_state_dict_if_present,
        },
        "torch.nn.modules.module": {"_addindent": _addindent, "_IncompatibleKeys": OpaqueType(IncompatibleKeys)},
        "torch.nn.modules.transformer": {
            "_get_clones": _get_clones,
            "_get_activation_fn": _get_activation_fn,
            "_generate_square_subsequent_mask": transformer.Transformer.generate_square_subsequent_mask,
        },
        "torch.nn.modules.linear": {"NonDynamicallyQuantizableLinear": attention.NonDynamicallyQuantizableLinear},
        "torch.nn.parameter": {"is_lazy": is_lazy},
        "torch.nn.init": _INIT,
        "torch.autograd.function": {"InplaceFunction": InplaceFunction},
        "torch.nn._reduction": {"get_enum": get_enum},
        "torch.nn.grad": GRAD,
        "torch.nn.common_types": _common_types(),
        "torch.types": _types(),
        "torch.optim.optimizer": {
            "required": required,
            "_RequiredParameter": OpaqueType(RequiredParameter),
            "_use_grad_for_differentiable": _use_grad_for_differentiable,
            "_default_to_fused_or_foreach": _default_to_fused_or_foreach,
            "ParamsT": Any,
            "StateDict": dict[str, Any],
            "_get_value": lambda x: x.item() if isinstance(x, Tensor) else x,
        },
    }
