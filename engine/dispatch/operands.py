"""What the generated wrappers do with arguments: numbers, dtypes, sequences, and PyTorch's errors about them."""

from __future__ import annotations

import itertools
from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.argument_messages import type_title
from gradflow.engine.numerics.broadcasting import check_broadcast
from gradflow.engine.numerics.scalars import own_number, python_number
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.tensor.storage import Named

if TYPE_CHECKING:
    from gradflow.engine.registry import Op

Number = bool | int | float | complex

ELEMENTS: Final = {"b": "?", "i": "bBhi", "l": "lq", "e": "eE", "w": "E", "f": "fd", "c": "FD"}
"""The letters of kinds of elements in declarations, and what NumPy calls the dtypes of each."""


def number(value: object, op: Op, name: str, position: int) -> Any:
    """A Python number as it is; NumPy's scalars as Python numbers. Raises TypeError for anything else."""
    if value.__class__ is float or value.__class__ is int:
        return value
    if isinstance(value, np.generic):
        return python_number(value)
    return own_number(value) if isinstance(value, Number) else tensor_only(value, op, name, position)


def tensor_only(value: object, op: Op, name: str, position: int) -> Any:
    """Raises TypeError: a tensor was wanted."""
    raise errors.ARGUMENT_TYPE(
        function=op.public, argument=name, position=position, expected="Tensor", actual=type_title(value)
    )


def sequence(values: object, op: Op, name: str, position: int) -> Sequence[Tensor]:
    """A list or tuple of tensors, as one of Python's own: another could give other things the next time. Raises TypeError for
    anything else."""
    if type(values) not in (list, tuple) and isinstance(values, (list, tuple)):
        values = tuple(values)
    if not isinstance(values, (list, tuple)):
        raise errors.ARGUMENT_TYPE(
            function=op.public,
            argument=name,
            position=position,
            expected="tuple of Tensors",
            actual=type(values).__name__,
        )
    for index, value in enumerate(values):
        if not isinstance(value, Tensor):
            raise errors.ELEMENT_TYPE(
                function=op.public,
                argument=name,
                position=position,
                expected="Tensor",
                index=index,
                actual=type(value).__name__,
            )
    return values


def promote(*operands: Any) -> Sequence[Any]:
    """Arrays cast to their common dtype; Python numbers stay numbers, which NumPy takes at the arrays' dtype."""
    given = [o for o in operands if o is not None]
    common = dtypes.result_type(*given)
    if not any(isinstance(o, np.ndarray) for o in given):
        operands = tuple(None if o is None else np.asarray(o, common) for o in operands)
    return [_cast(o, common) for o in operands]


def promote_to_float(*operands: Any) -> Sequence[Any]:
    """`promote` for a result that is floating point: a number meets integers as what it is, not as their dtype holds it."""
    given = [o for o in operands if o is not None]
    common = dtypes.result_type(*given)
    if common.kind in "fcV" or not any(isinstance(o, np.ndarray) for o in given):
        return promote(*operands)
    return [_cast(o, dtypes.DEFAULT) for o in operands]


def promote_difference(*operands: Any) -> Sequence[Any]:
    """`promote` for a difference. Raises RuntimeError where one operand holds truth values, and not all of them do."""
    found = [isinstance(o, bool) or getattr(o, "dtype", None) == np.bool_ for o in operands]
    if any(found) and not all(found):
        raise errors.BOOL_SUBTRACT_ONE()
    return promote(*operands)


def _cast(operand: Any, common: np.dtype) -> Any:
    if isinstance(operand, np.ndarray):
        return operand if operand.dtype is common else operand.astype(common)
    if operand is None or common.kind in "fcV":
        return operand
    return np.asarray(operand).astype(common)


def promote_all(arrays: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
    """Arrays cast to their common dtype."""
    return promote(*arrays) if arrays else arrays


def to_float(operand: Any) -> Any:
    """Integers and booleans as the default float."""
    if isinstance(operand, np.ndarray):
        return dtypes.to_float(operand)
    return operand


def spread(values: tuple[Any, ...], op: Op, name: str) -> tuple[int, ...]:
    """``view(2, 3)`` and ``view((2, 3))`` as one tuple."""
    if len(values) == 1 and isinstance(values[0], (tuple, list)):
        values = tuple(values[0])
    return tuple([integer(v, op, name) for v in values])


def integer(value: Any, op: Op, name: str) -> int:
    """An integer from a Python int or a 0-d integer tensor. Raises TypeError for anything else."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise errors.ARGUMENT_TYPE(
            function=op.public, argument=name, position=1, expected="tuple of ints", actual=type(value).__name__
        )
    return int(value.__index__())


def refused(op: Op, array: np.ndarray, written: Tensor | None = None) -> Exception:
    """PyTorch's error for elements of a dtype that the operation does not take.

    written: the tensor that the result would be written into, if its dtype is looked at before.
    """
    if written is not None and dtypes.category(array) > dtypes.category(written._a):
        return errors.RESULT_CAST(result=dtypes.of(array).legacy, output=written.dtype.legacy, subject=written)
    char = array.dtype.char
    reason = next(r for letters, r in op.refuses.items() if any(char in ELEMENTS[letter] for letter in letters))
    dtype = dtypes.of(array).legacy
    if isinstance(reason, str):
        return errors.NOT_IMPLEMENTED_DTYPE(name=reason, dtype=dtype)
    return reason(**{"name": op.torch or op.public, "dtype": dtype, **getattr(reason, "keywords", {})})


def broadcast_error(error: Any, operands: Sequence[Any]) -> Any:
    """PyTorch's error for operands whose shapes do not broadcast, or what is given for where they do."""
    shapes = [np.shape(o) for o in operands if o is not None]
    try:
        for a, b in itertools.pairwise(shapes):
            check_broadcast(a, b)
    except RuntimeError as found:
        return found
    return error


@cache
def result_class(name: str, fields: tuple[str, ...]) -> Any:
    """The named tuple that PyTorch returns under a name."""
    plain = namedtuple(name, fields)  # type: ignore[misc]  # built from the declaration
    own = {"__slots__": (), **{field: vars(plain)[field] for field in fields}}
    cls: Any = Named(name, (plain,), own, "torch.return_types")

    def represent(self: Any) -> str:
        inner = ",\n".join(f"{field}={getattr(self, field)!r}" for field in fields)
        return f"torch.return_types.{name}(\n{inner})"

    def missing(self: Any, attribute: str) -> Any:
        raise AttributeError(f"'torch.return_types.{name}' object has no attribute '{attribute}'")

    cls.__getattr__ = missing
    cls.__repr__ = cls.__str__ = represent
    _result_classes.append(cls)
    if _tell is not None:
        _tell(cls)
    return cls


_result_classes: list[Any] = []
_tell: Callable[[Any], None] | None = None


def tell_result_classes(tell: Callable[[Any], None]) -> None:
    """Have ``tell`` called with every class of named results, those that there are and those to come."""
    global _tell
    _tell = tell
    for each in _result_classes:
        tell(each)


def has_named_results(op: Op) -> bool:
    """Whether several results are a named tuple: ``result0`` is PyTorch's own way to say that they have no names."""
    return op.outputs[:1] not in ((), ("result0",))


def result_tuple(op: Op, outs: list[Tensor]) -> Any:
    """Several results: a named tuple where the declaration gives them names of their own, else a tuple."""
    return result_class(op.public, op.outputs)(*outs) if has_named_results(op) else tuple(outs)


foreign_operands: list[Callable[[str, Any, Any], Any]] = []
"""What an operator makes of an operand that is neither a tensor nor a number; the namespace enters it."""


def foreign(op: Op, tensor: Any, operand: Any) -> Any:
    """The result of ``tensor + operand`` for such an operand; NotImplemented, so that Python asks it or says that it cannot."""
    return foreign_operands[0](op.name, tensor, operand) if foreign_operands else NotImplemented
