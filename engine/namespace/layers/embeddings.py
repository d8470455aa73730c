"""Bags of rows of a table, and softmax over very many classes.

Source of the latter: E. Grave et al., Efficient softmax approximation for GPUs (2016).
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functional import layers as F
from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.layers.linear import Linear
from gradflow.engine.namespace.nn import init
from gradflow.engine.namespace.nn.containers import ModuleList, Sequential
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter, empty
from gradflow.engine.namespace.tensor_arguments import has, need
from gradflow.engine.tensor import Tensor

_CUTOFFS = (
    "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is"
    " between 1 and n_classes-1"
)


class EmbeddingBag(Module):
    """Sums, means or maxima of rows of a table that are looked up by number."""

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise errors.MODULE_ASSERTION(message="padding_idx must be within num_embeddings")
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        if _weight is None:
            self.weight = empty(num_embeddings, embedding_dim, dtype=dtype)
            self.reset_parameters()
        elif _weight._a.shape != (num_embeddings, embedding_dim):
            raise errors.MODULE_ASSERTION(message="Shape of weight does not match num_embeddings and embedding_dim")
        else:
            self.weight = Parameter(_weight)
        self.mode, self.sparse, self.include_last_offset = mode, sparse, include_last_offset

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """A table with given rows."""
        if embeddings._a.ndim != 2:
            raise errors.MODULE_ASSERTION(message="Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings._a.shape
        made = cls(
            rows,
            columns,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            embeddings,
            include_last_offset,
            padding_idx,
        )
        need(made.weight, "requires_grad_").requires_grad = not freeze
        return made

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight._a[self.padding_idx] = 0

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """One row for each bag."""
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        """The sizes, and what is not as by default."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        text += f", max_norm={self.max_norm!r}" if self.max_norm is not None else ""
        text += f", norm_type={self.norm_type!r}" if self.norm_type != 2 else ""
        text += f", scale_grad_by_freq={self.scale_grad_by_freq!r}" if self.scale_grad_by_freq is not False else ""
        text += f", mode={self.mode!r}"
        return text + (f", padding_idx={self.padding_idx!r}" if self.padding_idx is not None else "")


class ASMoutput(namedtuple("ASMoutput", ("output", "loss"))):
    """The log-probability of each target, and their mean with the sign turned round."""

    __slots__ = ()


class AdaptiveLogSoftmaxWithLoss(Module):
    """Softmax over classes in groups: the frequent ones by themselves, the rare ones behind one number a group."""

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise errors.MODULE_ARGUMENT(message="cutoffs should be a sequence of length larger than 0")
        unique = sorted(set(cutoffs))
        if cutoffs != unique or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1 or any(int(c) != c for c in cutoffs):
            raise errors.MODULE_ARGUMENT(message=_CUTOFFS)
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head: Any = Linear(in_features, self.head_size, bias=head_bias, dtype=dtype)
        self.tail: Any = ModuleList()
        for number, (first, last) in enumerate(pairwise(self.cutoffs), 1):
            width = int(in_features // div_value**number)
            narrow = Linear(in_features, width, bias=False, dtype=dtype)
            self.tail.append(Sequential(narrow, Linear(width, last - first, bias=False, dtype=dtype)))

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        self.head.reset_parameters()
        for narrow, wide in self.tail:
            narrow.reset_parameters()
            wide.reset_parameters()

    def forward(self, input_: Any, target_: Any) -> ASMoutput:
        """The log-probabilities of the targets, and the loss."""
        _check_targets(input_, target_)
        single = target_._a.ndim == 0
        input, target = (input_.unsqueeze(0), target_.unsqueeze(0)) if single else (input_, target_)
        output, chosen, used = input.new_zeros(target.size(0)), target._a.copy(), 0
        for number, (low, high) in enumerate(pairwise([0, *self.cutoffs])):
            (rows,) = np.nonzero((target._a >= low) & (target._a < high))
            used += rows.size
            if rows.size and number:
                where = Tensor(rows)
                logs = _log_softmax(self.tail[number - 1](input.index_select(0, where)))
                own = logs.gather(1, Tensor(target._a[rows] - low).unsqueeze(1))  # type: ignore[attr-defined]  # installed from the registry
                chosen[rows] = self.shortlist_size + number - 1
                output.index_copy_(0, where, own.squeeze(1))
        if used != target._a.size:
            raise errors.MODULE_RUNTIME(
                message=f"Target values should be in [0, {self.n_classes - 1}], but values in range"
                f" [{target._a.min()}, {target._a.max()}] were found. "
            )
        head = _log_softmax(self.head(input))
        output += head.gather(1, Tensor(chosen).unsqueeze(1)).squeeze()  # type: ignore[attr-defined]  # installed from the registry
        loss = (-output).mean()
        return ASMoutput(output.squeeze(0) if single else output, loss)

    def log_prob(self, input: Any) -> Any:
        """The log-probabilities of all classes: (N, n_classes)."""
        return _all_logs(self, input, self.head(input))

    def predict(self, input: Any) -> Any:
        """The most probable class of each row."""
        head = self.head(input)
        output = head.argmax(dim=1)
        rare = output >= self.shortlist_size
        if not rare._a.any():
            return output
        if rare._a.all():
            return _all_logs(self, input, head).argmax(dim=1)
        output[rare] = _all_logs(self, input[rare], head[rare]).argmax(dim=1)
        return output


def _all_logs(layer: AdaptiveLogSoftmaxWithLoss, input: Any, head: Any) -> Any:
    out, logs = input.new_empty((head.size(0), layer.n_classes)), _log_softmax(head)
    out[:, : layer.shortlist_size] = logs[:, : layer.shortlist_size]
    for number, (first, last) in enumerate(pairwise(layer.cutoffs)):
        own = _log_softmax(layer.tail[number](input))
        out[:, first:last] = own + logs[:, layer.shortlist_size + number].unsqueeze(1)
    return out


def _log_softmax(logits: Any) -> Any:
    return torch_nn_functional.functions()["log_softmax"](logits, dim=1)


def _check_targets(input: Tensor, target: Tensor) -> None:
    wanted = has(target, "dim")._a.ndim + 1
    if wanted > 2:
        raise errors.MODULE_RUNTIME(message="0D or 1D target tensor expected, multi-target not supported")
    if wanted == 2 and input._a.shape[0] != target._a.shape[0]:
        raise errors.MODULE_RUNTIME(message="Input and target should have the same size in the batch dimension.")
    if input._a.ndim != wanted:
        raise errors.MODULE_RUNTIME(
            message=f"{wanted - 1}D target tensor expects {wanted}D input tensors, but found inputs with size"
            f" {input.shape}"
        )


CLASSES: dict[str, tuple[type, ...]] = {"sparse": (EmbeddingBag,), "adaptive": (AdaptiveLogSoftmaxWithLoss,)}
