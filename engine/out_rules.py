"""What PyTorch asks of ``out=``: which dtype it may have, which memory, and under which name it refuses gradients.

The rule of a function stands where the function is declared: ``@op(out=...)`` for an operation, `has_out` for a function
that is made of several. In the texts {R} and {r} are the dtype of the result, {O} and {o} that of ``out``, {name} the
function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

CASTABLE: Final = "result type {R} can't be cast to the desired output type {O}"
SAFELY: Final = "{name}: Expected result to be safely castable from {R} dtype, but got result with dtype {O}"
JOINED: Final = "torch.cat(): input types can't be cast to the desired output type {O}"
EXPECTED: Final = "Expected out tensor to have dtype {r}, but got {o} instead"
FOUND: Final = "Found dtype {O} but expected {R}"
SCALAR_TYPE: Final = "expected scalar_type {R} but found {O}"
OPTION: Final = "dtype {R} does not match dtype of out parameter ({O})"
OF_INPUT: Final = "result dtype {O} does not match input dtype {R}"
SELF: Final = "{name}(): self and result must have the same scalar type"
BOOLEAN: Final = "{name} does not support non-boolean outputs."
ARGUMENT: Final = "Expected object of scalar type {R} but got scalar type {O} for argument 'out'"


@dataclass(frozen=True)
class OutRule:
    """The rule of one function.

    dtype: the text where the dtype of ``out`` does not take the result, of several results each its own with ``|``
    between them; None where every dtype does. exact: it has to be the very same, where else it has to hold the result.
    gradient: the name under which gradients are refused, "" for the function's own; None where nobody asks.
    silent: ``out`` is resized without a warning. takes_dtype: the dtype of ``out`` is computed in where none is asked for.
    apart: the result must share no memory with what it is made of, from this argument on.
    """

    dtype: str | None = CASTABLE
    exact: bool = False
    gradient: str | None = ""
    silent: bool = False
    takes_dtype: bool = False
    apart: int | None = None

    def refusal(self, name: str) -> str | None:
        """The name under which the function of this name refuses gradients; None where it does not."""
        return name.replace(".", "_") if self.gradient == "" else self.gradient


def exactly(dtype: str, **more: Any) -> OutRule:
    """The rule of a function whose result has to have the very dtype of ``out``."""
    return OutRule(dtype, exact=True, **more)


UNASKED: Final = OutRule(gradient=None)
"""The rule of functions that do not ask whether a gradient is wanted."""
USUAL: Final = OutRule()
RULES: dict[str, OutRule] = {}
"""By the name under ``torch``; what is not here has the usual one."""


def rule_of(name: str) -> OutRule:
    """The rule of a function, by its name under ``torch``: ``linalg.inv``."""
    return RULES.get(name, USUAL)


def has_out(rule: OutRule, *names: str) -> Callable[[F], F]:
    """Declare the rule of a function, under names that are not its own where some are given."""

    def declare(function: F) -> F:
        RULES.update(dict.fromkeys(names or (function.__name__,), rule))
        return function

    return declare


def has_alias(alias: str, name: str) -> None:
    """The rule of another name of a function: gradients are refused under the name that it has of old."""
    rule = rule_of(name)
    RULES[alias] = replace(rule, gradient=rule.refusal(name))
