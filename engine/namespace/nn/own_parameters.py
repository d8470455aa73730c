"""Classes of the program that are derived from ``nn.Parameter``: parameters with attributes and methods of their own.

As in PyTorch, what is computed of them is plain tensors. What the engine keeps in a tensor, and the properties by which it
knows one, can be neither defined in such a class nor written into it or its objects.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.namespace.overriding import called_by_program
from gradflow.engine.namespace.tensor.inner_names import INNER
from gradflow.engine.sandbox.classes.raw_content import put
from gradflow.engine.sandbox.gate import is_program_class, is_program_function, type_name
from gradflow.engine.sandbox.program_classes import metaclasses, mixed_into, stands_for
from gradflow.engine.sandbox.rules import CLOSED, READABLE, RULES, allow
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.tensor import Tensor
from gradflow.engine.tensor.late_methods import OPERATORS
from gradflow.engine.tensor.printing import PREFIX

_REFUSED: Final = (
    "__slots__ __hash__ __eq__ __ne__ __setattr__ __delattr__ __getattr__ __getattribute__ __class__"
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
        return f"Parameter containing:\nParameter({titled(self, f'{type(self).__name__}(')})"


def titled(tensor: Tensor, prefix: str) -> str:
    """A tensor as text, that begins with the name of its class."""
    lines = Tensor.__repr__(tensor).removeprefix(PREFIX).split("\n")
    return prefix + ("\n" + " " * len(prefix)).join(line.removeprefix(" " * len(PREFIX)) for line in lines)


_SLOTS: Final = frozenset({*Tensor.__annotations__, *OwnParameter.__annotations__, "grad", "data", "kinds"})


def _is_inner(base: type, name: str) -> bool:
    """Whether a name is the engine's own in ``base``, or one of those by which it knows a tensor."""
    if name in _CLOSED:
        return True
    if is_special(name):
        return False
    found = next((vars(kind)[name] for kind in base.__mro__ if name in vars(kind)), None)
    if found is None:
        return name in _SLOTS or name in INNER
    return isinstance(found, property) or name.startswith("_") or name in _SLOTS


def closed_by(base: type) -> Callable[[str], bool]:
    """The names that are not set in a class derived from ``base``, nor in its objects: the inner ones and all of a tensor's."""
    return lambda name: _is_inner(base, name) or (not is_special(name) and hasattr(Tensor, name))


def check_names(cls: type, base: type, operators: Collection[str] = ()) -> None:
    """Raises where a class defines what belongs to the engine. Methods that a tensor has it defines for the program alone."""
    for name, value in list(vars(cls).items()):
        if _is_inner(base, name):
            raise errors.CALL_REFUSED(name=f"a class derived from {base.__name__} that defines {name}")
        if name in operators or (not is_special(name) and hasattr(Tensor, name)):
            if not is_program_function(value):
                raise errors.CALL_REFUSED(name=f"a class derived from {base.__name__} with another {name}")
            put(cls, name, _redefined(name, value))


def check_mixin(cls: type, base: type, operators: Collection[str]) -> None:
    """Raises where a class from which one of tensors derives as well has what a tensor has: the engine would meet it there."""
    for name in vars(cls):
        tensors = name in operators or (not is_special(name) and hasattr(Tensor, name))
        if tensors or _is_inner(base, name) or name == "__dataclass_fields__":
            raise errors.CALL_REFUSED(name=f"a class derived from {base.__name__} and from one that defines {name}")


def _redefined(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """A method of the program's that has the name of one of a tensor: the engine goes on calling the tensor's."""
    engines = getattr(Tensor, name)

    @wraps(own)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return own(self, *args, **kwargs) if called_by_program() else engines(self, *args, **kwargs)

    return method


def settings() -> Any:
    """What programs may do with objects of classes that are derived from one of tensors: `allow` takes it."""
    rules = RULES[Tensor]
    return {"readable": rules.readable, "writable": rules.writable, "subclass": True, "copyable": True}


def _check_class(cls: type) -> None:
    if "__torch_function__" in vars(cls):
        raise errors.CALL_REFUSED(name="a class derived from Parameter that defines __torch_function__")
    check_names(cls, OwnParameter, OPERATORS)


def _check_mixin(cls: type) -> None:
    check_mixin(cls, OwnParameter, (*OPERATORS, "__torch_function__"))


SUBCLASSES: Final[dict[type, Callable[..., Any]]] = {OwnParameter: OwnParameter.__new__}
"""What makes an object of a class that is derived from each of these: of the class, a tensor, and whether it wants a gradient."""


def make_subclass(cls: Any, data: Any, require_grad: bool = False) -> Any:
    """``torch.Tensor._make_subclass``: an object of a class of the program over the memory of a tensor."""
    if isinstance(cls, type) and is_program_class(cls):
        for base, make in SUBCLASSES.items():
            if issubclass(cls, base):
                return make(cls, data, require_grad)
    raise errors.CALL_REFUSED(name=f"_make_subclass() of {cls.__name__ if isinstance(cls, type) else type_name(cls)}")


def install() -> None:
    """Let programs derive classes from ``nn.Parameter``."""
    OwnParameter.__module__, OwnParameter.__name__ = "torch.nn.parameter", "Parameter"
    OwnParameter.__qualname__ = "Parameter"
    allow(OwnParameter, READABLE[Tensor], **settings())
    CLOSED[OwnParameter] = closed_by(OwnParameter)
    metaclasses[OwnParameter] = _check_class
    mixed_into[OwnParameter] = _check_mixin
    stands_for[Parameter] = OwnParameter
    Tensor._make_subclass = staticmethod(make_subclass)  # type: ignore[attr-defined]  # read by its table
    READABLE[Tensor] |= {"_make_subclass"}
