"""``torch.nested``: tensors of different lengths together, as a list of them that knows what PyTorch's knows.

It is made, taken apart, padded, and goes through the functions that PyTorch has for it, one tensor after the other.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.checked_calls import dispatched_by
from gradflow.engine.namespace.functions import creation
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.classes.kept_whole import keep_whole
from gradflow.engine.sandbox.gate import allow
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.tensor.device import CPU, require_cpu
from gradflow.engine.tensor.memory_format import STRIDED

_FUNCTIONS: Final = (
    "abs add clone contiguous cos detach div dropout eq exp gelu ge gt layer_norm leaky_relu le linear log lt matmul mul ne"
    " neg reciprocal relu rms_norm sgn sigmoid silu sin softmax sqrt sub tanh threshold to"
)
_EACH: Final = frozenset(_FUNCTIONS.split())
"""What is computed of one tensor after the other."""
_OPERATORS: Final = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__mul__": "mul", "__rmul__": "mul", "__truediv__": "div",
    "__matmul__": "matmul", "__neg__": "neg",
}  # fmt: skip
_NAMES: Final = (
    "clone contiguous detach device dim dtype grad is_leaf is_nested layout ndim numel requires_grad requires_grad_ size to"
    " to_padded_tensor unbind"
)


class NestedTensor:
    """Tensors of one number of dimensions, of which each can have sizes of its own."""

    is_nested, device, layout = True, CPU, STRIDED

    def __init__(self, parts: Sequence[Tensor], node_name: str | None = None) -> None:
        self._parts, self._node_name = tuple(parts), node_name

    @property
    def dtype(self) -> dtypes.dtype:
        """The dtype of all of them."""
        return self._parts[0].dtype if self._parts else dtypes.BY_NUMPY[dtypes.DEFAULT]

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient is wanted."""
        return any(part.requires_grad for part in self._parts)

    @property
    def is_leaf(self) -> bool:
        """Whether it was not computed."""
        return all(part.is_leaf for part in self._parts)

    @property
    def grad(self) -> NestedTensor | None:
        """The gradients, nested as the tensors are."""
        grads = [part.grad for part in self._parts]
        return None if not grads or any(grad is None for grad in grads) else NestedTensor(grads)  # type: ignore[arg-type]

    def requires_grad_(self, requires_grad: bool = True) -> NestedTensor:
        """Set whether a gradient is wanted, in place."""
        for part in self._parts:
            part.requires_grad_(requires_grad)  # type: ignore[attr-defined]  # installed late
        return self

    def dim(self) -> int:
        """The number of dimensions, with that of the list."""
        return 1 + (self._parts[0]._a.ndim if self._parts else 0)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.dim()

    def numel(self) -> int:
        """The number of elements."""
        return sum(part._a.size for part in self._parts)

    def size(self, dim: int | None = None) -> int:
        """The size of a dimension. Raises RuntimeError where it is not the same for all."""
        if dim is None:
            raise RuntimeError("Internal error: NestedTensorImpl doesn't support sizes. Please file an issue.")
        at = dim + self.dim() if dim < 0 else dim
        if not 0 <= at < self.dim():
            raise errors.DIM_RANGE(low=-self.dim(), high=self.dim() - 1, dim=dim)
        sizes = {part._a.shape[at - 1] for part in self._parts} if at else {len(self._parts)}
        if len(sizes) != 1:
            raise RuntimeError(
                f"Given dimension {dim} is irregular and does not have a size. Please use nested_size() or other ways to"
                " look at the sizes of the tensors."
            )
        return int(sizes.pop())

    def unbind(self, dim: int = 0) -> tuple[Tensor, ...]:
        """The tensors."""
        if dim:
            raise RuntimeError(f"NestedTensor can only be unbound along dimension 0 got dimension {dim} instead.")
        return self._parts

    def to_padded_tensor(self, padding: float, output_size: Any = None) -> Any:
        """One tensor: shorter ones are filled up with ``padding``."""
        if not self._parts:
            raise RuntimeError("to_padded_tensor: at least one constituent tensor should have non-zero numel")
        widest = [max(sizes) for sizes in zip(*(part._a.shape for part in self._parts), strict=True)]
        if output_size is not None:
            given = [int(n) for n in output_size]
            if len(given) != self.dim() or any(n < least for n, least in zip(given[1:], widest, strict=True)):
                raise RuntimeError(
                    "Value in output_size is less than NestedTensor padded size. Truncation is not supported."
                )
            widest = given[1:]
        return REGISTRY["stack"].call([_filled(part, widest, padding) for part in self._parts], 0)

    def __iter__(self) -> Any:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, int):
            raise errors.SPARSE_REFUSED(name="this index of a nested tensor")
        return self._parts[index]

    def __repr__(self) -> str:
        wanted = self.requires_grad
        inner = ",\n".join(textwrap.indent(_shown(part, wanted), "  ") for part in self._parts)
        node = next((part.grad_fn for part in self._parts if part.grad_fn is not None), None)
        name = (node.printed_name if node else self._node_name) if wanted else None
        told = f", grad_fn=<{name}>" if name else ", requires_grad=True" if wanted else ""
        return f"nested_tensor([\n{inner}\n]{told})"


def _shown(part: Tensor, wanted: bool) -> str:
    """A tensor as it stands in the list: outside the graph, and wanting a gradient where the whole does."""
    shown = Tensor(part._a)
    shown._rg = wanted
    return repr(shown)


def _filled(part: Tensor, widest: Sequence[int], padding: float) -> Any:
    missing = [wide - own for wide, own in zip(widest, part._a.shape, strict=True)]
    pads = [n for each in reversed(missing) for n in (0, each)]
    return REGISTRY["constant_pad_nd"].call(part, tuple(pads), padding) if any(pads) else part


def _each(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """A function of every tensor, where it takes nested ones the tensors at the same place."""
    if function.__name__ not in _EACH:
        raise errors.SPARSE_REFUSED(name=f"`{function.__name__}` of a nested tensor")
    nested = [value for value in (*args, *kwargs.values()) if isinstance(value, NestedTensor)]
    if len({len(value._parts) for value in nested}) != 1:
        raise RuntimeError(f"{function.__name__} expected nested tensors of the same number of tensors")
    return NestedTensor(
        [
            function(*(_at(value, i) for value in args), **{name: _at(value, i) for name, value in kwargs.items()})
            for i in range(len(nested[0]._parts))
        ]
    )


def _at(value: Any, i: int) -> Any:
    return value._parts[i] if isinstance(value, NestedTensor) else value


def _method(name: str) -> Callable[..., Any]:
    def method(self: NestedTensor, *args: Any, **kwargs: Any) -> Any:
        return _each(_titled(name, getattr(Tensor, name)), (self, *args), kwargs)

    method.__name__ = name
    return method


def _titled(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    call.__name__ = name
    return call


def _parts_of(tensor_list: Any, copied: bool, dtype: Any) -> list[Any]:
    if isinstance(tensor_list, Tensor):
        tensor_list = tensor_list.unbind(0)  # type: ignore[attr-defined]  # installed late
    if not isinstance(tensor_list, list | tuple):
        raise TypeError("nested_tensor(): Expected first argument to be a list of tensors or lists")
    found = [each if isinstance(each, Tensor) else creation.tensor(each, dtype=dtype) for each in tensor_list]
    if copied:
        found = [each.detach().clone() for each in found]  # type: ignore[attr-defined]  # installed late
    if len({each._a.ndim for each in found}) > 1:
        raise RuntimeError("All Tensors given to nested_tensor must have the same dimension.")
    return [each if dtype is None else each.to(dtype) for each in found]  # type: ignore[attr-defined]


def _refuse_jagged(layout: Any) -> None:
    if layout not in (None, STRIDED):
        raise errors.SPARSE_REFUSED(name="the layout torch.jagged")


def nested_tensor(
    tensor_list: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> NestedTensor:
    """A nested tensor, a leaf, with copies of the tensors of a list."""
    _refuse_jagged(layout)
    require_cpu(device)
    parts = _parts_of(tensor_list, True, dtype)
    return NestedTensor([creation.finish(part, requires_grad) for part in parts])


def as_nested_tensor(ts: Any, dtype: Any = None, device: Any = None, layout: Any = None) -> NestedTensor:
    """A nested tensor of the tensors themselves: gradients flow to them."""
    _refuse_jagged(layout)
    require_cpu(device)
    return NestedTensor(_parts_of(ts, False, dtype), "NestedTensorFromTensorListBackward0")


def to_padded_tensor(input: Any, padding: float, output_size: Any = None, out: None = None) -> Any:
    """One tensor: shorter ones are filled up with ``padding``."""
    if not isinstance(input, NestedTensor):
        raise RuntimeError("to_padded_tensor: expected a nested tensor")
    return input.to_padded_tensor(padding, output_size)


def members() -> dict[str, dict[str, Any]]:
    """What the module shows."""
    for name, function in _OPERATORS.items():
        setattr(NestedTensor, name, _method(function))
    for name in ("clone", "contiguous", "detach", "to"):
        setattr(NestedTensor, name, _method(name))
    NestedTensor.__module__, NestedTensor.__qualname__ = "torch", "Tensor"
    keep_whole(NestedTensor)
    allow(NestedTensor, _NAMES.split(), called=lambda _: "Tensor")
    dispatched_by(NestedTensor, _each)
    return {
        "torch.nested": {
            "nested_tensor": nested_tensor,
            "as_nested_tensor": as_nested_tensor,
            "to_padded_tensor": to_padded_tensor,
        }
    }
