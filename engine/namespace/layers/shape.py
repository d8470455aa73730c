"""Modules that rearrange or resample: unfolding, upsampling, unpooling, pools of powers, padding round a circle."""

from __future__ import annotations

from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.layers.conv import each, padding
from gradflow.engine.namespace.nn.functional_modules import layer, settings
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.tensor import Tensor

_F = torch_nn_functional.functions()


class Upsample(Module):
    """The input at a given size, or scaled by a factor."""

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name, self.size, self.mode, self.align_corners = type(self).__name__, size, mode, align_corners
        several = isinstance(scale_factor, tuple)
        one = float(scale_factor) if not several and scale_factor else None
        self.scale_factor = tuple(map(float, scale_factor)) if several else one
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The resampled input."""
        return _F["interpolate"](
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """The size or the factor, and how."""
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """`Upsample` by the nearest pixel."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """`Upsample` between the four nearest pixels, corners on corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class Softmax2d(Module):
    """Softmax over the channels of each pixel."""

    def forward(self, input: Tensor) -> Tensor:
        """The channels as probabilities."""
        if input.dim() not in (3, 4):
            raise errors.MODULE_ARGUMENT(
                message=f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return _F["softmax"](input, -3)


def _unpool(dims: int) -> type[Module]:
    """A module that puts maxima back to where they came from."""

    def settle(module: Any) -> None:
        module.stride = module.kernel_size if module.stride is None else module.stride
        for name in ("kernel_size", "stride", "padding"):
            setattr(module, name, each(getattr(module, name), dims))

    shown = settings("kernel_size", "stride", "padding")
    settings_of = {"kernel_size": ..., "stride": None, "padding": 0}
    made = layer(f"MaxUnpool{dims}d", f"max_unpool{dims}d", settings_of, shown, settle=settle)

    def forward(self: Any, input: Tensor, indices: Tensor, output_size: Any = None) -> Any:
        apply = _F[f"max_unpool{dims}d"]
        return apply(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    forward.__qualname__ = f"MaxUnpool{dims}d.forward"
    made.forward = forward  # type: ignore[method-assign]  # the table takes the size for a setting
    return made


_POWER = {"norm_type": ..., "kernel_size": ..., "stride": None, "ceil_mode": False}
_SHOWN_POWER = settings("norm_type", "kernel_size", "stride", "ceil_mode")
_WINDOW = {"kernel_size": ..., "dilation": 1, "padding": 0, "stride": 1}
_RESPONSE = {"size": ..., "alpha": 1e-4, "beta": 0.75, "k": 1.0}


def _shown_response(module: Any) -> str:
    return f"{module.size}, alpha={module.alpha}, beta={module.beta}, k={module.k}"


def _ratio(dims: int) -> type[Module] | None:
    """A pool over windows of random size."""
    name = f"FractionalMaxPool{dims}d"
    if f"fractional_max_pool{dims}d" not in _F:
        return None

    def settle(module: Any) -> None:
        size, ratio = module.output_size, module.output_ratio
        if size is None and ratio is None:
            raise errors.MODULE_ARGUMENT(
                message=f"{name} requires specifying either an output size, or a pooling ratio"
            )
        if size is not None and ratio is not None:
            raise errors.MODULE_ARGUMENT(message="only one of output_size and output_ratio may be specified")
        for key in ("kernel_size", "output_size", "output_ratio"):
            held = getattr(module, key)
            setattr(module, key, None if held is None else each(held, dims))
        if ratio is not None and not all(0 < part < 1 for part in module.output_ratio):
            raise errors.MODULE_ARGUMENT(message=f"output_ratio must be between 0 and 1 (got {ratio})")

    given = {
        "kernel_size": ...,
        "output_size": None,
        "output_ratio": None,
        "return_indices": False,
        "_random_samples": None,
    }
    return layer(name, f"fractional_max_pool{dims}d", given, settle=settle, buffers=("_random_samples",))


CLASSES: dict[str, tuple[type[Module], ...]] = {
    "upsampling": (Upsample, UpsamplingNearest2d, UpsamplingBilinear2d),
    "fold": (
        layer("Fold", "fold", {"output_size": ..., **_WINDOW}, settings("output_size", *_WINDOW)),
        layer("Unfold", "unfold", _WINDOW, settings(*_WINDOW)),
    ),
    "channelshuffle": (layer("ChannelShuffle", "channel_shuffle", {"groups": ...}, settings("groups")),),
    "normalization": (layer("LocalResponseNorm", "local_response_norm", _RESPONSE, _shown_response),),
    "pooling": (
        *(layer(f"LPPool{n}d", f"lp_pool{n}d", _POWER, _SHOWN_POWER) for n in (1, 2, 3)),
        *(_unpool(n) for n in (1, 2, 3)),
        *(made for n in (2, 3) if (made := _ratio(n)) is not None),
    ),
    "padding": tuple(padding(f"CircularPad{n}d", n, "circular") for n in (1, 2, 3)),
    "activation": (Softmax2d,),
}
