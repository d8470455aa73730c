"""PyTorch's check of the arguments of a call, by its own signatures (engine/pytorch/signatures.txt).

A signature is one line, ``mm(Tensor input, Tensor mat2, *, Tensor out=None)``; a function has one or several, tried in
order. What fits is brought into the form that operations take: 0-d tensors and NumPy's integers become Python numbers
where a number is wanted. What does not fit is refused in PyTorch's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.argument_messages import (
    Arguments,
    Keywords,
    Option,
    as_listed,
    described,
    listed,
    type_title,
)
from gradflow.engine.numerics.scalars import python_number
from gradflow.engine.pytorch import SIGNATURES
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.tensor.device import device
from gradflow.engine.tensor.memory_format import layout, memory_format

_TITLES: Final = {
    "Tensor": "Tensor", "Scalar": "Number", "int64_t": "int", "SymInt": "int", "double": "float", "bool": "bool",
    "TensorList": "tuple of Tensors", "c10::List<::std::optional<Tensor>>": "tuple of Tensors",
    "IntArrayRef": "tuple of ints", "Generator": "torch.Generator", "PyObject*": "object", "ScalarType": "torch.dtype",
    "Layout": "torch.layout", "MemoryFormat": "torch.memory_format", "Device": "torch.device",
    "c10::string_view": "str", "ArrayRef<double>": "tuple of floats", "ScalarList": "tuple of Scalars",
}  # fmt: skip
_DEPRECATED: Final = "This overload of "
_ALIASES: Final = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
"""NumPy's names for parameters, which PyTorch takes as well."""
_ALSO_IN_PLACE: Final = ("add", "div", "divide", "mul", "multiply", "sub", "subtract", "true_divide", "floor_divide")
_NUMBERS_AS_TENSORS: Final = frozenset({*_ALSO_IN_PLACE, *(f"{name}_" for name in _ALSO_IN_PLACE), "copy_"})
"""Functions whose signatures say Tensor and that take a number all the same."""


# -- one argument ------------------------------------------------------------------------------------------------------


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | complex | np.generic) or _is_constant(value)


def _is_constant(value: object) -> bool:
    return isinstance(value, Tensor) and not value._a.ndim and not value.requires_grad


def _is_integer(value: object) -> bool:
    if isinstance(value, Tensor):
        return _is_constant(value) and value._a.dtype.kind in "iu"
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_index(value: object) -> bool:
    if isinstance(value, Tensor):
        return value._a.size == 1 and value._a.dtype.kind in "iub"
    return _is_integer(value) or (isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind in "iu")


def _is_index_list(value: object, broadcast: bool) -> bool:
    """Only the first entry is looked at; the others are when the list is read."""
    if isinstance(value, tuple | list):
        return not value or _is_index(value[0])
    return broadcast and _is_index(value)


def _is_tensors(value: object, parameter: int) -> bool:
    """Raises TypeError for a list with something else in it, without a look at other signatures."""
    if not isinstance(value, tuple | list):
        return False
    for index, each in enumerate(value):
        if not isinstance(each, Tensor):
            raise errors.SEQUENCE_ELEMENT(index=index, argument=parameter, actual=type_title(each))
    return True


_CHECKS: Final[dict[str, Any]] = {
    "Scalar": _is_number,
    "int64_t": _is_integer,
    "SymInt": _is_index,
    "double": lambda v: isinstance(v, int | float | np.integer | np.floating) or _is_constant(v),
    "bool": lambda v: isinstance(v, bool | np.bool_),
    "PyObject*": lambda v: True,
    "ScalarType": lambda v: isinstance(v, dtypes.dtype) or any(v is t for t in (bool, int, float, complex)),
    "Layout": lambda v: isinstance(v, layout),
    "MemoryFormat": lambda v: isinstance(v, memory_format),
    "Device": lambda v: isinstance(v, str | int | device),
    "c10::string_view": lambda v: isinstance(v, str),
    "ScalarList": lambda v: isinstance(v, tuple | list) and all(map(_is_number, v)),
    "ArrayRef<double>": lambda v: isinstance(v, tuple | list) and all(isinstance(n, int | float) for n in v),
    "Generator": lambda v: type(v).__name__ == "Generator" and type(v).__module__ == "torch._C",
}


@dataclass(frozen=True)
class Parameter:
    """One parameter. ``broadcast``: a list that can also be given as one number."""

    index: int
    type: str
    name: str
    default: str | None
    nullable: bool
    keyword_only: bool
    broadcast: bool

    @property
    def title(self) -> str:
        """The type as messages name it."""
        return _TITLES[self.type]

    @property
    def is_size(self) -> bool:
        """Whether this is a list of integers."""
        return self.type == "IntArrayRef"

    def fits(self, value: Any, function: str) -> bool:
        """Whether the parameter takes this value."""
        if self.type == "Tensor":
            return isinstance(value, Tensor) or (function in _NUMBERS_AS_TENSORS and _is_plain(value))
        if self.title == "tuple of Tensors":
            return _is_tensors(value, self.index)
        return _is_index_list(value, self.broadcast) if self.is_size else bool(_CHECKS[self.type](value))

    def convert(self, value: Any, function: str) -> Any:
        """A value that fits, as operations take it. Raises TypeError for a list with something else in it."""
        if value is None or self.type == "PyObject*":
            return value
        if self.is_size and isinstance(value, tuple | list):
            return _indices(value, self.name, function)
        if isinstance(value, np.ndarray) and self.type == "SymInt":
            return int(value)
        if isinstance(value, np.generic):
            return bool(value) if self.type == "bool" else python_number(value)
        if isinstance(value, Tensor) and self.type != "Tensor":
            return value.item()
        if self.type == "ScalarType" and isinstance(value, type):
            return dtypes.BY_NUMPY[dtypes.as_numpy(value)]
        return value


def _is_plain(value: object) -> bool:
    return isinstance(value, int | float | complex | np.generic)


def _indices(values: Sequence[Any], name: str, function: str) -> list[int] | tuple[int, ...]:
    for position, value in enumerate(values, 1):
        if not (_is_index(value) or isinstance(value, bool)):
            raise errors.UNPACK(function=function, argument=name, position=position, actual=type_title(value))
    return tuple([int(v) for v in values])


# -- one signature -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Signature:
    """One way to call a function."""

    function: str
    parameters: tuple[Parameter, ...]
    hidden: bool

    @cached_property
    def positional(self) -> tuple[Parameter, ...]:
        """The parameters that can be given by position."""
        return tuple(p for p in self.parameters if not p.keyword_only)

    @cached_property
    def required(self) -> int:
        """How many arguments there are at least."""
        return sum(p.default is None for p in self.parameters)

    @property
    def spreads(self) -> bool:
        """Whether the one list can be given without brackets: ``view(2, 3)``."""
        return len(self.positional) == 1 and self.positional[0].is_size and not self.positional[0].nullable

    @cached_property
    def text(self) -> str:
        """As messages show it."""
        parts: list[str] = []
        for p in self.parameters:
            if p.keyword_only and "*" not in parts:
                parts.append("*")
            parts.append(f"{p.title} {p.name}" + ("" if p.default is None else f" = {p.default}"))
        return f"({', '.join(parts)})"

    def parse(self, args: Arguments, kwargs: Keywords) -> tuple[list[Any], dict[str, Any]]:
        """The arguments, converted. Raises TypeError where they do not fit."""
        if self.spreads and len(args) and _is_index_list(args, broadcast=False):
            args = (args,)
        if len(args) > len(self.positional):
            raise self.too_many(len(args))
        left = dict(kwargs)
        taken: list[tuple[Parameter, Any]] = []
        for index, p in enumerate(self.parameters):
            if index < len(args):
                taken.append((p, self.by_position(p, args[index], index + 1)))
                continue
            key = _keyword(p.name, left)
            if key is not None:
                taken.append((p, self.by_name(p, left.pop(key))))
            elif p.default is None:
                raise self.missing(index)
        if left:
            raise self.unexpected(next(iter(left)), len(args))
        values = [(p, p.convert(value, self.function)) for p, value in taken]
        count = 1 if self.spreads and any(p.is_size for p, _ in values) else 0 if self.hidden else len(args)
        return [value for _, value in values[:count]], {p.name: value for p, value in values[count:]}

    def by_position(self, p: Parameter, value: Any, position: int) -> Any:
        """The value of an argument given by its place. Raises TypeError where it does not fit."""
        if (value is None and p.nullable) or p.fits(value, self.function):
            return value
        known = {"function": self.function, "argument": p.name, "position": position, "expected": p.title}
        if p.is_size and isinstance(value, tuple | list):
            raise errors.ELEMENT_TYPE(actual=type_title(value[0]), index=0, **known)
        raise errors.ARGUMENT_TYPE(actual=type_title(value), **known)

    def by_name(self, p: Parameter, value: Any) -> Any:
        """The value of an argument given by its name. Raises TypeError where it does not fit."""
        if (value is None and p.nullable) or p.fits(value, self.function):
            return value
        raise errors.KEYWORD_TYPE(function=self.function, argument=p.name, expected=p.title, actual=type_title(value))

    def too_many(self, given: int) -> Exception:
        most, least = len(self.positional), self.required
        counts = f"{most} positional argument{'' if most == 1 else 's'}"
        return errors.TOO_MANY_ARGUMENTS(
            function=self.function,
            expected=counts if most == least else f"from {least} to {most} positional arguments",
            given=f"{given} {'was' if given == 1 and most == least else 'were'}",
        )

    def missing(self, index: int) -> Exception:
        names = [p.name for p in self.parameters[index:] if p.default is None]
        # the plural is PyTorch's, and only ever for one
        plural = "s" if len(names) == 1 else ""
        return errors.MISSING_ARGUMENT(
            function=self.function, count=len(names), plural=plural, names=", ".join(f'"{name}"' for name in names)
        )

    def unexpected(self, keyword: str, given: int) -> Exception:
        if keyword in [p.name for p in self.positional[:given]]:
            return errors.REPEATED_ARGUMENT(function=self.function, argument=keyword)
        return errors.UNEXPECTED_KEYWORD(function=self.function, keyword=keyword)


def _keyword(name: str, given: Keywords) -> str | None:
    """The keyword under which a parameter was given."""
    if name in given:
        return name
    return next((alias for alias in given if _ALIASES.get(alias) == name), None)


# -- all signatures of a function --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Overloads:
    """The signatures of one function. ``method``: the tensor before the dot is not among the arguments."""

    function: str
    method: bool
    signatures: tuple[Signature, ...]

    def parse(self, args: Arguments, kwargs: Keywords) -> tuple[list[Any], dict[str, Any]]:
        """The arguments by the first signature that they fit. Raises TypeError in PyTorch's words."""
        if len(self.signatures) == 1:
            only = self.signatures[0]
            if self.method and not only.parameters and (args or kwargs):
                raise self.no_arguments(len(args), kwargs)
            return only.parse(args, kwargs)
        for signature in self.signatures:
            try:
                parsed = signature.parse(args, kwargs)
            except TypeError as error:
                if errors.kind_of(error) in (errors.UNPACK, errors.SEQUENCE_ELEMENT):
                    raise
                continue
            if signature.hidden:
                self.warn_of(signature)
            return parsed
        raise self.invalid(args, kwargs)

    def warn_of(self, used: Signature) -> None:
        """Say once in a run that a signature is deprecated."""
        recorder = STATE.warner
        if recorder is not None and not any(text.startswith(_DEPRECATED) for _, text, _ in recorder.warnings):
            instead = "\n\t".join(self.function + s.text for s in self.signatures if not s.hidden)
            warn(
                f"{_DEPRECATED}{self.function} is deprecated:\n\t{self.function}{used.text}\n"
                f"Consider using one of the following signatures instead:\n\t{instead}"
            )

    def no_arguments(self, given: int, kwargs: Keywords) -> Exception:
        if kwargs:
            return errors.NO_KEYWORDS(function=self.function)
        return errors.NO_ARGUMENTS(function=self.function, given=given)

    def invalid(self, args: Arguments, kwargs: Keywords) -> Exception:
        """The error for arguments that no signature takes."""
        count = len(args) + len(kwargs)
        shown = [s for s in self.signatures if not s.hidden]
        plausible = [s for s in shown if s.required <= count <= len(s.parameters)]
        if len(plausible) == 1:
            try:
                plausible[0].parse(args, kwargs)
            except TypeError as error:
                return error
        kwargs = as_listed(kwargs)
        given, expected = described(args, kwargs), "one of:\n" + "".join(listed(s.text, args, kwargs) for s in shown)
        if len(shown) == 1:
            option = Option(shown[0].text, args, kwargs)
            if option.unknown():
                return errors.UNRECOGNIZED_KEYWORDS(function=self.function, keywords=", ".join(option.unknown()))
            given, expected = option.marked() if option.same_count() else given, shown[0].text
        return errors.INVALID_COMBINATION(function=self.function, given=given[1:-1], expected=expected)


# -- the file ----------------------------------------------------------------------------------------------------------


@cache
def overloads() -> Mapping[str, Overloads]:
    """All functions by name.

    Methods are ``Tensor.name``, functions behind ``torch.nn.functional`` ``nn.name``, and those of ``torch.linalg`` and
    its like ``linalg.linalg_name``.
    """
    found: dict[str, list[Signature]] = {}
    for line in SIGNATURES:
        name = line.partition("(")[0]
        found.setdefault(name, []).append(signature(line))
    return {name: Overloads(s[0].function, name.startswith("Tensor."), tuple(s)) for name, s in found.items()}


def signature(line: str) -> Signature:
    """A signature from its line in the file."""
    text, _, mark = line.partition("|")
    name, _, inner = text.partition("(")
    return Signature(name.rpartition(".")[2], tuple(_parameters(inner[:-1])), hidden=bool(mark))


def _parameters(text: str) -> Iterator[Parameter]:
    keyword_only = False
    parts = [part for part in text.split(", ") if part]
    for position, part in enumerate(parts):
        if part == "*":
            keyword_only = True
            continue
        index = position - keyword_only  # the star is no parameter
        kind, name = part.rsplit(" ", 1)
        name, _, default = name.partition("=")
        plain = re.sub(r"\[\d+\]", "", kind.removesuffix("?"))
        yield Parameter(index, plain, name, default or None, _nullable(kind, default), keyword_only, "[" in kind)


def _nullable(kind: str, default: str) -> bool:
    return kind.endswith("?") or default == "None"
