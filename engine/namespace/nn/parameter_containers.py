"""Modules that hold parameters."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.nn.containers import check_iterable, pairs
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.sandbox.gate import check_writable, is_public, type_name
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.tensor import Tensor


def _as_parameter(value: Any) -> Any:
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return Parameter(value)
    return value


def _checked(key: Any) -> str:
    if not isinstance(key, str):
        raise errors.MODULE_TYPE(
            message="Index given to ParameterDict cannot be used as a key as it is not a string (type is"
            f" '{type_name(key)}'). Open an issue on github if you need non-string keys."
        )
    if is_special(key := str.__str__(key)):
        raise errors.NO_ATTRIBUTE(type="ParameterDict", name=key)
    return key


def _held(module: Module, name: str) -> Any:
    """What was put into a container under a name. Raises AttributeError for all that a module has besides."""
    own = vars(module) if is_public(name) else {}  # the others are what a module is made of
    for table in (module._parameters, module._buffers, module._modules, own):
        if name in table:
            return table[name]
    raise errors.NO_ATTRIBUTE(type=type_name(module), name=name)


def _described(value: Any, legacy: bool = False) -> str:
    if not isinstance(value, Tensor):
        return f"Object of type: {type_name(value)}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(map(str, value.shape))
    element = f"torch.{value.dtype.legacy}Tensor" if legacy else repr(value.dtype)
    return f"{kind} containing: [{element} of size {size}]"


class ParameterList(Module):
    """A list of parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)([self[i] for i in range(*index.indices(self._size))])
        return _held(self, _place(self, index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, _place(self, index), _as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self._size))

    def append(self, value: Any) -> Any:
        """Add a parameter at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Any:
        """Add parameters at the end."""
        check_iterable("ParameterList.extend", values)
        for value in values:
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> Any:
        return self.extend(values)

    def extra_repr(self) -> str:
        """Kind and shape of each."""
        return "\n".join(f"  ({i}): {_described(value)}" for i, value in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise errors.NOT_CALLABLE_LIST(type="ParameterList")


def _place(held: ParameterList, index: int) -> str:
    index = operator.index(index)
    if not -held._size <= index < held._size:
        raise IndexError(f"index {index} is out of range")
    return str(index % held._size)


class ParameterDict(Module):
    """A dictionary of parameters."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return _held(self, _checked(key))

    def __setitem__(self, key: str, value: Any) -> None:
        name, value = _checked(key), _as_parameter(value)
        if not isinstance(value, Parameter):  # which has a table, and takes no name that a module has
            check_writable(self, name)
        self._keys[key] = None
        setattr(self, name, value)

    def __delitem__(self, key: str) -> None:
        name = _checked(key)
        if name not in self._parameters:
            check_writable(self, name)
        del self._keys[key]
        delattr(self, name)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def keys(self) -> Any:
        """The names."""
        return self._keys.keys()

    def items(self) -> Any:
        """The names and parameters."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Any:
        """The parameters."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add parameters from a dictionary or from pairs."""
        plain = isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict)
        found = pairs("ParameterDict", "ParametersDict", parameters, (Mapping, ParameterDict))
        for key, value in sorted(found) if plain else found:
            self[key] = value

    def pop(self, key: str) -> Any:
        """Remove a parameter and give it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove the last parameter and give it with its name."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of a name, or something else where there is none."""
        return self[key] if key in self._keys else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter of a name, which is set where there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove all parameters."""
        for key in list(self._keys):
            del self[key]

    def copy(self) -> Any:
        """Another dictionary of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> Any:
        """A dictionary with one value for all these names."""
        return ParameterDict((key, default) for key in keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __or__(self, other: Any) -> Any:
        result = self.copy()
        result.update(other)
        return result

    def __ror__(self, other: Any) -> Any:
        result = other.copy()
        result.update(self)
        return result

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def extra_repr(self) -> str:
        """Kind and shape of each."""
        return "\n".join(f"  ({key}): {_described(value, legacy=True)}" for key, value in self.items())

    def __call__(self, input: Any) -> Any:
        raise errors.NOT_CALLABLE_LIST(type="ParameterDict")


CLASSES: tuple[type[Module], ...] = (ParameterList, ParameterDict)
