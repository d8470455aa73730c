"""``torch._foreach_add`` and its kin, as optimizers of repositories call them: one function on each tensor of a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from operator import methodcaller
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.dispatch.signatures import overloads
from gradflow.engine.namespace.checked_calls import checked
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.tensor import Tensor

_UNARY: Final = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt"
    " sigmoid sign sin sinh sqrt tan tanh trunc"
)
_OF_SEVERAL: Final = "add addcdiv addcmul clamp_max clamp_min div lerp maximum minimum mul pow sub"
_ALONE: Final = "clone max norm copy_ zero_"
_OTHERWISE: Final = {
    "maximum": "clamp_min",
    "maximum_": "clamp_min_",
    "minimum": "clamp_max",
    "minimum_": "clamp_max_",
}
"""Functions that here take numbers too."""
_BY_NAME: Final = frozenset({"alpha", "dtype", "non_blocking", "ord"})
"""Keywords that the function of one tensor has too; all others are given by their place."""


def _tensors(function: str, given: Any) -> Sequence[Tensor]:
    if not isinstance(given, list | tuple):
        raise TypeError(f"{function}(): argument 'self' (position 1) must be tuple of Tensors, not {type_name(given)}")
    if not given:
        raise errors.LISTS_OF_TENSORS(message="Tensor list must have at least one tensor.")
    tensors = list(given)
    for place, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type_name(each)}")
    return tensors


def _shares(value: Any, count: int) -> Sequence[Any]:
    """What each of the tensors is given: its own entry of a list, or the same as all others."""
    if not isinstance(value, list | tuple):
        return (value,) * count
    own = list(value)
    if len(own) == count:
        return own
    if own and isinstance(own[0], Tensor):
        message = f"Tensor lists must have the same number of tensors, got {count} and {len(own)}"
    else:
        message = "Tensor list must have same number of elements as scalar list."
    raise errors.LISTS_OF_TENSORS(message=message)


def _applied(name: str, tensor: Tensor, rest: Sequence[Any], named: dict[str, Any]) -> Any:
    if name in ("addcmul", "addcmul_", "addcdiv", "addcdiv_") and len(rest) > 2:
        return methodcaller(name, *rest[:2], value=rest[2])(tensor)
    return methodcaller(_OTHERWISE.get(name, name), *rest, **named)(tensor)


def _of_each(name: str) -> Callable[..., Any]:
    title = f"_foreach_{name}"

    def function(self: Any, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("addc") and len(args) > 2 and isinstance(args[2], Tensor):
            args = (*args[:2], args[2].tolist())
        if name == "pow" and not isinstance(self, list | tuple) and args:
            return tuple(self**each for each in _tensors(title, args[0]))
        tensors = _tensors(title, self)
        named = {"p" if key == "ord" else key: value for key, value in kwargs.items() if key in _BY_NAME}
        further = [value for key, value in kwargs.items() if key not in _BY_NAME]
        shares = [_shares(value, len(tensors)) for value in (*args, *further)]
        results = [_applied(name, each, [share[n] for share in shares], named) for n, each in enumerate(tensors)]
        return results if name.endswith("_") else tuple(results)

    function.__name__ = function.__qualname__ = title
    names = dict.fromkeys(p.name for s in overloads()[title].signatures for p in s.parameters)
    named = [Parameter(each, Parameter.KEYWORD_ONLY) for each in names if each != "self"]
    first = [Parameter("self", Parameter.POSITIONAL_ONLY), Parameter("args", Parameter.VAR_POSITIONAL)]
    function.__signature__ = Signature([*first, *named])  # type: ignore[attr-defined]  # which the check of arguments reads
    return checked(title, function)


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    both = f"{_UNARY} {_OF_SEVERAL}".split()
    names = (*both, *(f"{name}_" for name in both), *_ALONE.split())
    return {"torch": {f"_foreach_{name}": _of_each(name) for name in names}}
