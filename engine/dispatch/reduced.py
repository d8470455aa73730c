"""bfloat16: a body computes in float32, and what it gives is rounded once, as PyTorch's kernels for the CPU do.

Bodies never see bfloat16: their arrays are widened, which is exact, and float32 results are rounded to the nearest.
A gradient is rounded where PyTorch rounds: once for a rule that is one kernel, after every step of one that is composed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import numpy as np

from gradflow.engine.state import grad_mode, unseen
from gradflow.engine.tensor import Tensor, dtypes

if TYPE_CHECKING:
    from gradflow.engine.registry import Op


@dataclass(frozen=True)
class Rounding:
    """Where the kernels of one operation round to bfloat16.

    body: ``once``, at the end; ``never``, for what moves elements or converts them, or rounds after every step as NumPy
    does on arrays of bfloat16; or a function of its own. vjp: after every ``step`` of the formula, ``once``, ``here`` (the
    formula on arrays of bfloat16), or a function of its own. numbers: a number is held in bfloat16 too. mixed: parameters
    may be of float32, and float16 is computed in the same way.
    """

    body: Literal["once", "never"] | Callable[..., Any] = "once"
    vjp: Literal["step", "once", "here"] | Callable[..., tuple[Any, ...]] = "step"
    numbers: bool = False
    mixed: bool = False


ROUNDING: Final[dict[str, Rounding]] = {}
"""Of the operations that are not as usual (`gradflow.engine.ops.nn.reduced_kernels`)."""
FLOAT32: Final = np.dtype("float32")
BFLOAT16: Final = dtypes.BFLOAT16


USUAL: Final = Rounding()


def widened(value: Any) -> Any:
    """An array of bfloat16 in float32, also in a list; anything else as it is."""
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value, FLOAT32) if value.dtype == dtypes.BFLOAT16 else value
    if type(value) in (list, tuple):
        return type(value)(map(widened, value))
    return value


def as_held(value: Any) -> Any:
    """`widened`, and a number as bfloat16 holds it."""
    return float(dtypes.BFLOAT16.type(value)) if type(value) is float else widened(value)


def rounded(result: Any) -> Any:
    """Arrays of float32, one or several, rounded to bfloat16."""
    if isinstance(result, list | tuple):
        return [rounded(each) for each in result]
    if isinstance(result, np.ndarray | np.generic) and result.dtype == FLOAT32:
        with np.errstate(all="ignore"):
            return np.asarray(result).astype(dtypes.BFLOAT16)
    return result


def lower(value: Any) -> bool:
    """Whether this is an array of bfloat16 or float16."""
    return isinstance(value, np.ndarray) and value.itemsize == 2 and value.dtype.kind in "fV"


SHORT: Final = 64
"""So many elements fill the registers of a processor. Of fewer, PyTorch rounds a product before it is added."""


def added(a: np.ndarray, b: np.ndarray, factor: float) -> np.ndarray:
    """a + factor * b of arrays of bfloat16, in which the factor is held too."""
    product = float(dtypes.BFLOAT16.type(factor)) * b.astype(FLOAT32)
    product = widened(rounded(product)) if max(a.size, b.size) < SHORT else product
    result: np.ndarray = (a.astype(FLOAT32) + product).astype(dtypes.BFLOAT16)
    return result


def body(op: Op) -> Callable[..., Any]:
    """The body of an operation for arrays that may be of bfloat16.

    Where other floating point numbers stand beside them, it gets them as they are, and says what it says of a mixture.
    """
    plain, rule = op.body, ROUNDING.get(op.name, USUAL)
    if rule.mixed:
        return _of_one_precision(op)
    if op.view or rule.body == "never":
        return plain
    own = None if rule.body == "once" else rule.body
    number = as_held if rule.numbers else widened
    settings = [p.name for p in op.params if p.kind == "setting"]
    order = {p.name: i for i, p in enumerate(op.params)}

    def reduced(*args: Any, **kwargs: Any) -> Any:
        given = {
            name: kwargs[name] if name in kwargs else args[i]
            for name, i in order.items()
            if name in kwargs or i < len(args)
        }
        kinds = set(_floats(given[name] for name in order if name in given and name not in settings))
        wanted = next((given[name] for name in settings if _is_dtype(given.get(name))), None)
        to_reduced = wanted is not None and dtypes.as_numpy(wanted) == dtypes.BFLOAT16
        if (dtypes.BFLOAT16 not in kinds and not to_reduced) or len(kinds) > 1:
            return plain(*args, **kwargs)
        if to_reduced:
            wider = dtypes.float32 if isinstance(wanted, dtypes.dtype) else FLOAT32
            args = tuple([wider if _is_dtype(a) else a for a in args])
            kwargs = {name: wider if _is_dtype(a) else a for name, a in kwargs.items()}
        if own is not None and wanted is None:
            return own(*args, **kwargs)
        result = plain(*map(number, args), **{name: number(a) for name, a in kwargs.items()})
        return rounded(result) if wanted is None or to_reduced else result

    return reduced


def _of_one_precision(op: Op) -> Callable[..., Any]:
    """The body where an input of a lower precision meets parameters of the same or of float32; what else meets is refused."""
    plain, own = op.body, cast(Callable[..., Any], ROUNDING[op.name].body)

    def reduced(input: Any, *args: Any, **kwargs: Any) -> Any:
        if not lower(input):
            return plain(input, *args, **kwargs)
        kinds = set(_floats((*args, *kwargs.values())))
        return (own if kinds <= {input.dtype} or kinds == {FLOAT32} else plain)(input, *args, **kwargs)

    return reduced


def takes_float16(op: Op) -> bool:
    """Whether the functions for bfloat16 are those for float16 too."""
    return ROUNDING.get(op.name, USUAL).mixed


def of_any_precision(op: Op, plain: Callable[..., tuple[Any, ...]]) -> Callable[..., tuple[Any, ...]]:
    """The vector-Jacobian product, with that of lower precisions for an input of float16."""
    if not takes_float16(op):
        return plain
    place = op.slots.index("input")

    def chosen(saved: tuple[Any, ...], edges: tuple[Any, ...], *gradients: Any) -> tuple[Any, ...]:
        return (op.vjp_reduced if lower(saved[place]) else plain)(saved, edges, *gradients)

    return chosen


def vjp(op: Op) -> Callable[..., tuple[Any, ...]]:
    """The vector-Jacobian product of an operation on arrays of bfloat16."""

    def once(saved: tuple[Any, ...], edges: tuple[Any, ...], *gradients: Any) -> tuple[Any, ...]:
        return tuple(rounded(op.vjp(widened(saved), edges, *map(widened, gradients))))

    def each_step(saved: tuple[Any, ...], edges: tuple[Any, ...], *gradients: Any) -> tuple[Any, ...]:
        settings = {p.name for p in op.params if p.kind == "setting"}
        held = [
            value if slot in settings or not isinstance(value, np.ndarray) else Tensor(value)
            for slot, value in zip(op.slots, saved, strict=True)
        ]
        with grad_mode(False), unseen():
            made = op.vjp_tensors(tuple(held), edges, *map(_tensors, gradients))
        return tuple([g._a if isinstance(g, Tensor) else g for g in made])

    wanted = ROUNDING.get(op.name, USUAL).vjp
    if callable(wanted):
        return wanted
    return {"step": each_step, "once": once, "here": op.vjp}[wanted]


def _tensors(gradient: Any) -> Any:
    if isinstance(gradient, list):
        return [_tensors(each) for each in gradient]
    return Tensor(gradient) if isinstance(gradient, np.ndarray) else gradient


def _floats(values: Iterable[Any]) -> Iterable[np.dtype]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _floats(value)
        elif isinstance(value, np.ndarray) and value.dtype.kind in "fcV":
            yield value.dtype


def _is_dtype(value: Any) -> bool:
    return isinstance(value, dtypes.dtype | np.dtype)
