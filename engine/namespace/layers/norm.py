"""Normalisation as modules.

Sources: S. Ioffe and C. Szegedy (2015); J. Ba et al. (2016); Y. Wu and K. He (2018); D. Ulyanov et al. (2016).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functional import layers as F
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter, empty, filled
from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.tensor import Tensor, dtypes


def begin_again(module: Any) -> None:
    """Weights of 1 and biases of 0."""
    for held, value in ((module.weight, 1), (getattr(module, "bias", None), 0)):
        if held is not None:
            write(held, np.asarray(value))


class _NormBase(Module):
    """Normalisation of channels, with running statistics where wanted."""

    ranks: tuple[int, ...]
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        settle_norm(self, num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def _settle(self, *given: Any) -> None:  # as the lazy layers ask for it
        settle_norm(self, *given)

    def reset_running_stats(self) -> None:
        """Running statistics as at the beginning."""
        if self.running_mean is not None and self.running_var is not None and self.num_batches_tracked is not None:
            for held, value in ((self.running_mean, 0), (self.running_var, 1), (self.num_batches_tracked, 0)):
                write(held, np.asarray(value))

    def reset_parameters(self) -> None:
        """Running statistics, weights and biases as at the beginning."""
        self.reset_running_stats()
        begin_again(self)

    def _check_input_dim(self, input: Tensor) -> None:
        """Raises ValueError where the input has another number of dimensions."""
        if not hasattr(self, "ranks"):
            raise NotImplementedError
        if has(input, "dim")._a.ndim not in self.ranks:
            wanted = " or ".join(f"{n}D" for n in self.ranks)
            message = f"expected {wanted} input (got {input._a.ndim}D input)"
            raise errors.MODULE_ARGUMENT(message=message, layer=self, given=list(input._a.shape))

    def extra_repr(self) -> str:
        """The settings."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine},"
            f" bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


def settle_norm(
    layer: _NormBase,
    features: int,
    eps: float,
    momentum: float | None,
    affine: bool,
    track: bool,
    dtype: Any,
    bias: bool,
) -> None:
    """Begin a normalisation: its settings, weights and running statistics."""
    Module.__init__(layer)
    layer.num_features, layer.eps, layer.momentum = features, eps, momentum
    layer.affine, layer.track_running_stats = affine, track
    layer.register_parameter("weight", filled(features, 1, dtype) if affine else None)
    layer.register_parameter("bias", empty(features, dtype=dtype) if affine and bias else None)
    element_dtype = dtypes.DEFAULT if dtype is None else dtype.numpy
    layer.register_buffer("running_mean", Tensor(np.zeros(features, element_dtype)) if track else None)
    layer.register_buffer("running_var", Tensor(np.ones(features, element_dtype)) if track else None)
    layer.register_buffer("num_batches_tracked", Tensor(np.zeros((), np.int64)) if track else None)
    layer.reset_parameters()


class _BatchNorm(_NormBase):
    """Normalisation over the batch."""

    _version = 2

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        """States of before have no count of batches."""
        version, key = local_metadata.get("version"), f"{prefix}num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input; in training the running statistics move."""
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            write(self.num_batches_tracked, self.num_batches_tracked._a + 1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked._a)
        by_batch = self.training or self.running_mean is None
        return F.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, by_batch, factor, self.eps
        )


class SyncBatchNorm(_BatchNorm):
    """Normalisation over the batch of all processes, of which there is one here."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        settle_norm(self, num_features, eps, momentum, affine, track_running_stats, dtype, bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if has(input, "dim")._a.ndim < 2:
            raise errors.MODULE_ARGUMENT(message=f"expected at least 2D input (got {input._a.ndim}D input)")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with each batch normalisation in it replaced by one of this class, which shares its parameters."""
        made = module
        if issubclass(type(module), _BatchNorm):
            tracks = module.track_running_stats
            made = cls(module.num_features, module.eps, module.momentum, module.affine, tracks, process_group)
            if not issubclass(type(made), _BatchNorm):  # a class of the program's could give anything
                raise TypeError(f"{cls.__name__} gave a {type_name(made)}")
            for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked", "training"):
                setattr(made, name, getattr(module, name))
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made


class _InstanceNorm(_NormBase):
    """Normalisation of each channel of each sample."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        settle_norm(self, num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        self._check_input_dim(input)
        by_input = self.training or not self.track_running_stats
        single = hasattr(self, "ranks") and input._a.ndim == self.ranks[0]
        batch: Any = input.unsqueeze(0) if single else input  # type: ignore[attr-defined]  # installed from the registry
        result: Any = F.instance_norm(
            batch, self.running_mean, self.running_var, self.weight, self.bias, by_input, self.momentum or 0.0, self.eps
        )
        return result.squeeze(0) if single else result


class LayerNorm(Module):
    """Normalisation over the last dimensions."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        shape = self.normalized_shape
        self.register_parameter("weight", filled(tuple(shape), 1, dtype) if elementwise_affine else None)
        self.register_parameter("bias", empty(*shape, dtype=dtype) if elementwise_affine and bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weights and biases as at the beginning."""
        begin_again(self)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The settings."""
        has = self.bias is not None
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, bias={has}"


class RMSNorm(Module):
    """Division by the root of the mean square over the last dimensions."""

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.register_parameter(
            "weight", filled(tuple(self.normalized_shape), 1, dtype) if elementwise_affine else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weights and biases as at the beginning."""
        begin_again(self)

    def forward(self, x: Tensor) -> Tensor:
        """The scaled input."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The settings."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """Normalisation of groups of channels."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise errors.MODULE_ARGUMENT(
                message=f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.register_parameter("weight", filled(num_channels, 1, dtype) if affine else None)
        self.register_parameter("bias", empty(num_channels, dtype=dtype) if affine and bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weights and biases as at the beginning."""
        begin_again(self)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The settings."""
        has = self.bias is not None
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={has}"


def _of_rank(name: str, base: type[_NormBase], *ranks: int) -> type[Module]:
    return type(name, (base,), {"ranks": ranks, "__doc__": base.__doc__})


CLASSES: dict[str, tuple[type[Module], ...]] = {
    "batchnorm": (
        SyncBatchNorm,
        _of_rank("BatchNorm1d", _BatchNorm, 2, 3),
        _of_rank("BatchNorm2d", _BatchNorm, 4),
        _of_rank("BatchNorm3d", _BatchNorm, 5),
    ),
    "instancenorm": tuple(_of_rank(f"InstanceNorm{n}d", _InstanceNorm, n + 1, n + 2) for n in (1, 2, 3)),
    "normalization": (LayerNorm, RMSNorm, GroupNorm),
}
ABSTRACT: dict[str, tuple[type[Module], ...]] = {"batchnorm": (_NormBase, _BatchNorm), "instancenorm": (_InstanceNorm,)}
"""What programs derive normalisation of their own from."""
