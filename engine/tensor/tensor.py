"""Tensor: an array, the storage it shares with its views, and its place in the autograd graph.

Operators and methods that compute are installed from the registry (`gradflow.engine.registry`); here is what a tensor is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.strides import address as address
from gradflow.engine.numerics.strides import contiguous, shown
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import dtypes
from gradflow.engine.tensor.device import CPU, device
from gradflow.engine.tensor.late_methods import installs_methods_late
from gradflow.engine.tensor.memory_format import CONTIGUOUS, is_ordered, memory_format
from gradflow.engine.tensor.printing import tensor_text
from gradflow.engine.tensor.storage import ARRAY_COPY_WARNING, accumulator_of, copied_memory, copier
from gradflow.engine.tensor.storage import Size as Size
from gradflow.engine.tensor.storage import Storage as Storage

if TYPE_CHECKING:
    from gradflow.engine.autograd.node import AccumulateGrad, Hook, Node
    from gradflow.engine.autograd.views import View
    from gradflow.engine.recording.entries import TensorEntry

NON_LEAF_GRAD_WARNING = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
SCALAR_WARNING = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


class Tensor:
    """An n-dimensional array that remembers how it was computed."""

    _a: np.ndarray
    _st: Storage
    _node: Node | None = None
    _nr: int = 0
    _rg: bool = False
    _grad: Tensor | None = None
    _view: View | None = None
    _retains: bool = False
    _offset: int = 0
    _inference: bool = False
    _hooks: dict[int, dict[int, Hook]] | None = None
    _post_hooks: dict[int, Any] | None = None
    _accumulator: Callable[[], AccumulateGrad | None] | None = None
    _entry: TensorEntry | None = None
    _dense: Tensor | None = None  # of a gradient that is sparse, the same with all its zeros
    _through: Callable[[Any], Any] | None = None
    """What a view shows of its memory, where that is not the memory itself; see `gradflow.engine.autograd.conj_neg_views`."""
    __hash__ = object.__hash__

    if TYPE_CHECKING:  # installed from the registry
        __add__: Callable[[Tensor, Any], Tensor]
        __sub__: Callable[[Tensor, Any], Tensor]
        __mul__: Callable[[Tensor, Any], Tensor]
        __truediv__: Callable[[Tensor, Any], Tensor]

    def __init__(self, array: np.ndarray, storage: Storage | None = None, requires_grad: bool = False) -> None:
        self._a = array
        self._st = storage or Storage()
        if requires_grad:
            self._rg = True

    # -- what it is ---------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The lengths of the dimensions."""
        return Size(self._a.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """The element type."""
        return dtypes.BY_NUMPY[self._a.dtype]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._a.ndim

    @property
    def itemsize(self) -> int:
        """Bytes for an element."""
        return self._a.itemsize

    @property
    def device(self) -> device:
        """Always the CPU."""
        return CPU

    def size(self, dim: int | None = None) -> Size | int:
        """The shape, or the length of one dimension."""
        if dim is None:
            return self.shape
        return int(self._a.shape[check_dim(dim, self._a.ndim)])

    def dim(self) -> int:
        """The number of dimensions."""
        return self._a.ndim

    ndimension = dim

    def numel(self) -> int:
        """The number of elements."""
        return self._a.size

    nelement = numel

    def element_size(self) -> int:
        """Bytes for an element."""
        return self._a.itemsize

    def is_contiguous(self, *, memory_format: memory_format = CONTIGUOUS) -> bool:
        """Whether the elements lie in memory in row-major order, or in the one that is asked for."""
        return is_ordered(self._a, memory_format)

    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        """The distance in memory, in elements, between neighbours along each dimension (or along one)."""
        strides = tuple(s // self._a.itemsize for s in self._a.strides) if self._a.size else contiguous(self._a.shape)
        return strides if dim is None else strides[check_dim(dim, self._a.ndim)]

    def storage_offset(self) -> int:
        """Where in the storage the first element lies."""
        if self._view is None:
            return self._offset
        base = self._view.base
        return base._offset + (address(self._a) - address(base._a)) // self._a.itemsize

    def data_ptr(self) -> int:
        """The address of the first element; equal for tensors that begin at the same place."""
        return address(self._a)

    def is_floating_point(self) -> bool:
        """Whether the elements are real floating point numbers."""
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Whether the elements are complex numbers."""
        return self.dtype.is_complex

    # -- its place in the graph ---------------------------------------------------------------------------------

    @property
    def grad_fn(self) -> Node | None:
        """The function that made this tensor; None for a leaf."""
        if self._view is not None:
            self._view.regenerate_grad_fn(self)
        return self._node

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient is wanted for this tensor."""
        return self._rg or self._node is not None or (self._view is not None and self._view.base.requires_grad)

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        if not isinstance(wanted, bool):
            raise errors.REQUIRES_GRAD_TYPE()
        if self._node is not None:
            raise (errors.REQUIRES_GRAD_SET if wanted else errors.REQUIRES_GRAD_NON_LEAF)(subject=self)
        if wanted and self.dtype.category < dtypes.FLOAT:
            raise errors.INTEGER_REQUIRES_GRAD_ATTRIBUTE(subject=self)
        if wanted and self.is_inference() and not STATE.inference:
            raise errors.INFERENCE_REQUIRES_GRAD(subject=self)
        if self._node is None:
            self._rg = bool(wanted)
        if STATE.recorder is not None:
            STATE.recorder.update(self)

    @property
    def is_leaf(self) -> bool:
        """Whether the tensor was not made by a function that recorded gradients."""
        return (self._node if self._view is None else self.grad_fn) is None

    @property
    def retains_grad(self) -> bool:
        """Whether this non-leaf keeps its gradient."""
        return self._retains

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode."""
        return self._inference if self._view is None else self._view.base._inference

    @property
    def _version(self) -> int:
        if self.is_inference():
            raise errors.INFERENCE_VERSION()
        return self._st.version

    @property
    def _base(self) -> Tensor | None:
        return self._view.base if self._view else None

    def _is_view(self) -> bool:
        return self._view is not None

    @property
    def output_nr(self) -> int:
        """Which output of its grad_fn this tensor is."""
        return self._nr

    @property
    def data(self) -> Tensor:
        """The same memory outside the graph; writes through it escape the version check."""
        result = Tensor(self._a, Storage.uncounted(self._st.memory))
        result._inference = self._inference
        if STATE.recorder is not None:
            STATE.recorder.alias(self, result, "data")
        return result

    @data.setter
    def data(self, new: Tensor) -> None:
        if not isinstance(new, Tensor):
            raise errors.DATA_TYPE(type=type(new).__name__)
        if new._a.dtype.kind not in "fcV" and self.requires_grad:
            raise errors.DATA_DTYPE(subject=self)
        self._accumulator = accumulator_of(self, new)
        version, view, self._a = self._st.version, self._view if self.requires_grad else None, new._a
        if new._st.memory is not self._st.memory:  # the counter stays: it is that of the tensor, not of the memory
            self._st, self._view = Storage.uncounted(new._st.memory, version), view
        if STATE.recorder is not None:
            STATE.recorder.replaced(self)

    def detach(self) -> Tensor:
        """The same memory outside the graph; the version counter is shared."""
        result = Tensor(self._a, self._st)
        if self._view is not None or self._offset:
            result._offset = self.storage_offset()
        if STATE.special and self.is_inference():
            result._inference, result._st = True, Storage.uncounted(self._st.memory)
        if STATE.recorder is not None:
            STATE.recorder.alias(self, result, "detach")
        return result

    @property
    def grad(self) -> Tensor | None:
        """What backward passes have added up in a leaf (or in a tensor that retains its gradient); None before."""
        if self._grad is None and not self._retains and self.grad_fn is not None:
            warn(NON_LEAF_GRAD_WARNING)
        return self._grad

    @grad.setter
    def grad(self, new: Tensor | None) -> None:
        if new is not None:
            if not isinstance(new, Tensor):
                raise errors.GRAD_TYPE(type=type(new).__name__)
            if new is self:
                raise errors.GRAD_ITSELF(subject=self)
            if new._a.dtype != self._a.dtype:
                raise errors.GRAD_DTYPE(grad_dtype=dtypes.C_NAMES[new.dtype.name], dtype=self.dtype.legacy)
            if new._a.shape != self._a.shape:
                raise errors.GRAD_SHAPE(grad_shape=list(new.shape), shape=list(self.shape))
        self._set_grad(new)

    @grad.deleter
    def grad(self) -> None:
        self._set_grad(None)

    def _set_grad(self, new: Tensor | None) -> None:
        before, self._grad = self._grad, new
        if STATE.recorder is not None:
            STATE.recorder.assigned_grad(self, new, before)

    # -- to Python ----------------------------------------------------------------------------------------------

    def item(self) -> bool | int | float | complex:
        """The only element, as a Python number. Raises RuntimeError for more or fewer than one element."""
        if STATE.levels:
            STATE.levels.check_read("item")
        if self._a.size != 1:
            raise errors.ITEM_NOT_SCALAR(elements=self._a.size, subject=self)
        return self._a.item()  # type: ignore[no-any-return]  # of the dtype's kind

    def tolist(self) -> Any:  # a number or lists of any depth
        """The elements as nested lists of Python numbers."""
        return self._a.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The memory as a NumPy array. Raises RuntimeError while the tensor requires grad."""
        if self.requires_grad and not force:
            raise errors.NUMPY_REQUIRES_GRAD()
        dtypes.check_numpy(self._a.dtype)
        if STATE.recorder is not None:
            self._st.expose()
        return shown(self._a)

    __array_priority__ = 1000  # above that of arrays, which leave operators with a tensor to the tensor

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        if copy is not None:
            warn(ARRAY_COPY_WARNING, "DeprecationWarning")
        array = self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)
        return array.copy() if copy else array

    def cpu(self) -> Tensor:
        """The tensor itself: everything is on the CPU."""
        return self

    def __len__(self) -> int:
        if self._a.ndim == 0:
            raise errors.LEN_SCALAR()
        return len(self._a)

    def __iter__(self) -> Iterator[Tensor]:
        if self._a.ndim == 0:
            raise errors.ITERATE_SCALAR()
        return iter(self.unbind(0))  # type: ignore[attr-defined]  # installed from the registry

    def __bool__(self) -> bool:
        if STATE.levels:
            STATE.levels.check_read("bool")
        if self._a.size != 1:
            raise errors.BOOL_AMBIGUOUS(elements="no values" if self._a.size == 0 else "more than one value")
        return bool(self._a.item())

    def _number(self) -> Any:  # bool, int, float or complex
        if STATE.levels:
            STATE.levels.check_read("item")
        if self._a.size != 1:
            raise errors.NUMBER_NOT_SCALAR()
        if self.requires_grad:
            warn(SCALAR_WARNING, once=True)
        return self._a.item()

    def __float__(self) -> float:
        number = self._number()
        if isinstance(number, complex):
            raise errors.CONVERSION_OVERFLOW(target="double")
        return float(number)

    def __int__(self) -> int:
        number = self._number()
        if isinstance(number, complex):
            raise errors.CONVERSION_OVERFLOW(target="int64_t")
        return int(number)

    def __index__(self) -> int:
        if self._a.dtype.kind not in "iub" or self._a.size != 1:
            raise errors.INDEX_NOT_SCALAR()
        return int(self._a.item())

    def __complex__(self) -> complex:
        return complex(self._number())

    def __repr__(self) -> str:
        return (STATE.levels.shown(self) if STATE.levels else None) or tensor_text(self)

    def __format__(self, spec: str) -> str:
        if self._a.ndim == 0 and type(self) is Tensor:
            return format(self.item(), spec)
        if spec:
            raise errors.FORMAT_TENSOR(type=type(self).__name__, subject=self)
        return repr(self)

    def __copy__(self) -> Tensor:
        result = self.detach()
        result.__class__, result._rg = self.__class__, self.requires_grad
        return result

    def __deepcopy__(self, memo: dict[int, object]) -> Tensor:
        if not self.is_leaf:
            raise errors.DEEPCOPY_NON_LEAF(subject=self)
        copy = type(self).__new__(type(self))
        copied = copier(memo)
        copy.__dict__.update({k: copied(v) for k, v in vars(self).items() if not k.startswith("_")})
        copy._a, copy._st = copied_memory(self, memo)
        if copy._a.base is not None and (self._view is not None or self._offset):
            copy._offset = self.storage_offset()
        copy._rg = self._rg
        memo[id(self)] = copy
        if STATE.recorder is not None:
            STATE.recorder.new(copy, STATE.recorder.place())
        if self._grad is not None:
            copy._grad = Tensor(self._grad._a.copy())
        return copy


installs_methods_late(Tensor)


def check_dim(dim: int, ndim: int) -> int:
    """``dim`` counted from the front. Raises IndexError in PyTorch's words where it is out of range."""
    bound = ndim or 1
    if not -bound <= dim < bound:
        raise errors.DIM_RANGE(low=-bound, high=bound - 1, dim=dim)
    return dim % bound
