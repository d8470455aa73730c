"""``functools.cached_property``, which keeps its value where the program itself could have written it.

Python's own writes it into the dictionary of the object under the name that it had in the first class that it stood in, and
gives whatever it finds there: in another class that may be what the engine keeps.
"""

from __future__ import annotations

import functools
from typing import Any

from gradflow.engine.sandbox.gate import check_writable, read_attribute


class cached_property(functools.cached_property[Any]):
    """An attribute that is computed when it is first read."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        name = self.attrname
        if instance is None or name is None or not hasattr(instance, "__dict__"):
            return super().__get__(instance, owner)  # itself, or Python's own errors
        if name in vars(instance):  # it is read under another name, else Python would not have asked
            return read_attribute(instance, name)
        value = self.func(instance)
        check_writable(instance, name)
        vars(instance)[name] = value
        return value


cached_property.__module__ = "functools"
