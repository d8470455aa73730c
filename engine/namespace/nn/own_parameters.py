"""Classes of the program that are derived from ``nn.Parameter``: parameters with attributes and methods of their own.

As in PyTorch, what is computed of them is plain tensors. What the engine keeps in a tensor, and the properties by which it
knows one, can be neither defined in such a class nor written into it or its objects.
"""

from __future__ import annotations

from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.sandbox.gate import is_program_class, type_name
from gradflow.engine.sandbox.program_classes import metaclasses, stands_for
from gradflow.engine.sandbox.rules import CLOSED, READABLE, RULES, allow
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.tensor import Tensor
from gradflow.engine.tensor.printing import PREFIX

_REFUSED: Final = (
    "__slots__ __hash__ __eq__ __ne__ __setattr__ __delattr__ __getattr__ __getattribute__ __class__ __torch_function__"
    " __get__ __set__ __delete__ __deepcopy__ __copy__ __del__"
)
_CLOSED: Final = frozenset(_REFUSED.split())


class OwnParameter(Parameter):
    """What ``nn.Parameter`` is as a base."""

    _a: Any = None
    _st: Any = None

    def __new__(cls, data: Any = None, requires_grad: Any = True, *args: Any, **kwargs: Any) -> Any:
        if not is_program_class(cls):
            raise errors.CALL_REFUSED(name="__new__ of this class")
        made = object.__new__(cls)
        Parameter.__init__(made, data, requires_grad)
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __repr__(self) -> str:
        name = type(self).__name__
        lines = Tensor.__repr__(self).removeprefix(PREFIX).split("\n")
        text = ("\n" + " " * (len(name) + 1)).join(line.removeprefix(" " * len(PREFIX)) for line in lines)
        return f"Parameter containing:\nParameter({name}({text})"


def _is_closed(name: str) -> bool:
    """Whether a name is the engine's own, or one of those by which it knows a tensor."""
    if name in _CLOSED:
        return True
    if is_special(name):
        return False
    found = next((vars(kind)[name] for kind in OwnParameter.__mro__ if name in vars(kind)), None)
    return isinstance(found, property) or (found is not None and name.startswith("_")) or name in _SLOTS


_SLOTS: Final = frozenset({*Tensor.__annotations__, *OwnParameter.__annotations__, "grad", "data", "kinds"})


def _check_class(cls: type) -> None:
    for name in vars(cls):
        if _is_closed(name):
            raise errors.CALL_REFUSED(name=f"a class derived from Parameter that defines {name}")


def make_subclass(cls: Any, data: Any, require_grad: bool = False) -> Any:
    """``torch.Tensor._make_subclass``: a parameter of a class of the program over the memory of a tensor."""
    if not (isinstance(cls, type) and is_program_class(cls) and issubclass(cls, OwnParameter)):
        raise errors.CALL_REFUSED(
            name=f"_make_subclass() of {cls.__name__ if isinstance(cls, type) else type_name(cls)}"
        )
    return OwnParameter.__new__(cls, data, require_grad)


def install() -> None:
    """Let programs derive classes from ``nn.Parameter``."""
    OwnParameter.__module__, OwnParameter.__name__ = "torch.nn.parameter", "Parameter"
    OwnParameter.__qualname__ = "Parameter"
    rules = RULES[Tensor]
    allow(
        OwnParameter,
        READABLE[Tensor],
        readable=rules.readable,
        writable=rules.writable,
        subclass=True,
        copyable=True,
    )
    CLOSED[OwnParameter] = _is_closed
    metaclasses[OwnParameter] = _check_class
    stands_for[Parameter] = OwnParameter
    Tensor._make_subclass = staticmethod(make_subclass)  # type: ignore[attr-defined]  # read by its table
    READABLE[Tensor] |= {"_make_subclass"}
