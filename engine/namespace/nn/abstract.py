"""What layers of one kind derive from in PyTorch: ``_Loss``, ``_DropoutNd``, ``_MaxPoolNd`` and their like.

Programs derive layers of their own from these, and ask by them of what kind a layer is.
"""

from __future__ import annotations

from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.functional.loss import reduction_of
from gradflow.engine.namespace.nn.module import Module


class Loss(Module):
    """A loss with a reduction."""

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        old = size_average is not None or reduce is not None
        self.reduction = reduction_of(reduction, size_average, reduce) if old else reduction


class WeightedLoss(Loss):
    """A loss with weights for the classes."""

    def __init__(
        self, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class Dropout(Module):
    """A layer that drops."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        check_probability(p)
        self.p, self.inplace = p, inplace

    def extra_repr(self) -> str:
        """The settings."""
        return f"p={self.p}, inplace={self.inplace}"


def check_probability(p: float) -> None:
    """Raises ValueError for what is no probability."""
    if p < 0 or p > 1:
        raise errors.MODULE_ARGUMENT(message=f"dropout probability has to be between 0 and 1, but got {p}")


class MaxPool(Module):
    """A pool that keeps the largest."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode


class AdaptiveAvgPool(Module):
    """A pool of averages, by the size of its output."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size


class AdaptiveMaxPool(Module):
    """A pool that keeps the largest, by the size of its output."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices


class LPPool(Module):
    """A pool of power means."""

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode


class ConstantPad(Module):
    """Padding with one value."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value


class AvgPool(Module):
    """A pool of averages."""


class MaxUnpool(Module):
    """The way back of a pool that kept the largest."""


class ReflectionPad(Module):
    """Padding with the mirrored input."""


class ReplicationPad(Module):
    """Padding with the border."""


class CircularPad(Module):
    """Padding with the other end."""


def _named(name: str, cls: type[Module]) -> type[Module]:
    cls.__name__ = cls.__qualname__ = name
    return cls


_BEGINNINGS: Final = {
    "Dropout": Dropout, "AlphaDropout": Dropout, "FeatureAlphaDropout": Dropout, "MaxPool": MaxPool, "AvgPool": AvgPool,
    "AdaptiveAvgPool": AdaptiveAvgPool, "AdaptiveMaxPool": AdaptiveMaxPool, "LPPool": LPPool, "MaxUnpool": MaxUnpool,
    "ConstantPad": ConstantPad, "ZeroPad": ConstantPad, "ReflectionPad": ReflectionPad, "ReplicationPad": ReplicationPad,
    "CircularPad": CircularPad,
}  # fmt: skip
_WEIGHTED: Final = {"NLLLoss", "BCELoss", "CrossEntropyLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss"}
_ONE_SIZE: Final = {Loss: "_Loss", WeightedLoss: "_WeightedLoss"}


def kin(name: str) -> type[Module]:
    """What the layer of this name derives from."""
    if name in _WEIGHTED:
        return WeightedLoss
    if name.endswith("Loss"):
        return Loss
    return next((cls for begin, cls in _BEGINNINGS.items() if name.startswith(begin)), Module)


def _classes() -> dict[str, tuple[type[Module], ...]]:
    several = dict.fromkeys(_BEGINNINGS.values())
    made = {cls: _named(_ONE_SIZE.get(cls, f"_{cls.__name__}Nd"), cls) for cls in (*_ONE_SIZE, *several)}
    words = {"Drop": "dropout", "Loss": "loss", "Pool": "pooling", "pool": "pooling", "Pad": "padding"}
    places: dict[str, tuple[type[Module], ...]] = {}
    for cls in made:
        place = next(place for word, place in words.items() if word in cls.__name__)
        places[place] = (*places.get(place, ()), cls)
    return places


CLASSES: Final = _classes()
"""The classes by the module of ``torch.nn.modules`` that has them, under PyTorch's names."""
