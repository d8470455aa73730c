"""``_parameters``, ``_buffers`` and ``_modules`` of a module as a program has them: what it puts in is of the table's kind.

The engine goes through these tables and takes what stands in them for tensors and modules of its own.
"""

from __future__ import annotations

from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.nn.module_attributes import TABLES, Registering
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.sandbox.classes.written_through import WrittenThrough
from gradflow.engine.sandbox.gate import NOT_SPECIAL, allow, exact_name, read_special_by, type_name
from gradflow.engine.sandbox.rules import KEEPERS
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.tensor import Tensor

_KINDS: Final[dict[str, type]] = {"_parameters": Parameter, "_buffers": Tensor, "_modules": Registering}
_METHODS: Final = "clear copy get items keys pop popitem setdefault update values"


class ModuleTable(WrittenThrough):
    """One of the tables. Raises TypeError for a value of another kind, AttributeError for a name of Python's own."""

    def __init__(self, table: dict[str, Any], kind: type) -> None:
        super().__init__(table)
        self._table, self._kind = table, kind

    def __setitem__(self, name: str, value: object) -> None:
        if is_special(exact_name(name)):
            raise errors.READ_ONLY(type="Module", name=name)
        if value is not None and not issubclass(type(value), self._kind):
            raise TypeError(f"a {self._kind.__name__} or None is expected here, not {type_name(value)}")
        self._table[name] = value
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        self._table.pop(name, None)

    def clear(self) -> None:
        for name in list(self):
            del self[name]

    def popitem(self) -> tuple[str, object]:
        name = next(reversed(self))
        return name, self.pop(name)

    __copy__ = dict.copy

    def __deepcopy__(self, memo: Any) -> Any:
        return memo.copy_of(dict(self))


def _table_of(module: Any, name: str) -> Any:
    if not issubclass(type(module), Registering) or name not in vars(module):
        return NOT_SPECIAL
    return ModuleTable(vars(module)[name], _KINDS[name])


def register() -> None:
    """Have programs read the tables in this form, and write no other in their place."""
    read_special_by(TABLES, _table_of)
    allow(ModuleTable, _METHODS.split(), shown_as=dict, copyable=True)
    KEEPERS.append(lambda cls, name: name in TABLES and issubclass(cls, Registering))
