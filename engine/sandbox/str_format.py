"""``str.format`` whose field names (``{0.shape}``) pass through the gate."""

from __future__ import annotations

import _string  # type: ignore[import-not-found]  # what string.Formatter itself is built on
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any


class _Formatter(string.Formatter):
    def __init__(self, read: Callable[[Any, str], Any]) -> None:
        self._read = read

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if isinstance(key, int) and key >= len(args):
            raise IndexError(f"Replacement index {key} out of range for positional args tuple")
        return super().get_value(key, args, kwargs)

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        first, rest = _split_field(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, key in rest:
            value = self._read(value, str(key)) if is_attribute else value[key]
        return value, first


def _split_field(field_name: str) -> tuple[int | str, Iterator[tuple[bool, int | str]]]:
    first, rest = _string.formatter_field_name_split(field_name)
    return first, rest


def is_text(value: object) -> bool:
    """Whether this is a string, or a class of strings."""
    return isinstance(value, str) or (isinstance(value, type) and issubclass(value, str))


def text_method(value: Any, name: str, read: Callable[[Any, str], Any]) -> Callable[..., str]:
    """The method ``format`` or ``format_map`` of a string, or of ``str`` itself, that reads attributes by ``read``."""
    formatter = _Formatter(read)

    def format(text: str, *args: Any, **kwargs: Any) -> str:
        return formatter.vformat(str(text), args, kwargs)

    def format_map(text: str, mapping: Mapping[str, Any]) -> str:
        return formatter.vformat(str(text), (), mapping)

    method: Callable[..., str] = format if name == "format" else format_map
    return method if isinstance(value, type) else partial(method, value)
