"""Names that a program adds to classes of PyTorch: ``nn.Module.count = count``. They hold for that run and for the program alone:
nothing is written into the class, and what the engine itself reads of it stays as it is."""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import Any, TypeGuard

from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.sandbox.stand_ins import MISSING, OpaqueType
from gradflow.engine.sandbox.unbound_methods import PROGRAM_FILE
from gradflow.engine.state import STATE


def add(holder: Any, name: str, value: object) -> bool:
    """Whether ``holder.name = value`` is a name that a class of PyTorch did not have; from now on it has."""
    kind = holder.kind if isinstance(holder, OpaqueType) else holder
    if not isinstance(kind, type) or is_special(name) or not str(kind.__module__).startswith(("torch", "gradflow.")):
        return False
    if any(name in vars(each) for each in kind.__mro__):
        return False
    STATE.added_names.setdefault(kind, {})[name] = value
    return True


def added(holder: Any, name: str) -> Any:
    """``holder.name`` of an object or a class that a program has added the name to; `MISSING` where it has not."""
    if not STATE.added_names:
        return MISSING
    kind = holder.kind if isinstance(holder, OpaqueType) else holder
    if not isinstance(kind, type) and name in getattr(holder, "__dict__", ()):
        return MISSING
    for each in kind.__mro__ if isinstance(kind, type) else type(holder).__mro__:
        value = STATE.added_names.get(each, {}).get(name, MISSING)
        if name in vars(each):
            return MISSING
        if value is MISSING:
            continue
        if isinstance(kind, type):
            made = value.__func__ if isinstance(value, classmethod) else None
            return MethodType(made, holder) if _is_own(made) else value
        if type(value) is property and _is_own(value.fget):
            value = value.fget
            return value(holder)
        return MethodType(value, holder) if _is_own(value) else value
    return MISSING


def _is_own(value: object) -> TypeGuard[FunctionType]:
    """Whether the program itself defined this function."""
    return type(value) is FunctionType and value.__code__.co_filename == PROGRAM_FILE
