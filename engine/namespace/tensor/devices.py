"""Devices and dtypes: ``to``, ``cuda``, ``torch.cuda``, ``torch.backends``, the default dtype and device.

There is a CPU and nothing else, as in a PyTorch that was built without CUDA: asking for a graphics card says no, and
moving to one raises.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final, NoReturn

from gradflow.engine import errors
from gradflow.engine.dispatch.signatures import Overloads, signature
from gradflow.engine.namespace.functions import composite
from gradflow.engine.sandbox.gate import Type, allow
from gradflow.engine.sandbox.stand_ins import Module, OpaqueType
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.tensor.device import CPU, device, is_meta, make_on, refuse_card, require_cpu
from gradflow.engine.tensor.memory_format import STRIDED

_without_elements: Final[list[Callable[[Tensor], Tensor]]] = []
_TO: Final = (
    "Tensor.to(Device? device=None, ScalarType? dtype=None, bool non_blocking=False, bool copy=False, *,"
    " MemoryFormat? memory_format=None)",
    "Tensor.to(ScalarType dtype, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None)",
    "Tensor.to(Tensor tensor, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None)",
)


@cache
def _signatures() -> Overloads:
    return Overloads("to", True, tuple(map(signature, _TO)))


def destination(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dtypes.dtype | None, bool]:
    """The dtype that the arguments of ``to`` ask for, and whether to copy. Raises where the device is not the CPU."""
    given, named = _signatures().parse(args, kwargs)
    order = ("device", "dtype", "non_blocking", "copy")
    if given and isinstance(given[0], dtypes.dtype | Tensor):
        order = ("dtype", "non_blocking", "copy", "")
    chosen = {**dict(zip(order, given, strict=False)), **named}
    dtype = chosen.get("tensor", chosen.get("dtype"))
    require_cpu(chosen.get("device"))
    return dtype.dtype if isinstance(dtype, Tensor) else dtype, bool(chosen.get("copy"))


def moves_to_meta(move: Callable[[Tensor], Tensor]) -> None:
    """Have ``to("meta")`` call this."""
    _without_elements[:] = [move]


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor in another dtype or on another device; the tensor itself where it is so already."""
    if is_meta(kwargs.get("device", args[0] if args and isinstance(args[0], str | device) else None)):
        return _without_elements[0](self)
    dtype, copy = destination(args, kwargs)
    return composite.to(self, dtype=dtype, copy=copy, memory_format=kwargs.get("memory_format"))


def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> NoReturn:
    """Raises: there is no graphics card."""
    refuse_card(device)


class _CardType(OpaqueType):
    """``torch.cuda.FloatTensor``: a type without tensors."""

    __slots__ = ("title",)

    def __init__(self, title: str) -> None:
        super().__init__(_CardType)
        self.title = title

    def __call__(self, *args: object) -> NoReturn:
        raise errors.CUDA_TYPE(name=self.title)

    def __instancecheck__(self, instance: object) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<class 'torch.cuda.{self.title}'>"


def get_device(self: Tensor) -> int:
    """The number of the graphics card; -1 on the CPU."""
    return -1


def is_shared(self: Tensor) -> bool:
    """Whether the memory was asked to be seen by other processes, of which there are none."""
    return self._st.memory.shared


def share_memory_(self: Tensor) -> Tensor:
    """The tensor itself, whose memory counts as shared from now on."""
    self._st.memory.shared = True
    return self


METHODS: Final[dict[str, Callable[..., Any]]] = {
    "to": to,
    "cuda": cuda,
    "get_device": get_device,
    "is_shared": is_shared,
    "share_memory_": share_memory_,
}
_FLAGS: Final = {
    **dict.fromkeys(("is_cuda", "is_sparse", "is_quantized", "is_meta", "is_mps", "is_mkldnn", "is_xpu"), False),
    "is_sparse_csr": False,
    "is_cpu": True,
    "is_nested": False,
    "layout": STRIDED,
    "name": None,
}


# -- defaults ----------------------------------------------------------------------------------------------------------


def get_default_dtype() -> dtypes.dtype:
    """The dtype of numbers with a decimal point."""
    return dtypes.BY_NUMPY[dtypes.DEFAULT]


def set_default_dtype(d: Any, /) -> None:
    """From now on numbers with a decimal point have this dtype."""
    if not isinstance(d, dtypes.dtype):
        raise errors.DEFAULT_DTYPE_OBJECT()
    if not d.is_floating_point:
        raise errors.DEFAULT_DTYPE()
    dtypes.set_default(d.numpy)


def set_default_device(device: Any) -> None:
    """From now on tensors are made on this device where none is named; one that is not there is refused then."""
    make_on(CPU if device is None else device)


def get_default_device() -> device:
    """Where tensors are made where no device is named."""
    return STATE.device or CPU


# -- modules -----------------------------------------------------------------------------------------------------------


def _no_card(*arguments: object, **keywords: object) -> NoReturn:
    raise errors.NO_CUDA()


def _nothing(*arguments: object, **keywords: object) -> None:
    """Nothing to do without a graphics card."""


def _none(*arguments: object) -> int:
    return 0


def _no(*arguments: object) -> bool:
    return False


_CUDA: Final[dict[str, Any]] = {
    "is_available": _no,
    "is_initialized": _no,
    "is_bf16_supported": _no,
    "device_count": _none,
    "memory_allocated": _none,
    "max_memory_allocated": _none,
    "memory_reserved": _none,
    **dict.fromkeys(("manual_seed", "manual_seed_all", "seed", "seed_all", "empty_cache"), _nothing),
    **dict.fromkeys(("current_device", "get_device_name", "get_device_properties", "synchronize"), _no_card),
    "set_device": _no_card,
    **dict.fromkeys(("get_device_capability", "current_stream", "default_stream", "init", "ipc_collect"), _no_card),
    **dict.fromkeys(("get_rng_state", "set_rng_state", "initial_seed", "mem_get_info"), _no_card),
    **dict.fromkeys(("max_memory_reserved", "memory_cached", "max_memory_cached"), _none),
    "get_rng_state_all": list,
    "memory_stats": OrderedDict,
    "get_sync_debug_mode": _no_card,
    "set_rng_state_all": _nothing,
    "get_arch_list": list,
    **{f"{d.legacy}Tensor": _CardType(f"{d.legacy}Tensor") for d in dtypes.ALL if not d.is_complex},
}


def modules() -> dict[str, Module]:
    """``torch.cuda``, ``torch.backends`` and what lies in them, by full name, fresh for one run."""
    made: dict[str, dict[str, object]] = {
        "cudnn": {"benchmark": False, "deterministic": False, "enabled": True, "allow_tf32": True, "is_available": _no},
        "mps": {"is_available": _no, "is_built": _no},
        "mkldnn": {"enabled": True},
    }
    backends = {name: Module(f"torch.backends.{name}", members) for name, members in made.items()}
    matmul = Module("torch.backends.cuda.matmul", {"allow_tf32": False})
    backends["cuda"] = Module("torch.backends.cuda", {"matmul": matmul, "is_built": _no})
    found: dict[str, Module] = {module.__name__: module for module in backends.values()}
    return {
        **found,
        "torch.backends": Module("torch.backends", backends),
        "torch.cuda": Module("torch.cuda", _CUDA),
        "torch.mps": Module("torch.mps", {"manual_seed": _nothing, "empty_cache": _nothing, "device_count": _none}),
        "torch.accelerator": Module("torch.accelerator", {"is_available": _no, "device_count": _none}),
        "torch.version": Module("torch.version", {"cuda": None, "hip": None, "__version__": "2.13.0"}),
    }


def _use_deterministic(mode: bool, *, warn_only: bool = False) -> None:
    """Every function here gives the same result in every run."""
    STATE.settings["deterministic"] = bool(mode), bool(mode) and bool(warn_only)


def _deterministic() -> bool:
    return bool(STATE.settings.get("deterministic", (False, False))[0])


def _only_warned() -> bool:
    return bool(STATE.settings.get("deterministic", (False, False))[1])


def _set_debug_mode(debug_mode: int | str) -> None:
    modes = {"default": 0, "warn": 1, "error": 2}
    number = modes.get(debug_mode, -1) if isinstance(debug_mode, str) else debug_mode
    if number not in modes.values():
        raise RuntimeError(
            f"invalid value of debug_mode, expected `default`, `warn`, `error`, but got {debug_mode}"
            if isinstance(debug_mode, str)
            else f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}"
        )
    STATE.settings["deterministic"] = number > 0, number == 1


def _set_precision(precision: str) -> None:
    STATE.settings["precision"] = precision


NAMES: Final[dict[str, Any]] = {
    "device": device,
    "get_default_dtype": get_default_dtype,
    "set_default_dtype": set_default_dtype,
    "get_default_device": get_default_device,
    "set_default_device": set_default_device,
    "set_num_threads": _nothing,
    "get_num_threads": lambda: 1,
    "use_deterministic_algorithms": _use_deterministic,
    "get_float32_matmul_precision": lambda: STATE.settings.get("precision", "highest"),
    "get_deterministic_debug_mode": lambda: 0 if not _deterministic() else 1 if _only_warned() else 2,
    "set_deterministic_debug_mode": _set_debug_mode,
    "is_deterministic_algorithms_warn_only_enabled": lambda: _only_warned(),
    "set_flush_denormal": lambda mode: True,
    "set_float32_matmul_precision": _set_precision,
    "are_deterministic_algorithms_enabled": lambda: _deterministic(),
}


def _flag(value: object, tensor: Tensor) -> object:
    return value


def install() -> None:
    """Register the types with the gate, and the flags with tensors."""
    allow(_CardType, typed=lambda _: Type)
    allow(device, ("type", "index"), shown_as=device, called=lambda _: "torch.device")
    for name, value in _FLAGS.items():
        setattr(Tensor, name, property(partial(_flag, value)))
