"""``torch.device``. Every tensor is on the CPU; another device can be named, and is refused where it is to be used."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from gradflow.engine import errors
from gradflow.engine.state import STATE

KINDS: Final = frozenset(
    {"cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy"}
    | {"vulkan", "mps", "meta", "hpu", "mtia", "privateuseone"}
)
_LINKED: Final = frozenset({"mps", "xpu", "hpu", "mtia"})
"""Devices of which PyTorch says that it is not linked with them."""


_MISSING: Final = object()


NO_MODE: Final = "trying to pop from empty mode stack"
"""What PyTorch says at the end of a block that has not begun."""


class device:
    """Where a tensor is: a kind of device, and its number where it has one. As a context manager, the default."""

    __slots__ = ("index", "type")
    type: str
    index: int | None

    def __init__(self, type: Any = _MISSING, index: int | None = None) -> None:
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if isinstance(type, int) and not isinstance(type, bool):
            raise errors.NO_ACCELERATOR()
        if not isinstance(type, str):
            raise _wrong(type)
        self.type, self.index = _parsed(type) if index is None else (type, index)
        if self.type not in KINDS:
            raise errors.INVALID_DEVICE(device=type)
        if index is not None and index < 0:
            raise errors.NEGATIVE_DEVICE()

    def __repr__(self) -> str:
        number = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{number})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __enter__(self) -> device:
        STATE.devices.append(STATE.device)
        make_on(self)
        return self

    def __exit__(self, *_: object) -> None:
        if not STATE.devices:
            raise RuntimeError(NO_MODE)
        STATE.device = STATE.devices.pop()


device.__module__ = "torch"


def _wrong(given: object) -> Exception:
    if given is _MISSING:
        return errors.DEVICE_ARGUMENTS(given="", mark="")
    title = type(given).__name__
    mark = f"      didn't match because some of the arguments have invalid types: (!{title}!)\n"
    return errors.DEVICE_ARGUMENTS(given=title, mark=mark)


def _parsed(text: str) -> tuple[str, int | None]:
    """``cuda:1`` as its parts. Raises RuntimeError for what is no number."""
    kind, colon, number = text.partition(":")
    if not all(one.isascii() and (one.isalpha() or one == "_") for one in kind) or not kind:
        raise errors.DEVICE_STRING(device=text)
    if not colon:
        return kind, None
    if kind in KINDS and not (number.isascii() and number.isdigit() and (number == "0" or number[0] != "0")):
        raise errors.DEVICE_STRING(device=text)
    return kind, int(number) if number.isdigit() else None


def make_on(given: Any) -> None:
    """Have tensors made on a device where none is named."""
    wanted = device(given)
    STATE.device = None if wanted.type == "cpu" else wanted


def require_cpu(given: Any) -> None:
    """Raises where a device is not the CPU, in PyTorch's words."""
    if given is None:
        return
    wanted = device(given)
    if wanted.type == "cuda":
        raise errors.NO_CUDA()
    if wanted.type in _LINKED:
        raise errors.DEVICE_NOT_LINKED(device=wanted.type)
    if wanted.type != "cpu":
        raise errors.ARGUMENT_NOT_PROVIDED(function="torch.device", argument=wanted.type)


def is_meta(given: Any) -> bool:
    """Whether a device is the one on which tensors have no elements."""
    return given is not None and not isinstance(given, int) and device(given).type == "meta"


def refuse_card(given: Any) -> NoReturn:
    """Raises as ``cuda(given)`` does in a PyTorch without a graphics card."""
    if given is not None and device(given).type != "cuda":
        raise errors.INVALID_CARD()
    raise errors.NO_CUDA()


CPU: Final = device("cpu")
