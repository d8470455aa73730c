"""Affine maps, embeddings, and changes of shape."""

from __future__ import annotations

import math
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.functional import layers as F
from gradflow.engine.namespace.functional.activation import prelu
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.nn import init
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter, empty
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.tensor import Tensor


class Identity(Module):
    """The input as it is; arguments are ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input."""
        return input


class Linear(Module):
    """y = x @ weight.T + bias."""

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = empty(out_features, in_features, dtype=dtype)
        add_bias(self, out_features if bias else None, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        reset(self)

    def forward(self, input: Tensor) -> Tensor:
        """input @ weight.T + bias."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


def add_bias(module: Any, size: int | None, dtype: Any = None) -> None:
    """A bias of this size, or none."""
    module.register_parameter("bias", None if size is None else empty(size, dtype=dtype))


def reset(module: Any) -> None:
    """The initial values of affine maps and convolutions."""
    init.kaiming_uniform_(module.weight, a=math.sqrt(5))
    if module.bias is not None:
        fan_in, _ = init.fans(module.weight)
        if fan_in:
            init.uniform_(module.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))


class Bilinear(Module):
    """For each output k: x1 @ weight[k] @ x2 + bias[k]."""

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise errors.LAYER_ARGUMENT(message=f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = empty(out_features, in1_features, in2_features, dtype=dtype)
        add_bias(self, out_features if bias else None, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        bound = 1 / math.sqrt(self.weight._a.shape[1])
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """The bilinear form of both inputs."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features},"
            f" out_features={self.out_features}, bias={self.bias is not None}"
        )


class Embedding(Module):
    """A table whose rows are looked up by number."""

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise errors.PADDING_IDX()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is not None and _weight._a.shape != (num_embeddings, embedding_dim):
            raise errors.MODULE_ASSERTION(message="Shape of weight does not match num_embeddings and embedding_dim")
        rows = empty(num_embeddings, embedding_dim, dtype=dtype) if _weight is None else Parameter(_weight)
        rows.requires_grad = not _freeze
        self.weight = rows
        if _weight is None:
            self.reset_parameters()

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """A table with given rows."""
        if has(embeddings, "dim")._a.ndim != 2:
            raise errors.MODULE_ASSERTION(message="Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings._a.shape
        return cls(
            rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, _freeze=freeze
        )

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight._a[self.padding_idx] = 0

    def forward(self, input: Tensor) -> Tensor:
        """The rows with these numbers."""
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        """The sizes, and what is not as by default."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        text += f", padding_idx={self.padding_idx}" if self.padding_idx is not None else ""
        text += f", max_norm={self.max_norm}" if self.max_norm is not None else ""
        text += f", norm_type={self.norm_type}" if self.norm_type != 2 else ""
        text += f", scale_grad_by_freq={self.scale_grad_by_freq}" if self.scale_grad_by_freq else ""
        return text + (", sparse=True" if self.sparse else "")


class Flatten(Module):
    """Dimensions start_dim to end_dim as one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The input with fewer dimensions."""
        return composite.flatten(has(input, "flatten"), self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One dimension as several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise errors.MODULE_TYPE(
                message=f"unflattened_size must be a tuple of ints, but found type {type_name(unflattened_size)}"
            )
        for place, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise errors.MODULE_TYPE(
                    message="unflattened_size must be tuple of ints, but found element of type"
                    f" {type_name(size)} at pos {place}"
                )
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """The input with more dimensions."""
        return input.unflatten(self.dim, self.unflattened_size)  # type: ignore[attr-defined]

    def extra_repr(self) -> str:
        """The dimension and its parts."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class CosineSimilarity(Module):
    """The cosine of the angle between vectors."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The cosine along the dimension."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PReLU(Module):
    """max(0, x) + weight * min(0, x)."""

    weight: Parameter

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = empty(num_parameters, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """The slopes as at the beginning."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """The rectified input."""
        return prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The number of slopes."""
        return f"num_parameters={self.num_parameters}"


CLASSES = (Identity, Linear, Bilinear, Embedding, Flatten, Unflatten, CosineSimilarity, PReLU)
