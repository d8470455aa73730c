"""Classes of the program that are derived from ``torch.Tensor``.

What the program does with an object of such a class (a function of ``torch``, a method, an operator, an attribute) is handed
to ``__torch_function__`` of the class. The one of ``torch.Tensor`` computes as ever and gives the results the class. The
engine, which meets these objects in the middle of its own work, computes with them as with all other tensors and calls
nothing that the class redefines: what counts is whose code makes the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, wraps
from types import FunctionType
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.checked_calls import check_all_again
from gradflow.engine.namespace.functions.legacy_types import TENSOR
from gradflow.engine.namespace.nn.own_parameters import (
    SUBCLASSES,
    OwnParameter,
    check_mixin,
    check_names,
    closed_by,
    settings,
    titled,
)
from gradflow.engine.namespace.nn.parameter import Buffer, Parameter
from gradflow.engine.namespace.overriding import acts_for_program, by_program, disabled, overridden
from gradflow.engine.namespace.tensor import builtin_methods
from gradflow.engine.namespace.tensor.own_operators import OPERATORS, READ, REFLECTED
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import NOT_SPECIAL, is_program_class, read_special_by, type_name
from gradflow.engine.sandbox.program_classes import metaclasses, mixed_into, stands_for
from gradflow.engine.sandbox.rules import CLOSED, READABLE, allow, exact_keywords
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.sandbox.unbound_methods import unbound
from gradflow.engine.state import STATE, undone_at_end
from gradflow.engine.tensor import Tensor

_NO_DEEPCOPY: Final = (
    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types that implement"
    " new_empty() and for which that function returns another instance of the same subclass. You should either properly"
    " implement new_empty() for your subclass or override __deepcopy__() if it is intended behavior for new_empty() to"
    " return an instance of a different type."
)
_ALONE: Final = frozenset({"__neg__", "__pos__", "__abs__", "__invert__", "__getitem__", "__setitem__", "__contains__"})
"""Operators that are not left to another operand."""
_NO_TENSOR: Final = (
    "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your class"
    " inherits from Tensor."
)


_DENSE: Final = (Tensor, Parameter, Buffer, OwnParameter)
"""Whose objects are memory and nothing more."""


class OwnTensor(Tensor):
    """What ``torch.Tensor`` is as a base."""

    _a: Any = None
    _st: Any = None
    __hash__ = object.__hash__

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        _check_own(cls, "__new__")
        if kwargs:
            raise TypeError(f"new() received an unexpected keyword argument '{next(iter(kwargs))}'")
        made = args[0].detach() if len(args) == 1 and isinstance(args[0], Tensor) else TENSOR(*args)
        return _become(made, cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # that of `object`, which takes more only where the class has none of its own
        if (args or kwargs) and type(self).__init__ is not OwnTensor.__init__:
            raise TypeError("object.__init__() takes exactly one argument (the instance to initialize)")

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not all(issubclass(cls, each) for each in types):
            return NotImplemented
        with disabled():
            result = func(*args, **exact_keywords(kwargs or {}))
        return result if func in plain_results() else converted(result, cls)

    def __repr__(self) -> str:
        return titled(self, f"{type(self).__name__}(")

    def __iter__(self) -> Iterator[Any]:
        if self._a.ndim == 0 or not by_program():
            return Tensor.__iter__(self)
        return iter(overridden(_function("unbind"), (self, 0), {}, "torch.Tensor.unbind"))

    def __deepcopy__(self, memo: dict[int, object]) -> Any:
        raise RuntimeError(_NO_DEEPCOPY)


def _check_own(cls: Any, what: str) -> None:
    if not _is_own(cls):
        raise errors.CALL_REFUSED(name=f"{what} of this class")


def _is_own(cls: Any) -> bool:
    return isinstance(cls, type) and is_program_class(cls) and issubclass(cls, OwnTensor)


def _become(made: Tensor, cls: type) -> Any:
    if type(made) not in _DENSE and not isinstance(made, OwnTensor):
        raise errors.CALL_REFUSED(name="a class derived from Tensor for a sparse, meta or conjugated tensor")
    made.__class__ = cls
    return made


def converted(result: Any, cls: type) -> Any:
    """A result, or those in a tuple or a list, as objects of the class over the same memory."""
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else as_subclass(result, cls)
    if type(result) in (tuple, list):
        return type(result)(converted(each, cls) for each in result)
    if isinstance(result, tuple) and any(isinstance(each, Tensor) for each in result):
        return type(result)(*(converted(each, cls) for each in result))
    return result


def as_subclass(self: Tensor, cls: Any) -> Any:
    """The same tensor as an object of another class, which is a view of it."""
    if cls is TENSOR or cls in (Tensor, OwnTensor):
        return REGISTRY["alias"].call(self)
    if not _is_own(cls):
        raise TypeError(_NO_TENSOR)
    return _become(REGISTRY["alias"].call(self), cls)


def _make_subclass(cls: type, data: Any, require_grad: bool = False) -> Any:
    """``torch.Tensor._make_subclass``: a leaf over the memory of a tensor."""
    if not isinstance(data, Tensor):
        raise TypeError(f"_make_subclass(): argument 'data' (position 2) must be Tensor, not {type_name(data)}")
    made = _become(data.detach(), cls)
    if require_grad:
        made.requires_grad = True
    return made


# -- what the program does with such an object ------------------------------------------------------------------------


@cache
def _function(name: str) -> Any:
    """``torch.Tensor.name`` as the program reads it."""
    found = unbound(Tensor, name, Tensor)
    found.__name__ = name
    return found


def method(name: str) -> Any:
    """The same; None where there is no such method."""
    return _function(name) if isinstance(getattr(Tensor, name, None), FunctionType) else None


@cache
def plain_results() -> frozenset[Any]:
    """The functions whose results stay what they are."""
    return frozenset(_accessor(name, "__get__") for name in ("grad", "_base"))


def _check_tensor(name: str, args: tuple[Any, ...]) -> None:
    """What the engine does with a tensor trusts it to be one, and the program may call it with anything."""
    if not (args and isinstance(args[0], Tensor)):
        given = type_name(args[0]) if args else "nothing"
        raise TypeError(f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{given}' object")


def _of_tensors(name: str, found: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        _check_tensor(name, args)
        return found(*args)

    call.__name__ = call.__qualname__ = name
    return call


class Accessor:
    """``torch.Tensor.shape.__get__`` and its like, as ``__torch_function__`` gets them."""

    __slots__ = ("__name__", "_call", "attribute")

    def __init__(self, attribute: str, name: str, call: Callable[..., Any]) -> None:
        self.attribute, self.__name__, self._call = attribute, name, call

    def __call__(self, *args: Any) -> Any:
        _check_tensor(self.attribute, args)
        return self._call(*args)

    def __repr__(self) -> str:
        return f"<method-wrapper '{self.__name__}' of getset_descriptor object at {id(self):#x}>"


@cache
def _accessor(name: str, way: str) -> Accessor:
    found = getattr(Tensor, name)
    return Accessor(name, way, found.fget if way == "__get__" else found.fset)


def _attribute(name: str, found: property) -> property:
    def read(self: Any) -> Any:
        if not by_program():
            return found.__get__(self)
        return overridden(_accessor(name, "__get__"), (self,), {}, f"torch.Tensor.{name}.__get__")

    def write(self: Any, value: Any) -> None:
        if by_program():
            overridden(_accessor(name, "__set__"), (self, value), {}, f"torch.Tensor.{name}.__set__")
        else:
            found.__set__(self, value)

    return property(read, None if found.fset is None else write, found.fdel)


def _method(name: str, found: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(found)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not by_program():
            return found(self, *args, **kwargs)
        return overridden(_function(name), (self, *args), kwargs, f"torch.Tensor.{name}")

    return method


def _operator(name: str, found: Callable[..., Any]) -> Callable[..., Any]:
    own = _titled(name, found)
    # Python asks the class that is derived first; PyTorch, whose classes redefine no operators, the operand on the left
    ahead = _titled(REFLECTED[name], getattr(Tensor, REFLECTED[name])) if name in REFLECTED else own

    def operate(self: Any, *args: Any) -> Any:
        if not by_program():
            return found(self, *args)
        try:
            if ahead is not own and isinstance(args[0], Tensor):
                return overridden(ahead, (args[0], self), {})
            return overridden(own, (self, *args), {})
        except TypeError:  # as in PyTorch, Python then says which operands do not go together
            if name in _ALONE:
                raise
            return NotImplemented

    operate.__name__ = operate.__qualname__ = name
    return operate


@cache
def _titled(name: str, found: Callable[..., Any]) -> Any:
    """What an operator computes, under the name by which ``__torch_function__`` knows it: mostly that of the method."""
    title = OPERATORS[name]
    if title == name or not is_special(title):
        return _function(title)

    return _of_tensors(title, found)


def foreign(name: str, tensor: Tensor, operand: Any) -> Any:
    """What an operator makes of an operand that is neither a tensor nor a number: its class is asked."""
    if not hasattr(type(operand), "__torch_function__"):
        return NotImplemented
    return overridden(_function(name if hasattr(Tensor, name) else f"__{name}__"), (tensor, operand), {})


def _read(name: str, found: Callable[..., Any]) -> Callable[..., Any]:
    call = _of_tensors(name, found)

    def read(self: Any, *args: Any) -> Any:
        own = getattr(type(self).__torch_function__, "__func__", None)
        redefined = own is not OwnTensor.__torch_function__.__func__  # type: ignore[attr-defined]  # a class method
        if not (redefined and STATE.torch_functions):
            return found(self, *args)
        return overridden(call, (self, *args), {}, f"torch.Tensor.{name}")

    return read


@cache
def _asks() -> None:
    """Have what the program does with objects of such classes handed to them. Done when there is one."""
    for name in dir(Tensor):
        found = getattr(Tensor, name)
        if isinstance(found, property):
            setattr(OwnTensor, name, _attribute(name, found))
        elif isinstance(found, FunctionType) and not name.startswith("_") and found is not as_subclass:
            setattr(OwnTensor, name, _method(name, found))
    for name in OPERATORS:
        setattr(OwnTensor, name, _operator(name, getattr(Tensor, name)))
    for name in READ:
        setattr(OwnTensor, name, _read(name, getattr(OwnTensor, name)))


_watching: Final[list[bool]] = []


@cache
def _watched() -> tuple[dict[str, Any], dict[str, Any]]:
    """What Tensor has while a mode looks at every call, and what it has without."""
    plain: dict[str, Any] = {
        name: found for name in dir(Tensor) if isinstance(found := getattr(Tensor, name), property)
    }
    watched: dict[str, Any] = {name: _attribute(name, found) for name, found in plain.items()}
    for name in OPERATORS:
        plain[name] = getattr(Tensor, name)
        watched[name] = _operator(name, plain[name])
    return watched, plain


def watch() -> None:
    """From now on attributes and operators of all tensors come by the modes in force, and so do the functions."""
    _watching.append(True)
    STATE.overriding = True
    check_all_again()
    for name, member in _watched()[0].items():
        setattr(Tensor, name, member)


def watch_no_longer() -> None:
    """No mode is in force any more. A program may have left one behind: the next run begins without."""
    if not _watching:
        return
    _watching.clear()
    for name, member in _watched()[1].items():
        setattr(Tensor, name, member)


# -- a class statement ------------------------------------------------------------------------------------------------


def _check_class(cls: type) -> None:
    """Raises where a class takes for itself what belongs to the engine."""
    _asks()
    check_names(cls, OwnTensor, OPERATORS)


def _default(value: Any, name: str) -> Any:
    """``super().__torch_function__``, ``torch.Tensor.__torch_function__`` and ``__new__``, ``T.__torch_function__``."""
    if value is TENSOR:
        return getattr(OwnTensor, name)
    kind = value if isinstance(value, type) else getattr(value, "__self_class__", type(value))
    return getattr(value, name) if isinstance(kind, type) and issubclass(kind, OwnTensor) else NOT_SPECIAL


def install() -> None:
    """Let programs derive classes from ``torch.Tensor``."""
    OwnTensor.__module__, OwnTensor.__name__, OwnTensor.__qualname__ = "torch", "Tensor", "Tensor"
    Accessor.__module__, Accessor.__qualname__ = "builtins", "method-wrapper"
    type.__setattr__(Accessor, "__name__", "method-wrapper")
    allow(Accessor, ("__name__",))
    acts_for_program(builtin_methods.__file__)
    allow(OwnTensor, READABLE[Tensor], **settings())
    CLOSED[OwnTensor] = closed_by(OwnTensor)
    metaclasses[OwnTensor] = _check_class
    mixed_into[OwnTensor] = lambda cls: check_mixin(cls, OwnTensor, OPERATORS)
    undone_at_end.append(watch_no_longer)
    stands_for[Tensor] = OwnTensor
    SUBCLASSES[OwnTensor] = _make_subclass
    read_special_by(("__torch_function__",), _default)
    read_special_by(("__new__",), lambda value, name: OwnTensor.__new__ if value is TENSOR else NOT_SPECIAL)
