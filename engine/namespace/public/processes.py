"""What programs ask of other processes and of graphics cards, and import beside it: here there is one process, without a card.

``torch.distributed`` is there and not initialised, as in PyTorch before ``init_process_group``, which is refused.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, Final, NoReturn

from gradflow.engine import errors
from gradflow.engine.autograd.hooks import RemovableHandle
from gradflow.engine.namespace.data.datasets import default_collate
from gradflow.engine.sandbox.gate import allow
from gradflow.engine.sandbox.stand_ins import OpaqueType
from gradflow.engine.tensor.device import device

_NEED_A_GROUP: Final = (
    "all_gather all_gather_object all_reduce barrier broadcast broadcast_object_list gather get_backend get_rank"
    " get_world_size irecv isend new_group recv reduce reduce_scatter scatter send"
)
_STARTS: Final = "Pool Process Queue spawn get_context start_processes Manager Lock Event Value Array"


class ReduceOp(enum.Enum):
    """How the tensors of several processes would be put together."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7

    def __repr__(self) -> str:
        return f"<RedOpType.{self.name}: {self.value}>"


def _no_group(*given: object, **named: object) -> NoReturn:
    raise errors.MODULE_ARGUMENT(
        message="Default process group has not been initialized, please make sure to call init_process_group."
    )


def _no_group_to_end(*given: object, **named: object) -> NoReturn:
    raise AssertionError("Process group cannot be None")


def _refused(name: str) -> Callable[..., NoReturn]:
    def function(*given: object, **named: object) -> NoReturn:
        raise errors.NOT_PROVIDED(name=name)

    return function


def _no(*given: object) -> bool:
    return False


def _nothing(*given: object, **named: object) -> None:
    """Nothing to do in one process without a card."""


class _WithoutCard:
    """``torch.cuda.Stream`` and ``torch.cuda.Event``: types to annotate with, of which none is made without a card."""

    message = ""

    def __init__(self, *given: object, **named: object) -> None:
        raise RuntimeError(self.message)


class Stream(_WithoutCard):
    """``torch.cuda.Stream``."""

    message = "torch.cuda.Stream requires CUDA support"


class Event(_WithoutCard):
    """``torch.cuda.Event``."""

    message = "Tried to instantiate dummy base class Event"


class StreamContext:
    """``torch.cuda.stream(None)``: a block that is left as it is."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        """Nothing to begin."""

    def __exit__(self, *error: object) -> None:
        """Nothing to end."""


class CardInUse:
    """``torch.cuda.device(-1)``: a block that uses no other card. Raises RuntimeError on entry for the number of a card."""

    def __init__(self, device: Any) -> None:
        self.idx, self.prev_idx = device if isinstance(device, int) else _card_number(device), -1

    def __enter__(self) -> None:
        if not self.idx < 0:  # None cannot be compared, in PyTorch neither
            raise errors.NO_CARD_TO_USE()

    def __exit__(self, *error: object) -> None:
        """Nothing to end."""


class CardOfTensor(CardInUse):
    """``torch.cuda.device_of(tensor)``: no tensor lies on a card."""

    def __init__(self, obj: Any) -> None:
        super().__init__(-1)


def _card_number(given: Any) -> Any:
    """The number of a device; None where there is none. Raises ValueError for a device that is no card."""
    found = device(given) if isinstance(given, str) else given
    if isinstance(found, device) and found.type != "cuda":
        raise errors.NOT_A_CARD(device=str(found))
    return found.index if isinstance(found, device) else None


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """The states of the random generators of the graphics cards among the arguments: of none."""
    return [], []


def set_device_states(devices: Any, states: Any, *, device_type: Any = None) -> None:
    """Set the generators of graphics cards: of none."""


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    for cls, module in ((Stream, "torch.cuda"), (Event, "torch.cuda"), (StreamContext, "torch.cuda")):
        cls.__module__ = module
        allow(cls)
    for card, name in ((CardInUse, "device"), (CardOfTensor, "device_of")):
        card.__name__ = card.__qualname__ = name
        card.__module__ = "torch.cuda"
        allow(card, ("idx", "prev_idx"))
    ReduceOp.__module__ = "torch.distributed"
    allow(ReduceOp, ("name", "value", *ReduceOp.__members__), shown_as=ReduceOp)
    answers: dict[str, Any] = {
        "is_available": lambda: True,
        **dict.fromkeys(("is_initialized", "is_nccl_available", "is_mpi_available", "is_torchelastic_launched"), _no),
    }
    distributed = {
        **answers,
        **dict.fromkeys(_NEED_A_GROUP.split(), _no_group),
        "destroy_process_group": _no_group_to_end,
        "init_process_group": _refused("torch.distributed.init_process_group"),
        "ReduceOp": ReduceOp,
    }
    several = {name: _refused(f"torch.multiprocessing.{name}") for name in _STARTS.split()}
    return {
        "torch.distributed": distributed,
        "torch.multiprocessing": {
            **several,
            "cpu_count": lambda: 1,
            "get_start_method": lambda allow_none=False: "fork",
            **dict.fromkeys(("set_start_method", "set_sharing_strategy", "freeze_support"), _nothing),
        },
        "torch.onnx": {"export": _refused("torch.onnx.export"), "is_in_onnx_export": _no},
        "torch.xpu": {"is_available": _no, "device_count": lambda: 0},
        "torch.cuda": {
            "Stream": Stream,
            "Event": Event,
            "stream": StreamContext,
            "device": CardInUse,
            "device_of": CardOfTensor,
        },
        "torch.utils.checkpoint": {"get_device_states": get_device_states, "set_device_states": set_device_states},
        "torch.utils.hooks": {"RemovableHandle": OpaqueType(RemovableHandle)},
        "torch.utils.data._utils.collate": {"default_collate": default_collate},
        "torch.utils.data._utils": {},
    }
