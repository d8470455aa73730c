"""The gate in front of every public function and method: PyTorch's check of the arguments.

It is paid for once per kind of call: whether arguments fit depends on their types alone in
almost every call, so the types that have passed are remembered.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import FunctionType
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.argument_messages import described
from gradflow.engine.dispatch.compile import complete
from gradflow.engine.dispatch.signatures import Overloads, overloads
from gradflow.engine.namespace.out_argument import write_result
from gradflow.engine.namespace.overriding import asked_kinds, by_program, overridden
from gradflow.engine.numerics.broadcasting import check_broadcast
from gradflow.engine.numerics.scalars import is_derived, own_number
from gradflow.engine.sandbox.gate import is_program_class
from gradflow.engine.sandbox.unbound_methods import unbound
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor
from gradflow.engine.tensor.device import is_meta, require_cpu
from gradflow.engine.tensor.memory_format import STRIDED

_WITHOUT_EFFECT: Final = frozenset({"async", "memory_format", "pin_memory", "non_blocking"})
Computer = Callable[[Callable[..., Any], tuple[Any, ...], Mapping[str, Any]], Any]
_computed_elsewhere: Final[dict[type, Computer]] = {}
_FACTORIES: Final = frozenset(
    {
        "empty",
        "empty_permuted",
        "empty_strided",
        "ones",
        "arange",
        "eye",
        "full",
        "linspace",
        "logspace",
        "rand",
        "randn",
    }
    | {
        "randint",
        "randperm",
        "range",
        "sparse_coo_tensor",
        "tril_indices",
        "triu_indices",
        "zeros",
        "asarray",
        "tensor",
    }
    | {"as_tensor", "scalar_tensor", "fft_fftfreq", "fft_rfftfreq"}
    | {f"{name}_window" for name in ("bartlett", "blackman", "hamming", "hann", "kaiser")}
)
"""The functions that make tensors on the device in force, where none is named."""
_OF_NUMBERS: Final = frozenset(
    {"arange", "empty", "eye", "full", "linspace", "logspace", "ones", "range", "tensor", "zeros"}
)
"""Those of them that are given sizes and numbers alone."""
_LISTS: Final = (list, tuple)
_all_checked: Final[list[_Checked]] = []
_without_elements: Final[list[Callable[..., Any]]] = []


def dispatched_by(cls: type, compute: Computer) -> None:
    """Call ``compute(function, args, kwargs)`` in place of every function that is given an object of this class.

    The function has PyTorch's name and takes other arguments.
    """
    _computed_elsewhere[cls] = compute


def computes_meta(compute: Computer) -> None:
    """Call ``compute(function, args, kwargs)`` for tensors that are made on the device ``meta``."""
    _without_elements[:] = [compute]


def check_all_again() -> None:
    """Forget which types have passed, so that every call comes by the check."""
    for each in _all_checked:
        each.accepted.clear()


def building() -> Iterator[None]:
    """Look at the parameters of the functions, of one at each step: a run looks at those it calls, which takes it longer."""
    for each in _all_checked:
        _ = each.keywords, each.open, each.positions
        yield


def checked(name: str, function: Callable[..., Any], out_title: str | None = None) -> Callable[..., Any]:
    """The function with PyTorch's check in front, if PyTorch has signatures for it.

    name: as in `overloads`. out_title: under which name `gradflow.engine.out_rules` has the function.
    """
    known = overloads().get(name)
    return function if known is None else _gate(known, function, out_title or known.function)


def module_checked(prefix: str, table: Mapping[str, Any], titles: Mapping[str, str]) -> dict[str, Any]:
    """The functions of a module behind PyTorch's check of arguments; what is no function stays as it is.

    titles: under which name the rules for ``out`` have a function, where that is not ``prefix.name``.
    """
    return {
        name: checked(f"{prefix}.{prefix}_{name}", value, titles.get(name, f"{prefix}.{name}"))
        if isinstance(value, FunctionType)
        else value
        for name, value in table.items()
    }


def _gate(known: Overloads, function: Callable[..., Any], out_title: str) -> Callable[..., Any]:
    accepted: set[object] = set()
    slowly = _Checked(known, function, accepted, out_title)
    _all_checked.append(slowly)

    makes, of_numbers = known.function in _FACTORIES, known.function in _OF_NUMBERS

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if makes and STATE.device is not None and kwargs.get("device") is None:
                kwargs["device"] = STATE.device
            if kwargs:
                types: object = (*map(type, args), *kwargs, *map(type, kwargs.values()))
            elif len(args) == 1:
                types = args[0].__class__
            else:
                types = tuple(map(type, args))
            made = function(*args, **kwargs) if types in accepted else slowly(types, args, kwargs)
            if of_numbers and STATE.levels:
                STATE.levels.note_unbatched(made)
            return made
        except Exception as error:
            raise understood(error, known.function, args, kwargs, own=known.method) from None

    call.__name__ = call.__qualname__ = known.function
    call.__doc__ = function.__doc__
    slowly.public = call
    call.__wrapped__ = function  # type: ignore[attr-defined]  # as functools.wraps has it: whose parameters these are
    return call


def understood(
    error: Exception, function: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, own: int = 0
) -> Exception:
    """An error of the engine as it is; one of NumPy or of the engine's own making as one about the arguments."""
    if (
        errors.kind_of(error) is not None
        or errors.is_own(error)
        or isinstance(error, MemoryError | RecursionError | ImportError | OSError)
    ):
        return error
    if isinstance(error, ValueError) and "broadcast" in str(error):
        misfit = _misfit([value for value in (*args, *kwargs.values()) if isinstance(value, Tensor)])
        if misfit is not None:
            return misfit
    return errors.UNSUPPORTED_ARGUMENTS(function=function, given=described(args[own:], kwargs)[1:-1])


def _misfit(operands: list[Tensor]) -> Exception | None:
    """PyTorch's error for shapes that do not broadcast, of which NumPy complained."""
    shape: tuple[int, ...] = ()
    for operand in operands:
        try:
            check_broadcast(shape, operand._a.shape)
        except RuntimeError as error:
            return error
        shape = np.broadcast_shapes(shape, operand._a.shape)
    return None


def _is_programs(value: object) -> bool:
    """Whether this is a list or a tuple of a class of the program's, which could hold other things the next time."""
    return type(value) not in _LISTS and isinstance(value, _LISTS) and is_program_class(type(value))


def _taken(value: Any) -> Any:
    """Such a one as one of Python's own."""
    return value if not _is_programs(value) else list(value) if isinstance(value, list) else tuple(value)


class _Checked:
    """The check itself, for types that are new or that alone do not tell. ``public``: the function as programs have it."""

    public: Callable[..., Any]

    def __init__(self, known: Overloads, function: Callable[..., Any], accepted: set[object], out_title: str) -> None:
        self.known, self.function, self.accepted, self.out_title = known, function, accepted, out_title

    @cached_property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        return tuple(inspect.signature(complete(self.function)).parameters.values())

    @cached_property
    def keywords(self) -> frozenset[str]:
        # "from" is a word of Python, so that no parameter can have this name
        return frozenset("from" if p.kind is p.VAR_KEYWORD else p.name for p in self.parameters)

    @cached_property
    def open(self) -> bool:
        return any(p.kind is p.VAR_POSITIONAL for p in self.parameters)

    @cached_property
    def positions(self) -> int:
        return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in self.parameters)

    def __call__(self, types: object, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        for value in (*args, *kwargs.values()):
            first = value[0] if value.__class__ in _LISTS and len(value) else value
            if first.__class__ in _computed_elsewhere:
                return _computed_elsewhere[first.__class__](self.again, args, kwargs)
            if isinstance(value, _LISTS) and _is_programs(value):
                return self.again(*map(_taken, args), **{name: _taken(each) for name, each in kwargs.items()})
            if is_derived(value):
                return self.again(*map(own_number, args), **{name: own_number(each) for name, each in kwargs.items()})
        kinds = asked_kinds(args, kwargs)
        watched = bool(STATE.function_modes)
        if (watched or self.asks(kinds)) and (by_program(3) or not (watched or issubclass(kinds[0], Tensor))):
            name = f"torch.{'Tensor.' if self.known.method else ''}{self.known.function}"
            return overridden(self.shown, args, kwargs, name)
        own = args[: self.known.method]
        given, named = self.known.parse(args[self.known.method :], kwargs)
        arguments = (*own, *given)
        named = self.renamed(named, len(arguments))
        out = None if "out" in self.keywords else named.pop("out", None)
        if "device" in named and "device" not in self.keywords and is_meta(named["device"]):
            del named["device"]
            return _without_elements[0](self.function, arguments, self.supported(named))
        named = self.supported(named)
        if len(arguments) > self.positions and not self.open:
            raise self.missing("this way of calling it")
        if out is not None:
            return write_result(self.out_title, self.function, arguments, named, out)
        if (
            not (kinds or watched)
            and self.by_type(arguments, args)
            and named.keys() == kwargs.keys()
            and self.by_type(named.values(), kwargs.values())
            and not any(is_program_class(type(each)) for each in (*args, *kwargs.values()))  # kept beyond its run
        ):
            self.accepted.add(types)
        return self.function(*arguments, **named)

    def asks(self, kinds: tuple[Any, ...]) -> bool:
        """Whether ``__torch_function__`` of a class is asked: not by what makes a tensor of data of any kind."""
        return bool(kinds) and self.known.function != "tensor"

    @cached_property
    def shown(self) -> Callable[..., Any]:
        """The function as the program has it, which reads methods on their class."""
        return unbound(Tensor, self.known.function, Tensor) if self.known.method else self.public

    @cached_property
    def again(self) -> Callable[..., Any]:
        """The function behind its check, for arguments of other types."""

        def call(*args: Any, **kwargs: Any) -> Any:
            return self(None, args, kwargs)

        call.__name__ = self.known.function
        return call

    def renamed(self, named: dict[str, Any], given: int) -> dict[str, Any]:
        """The keywords as the function has them, where PyTorch's overloads name the same parameter otherwise."""
        strange = [name for name in named if name not in self.keywords and name in self.places]
        if not strange or self.open:
            return named
        own = [p.name for p in self.parameters]
        result = dict(named)
        for name in strange:
            place = self.places[name]
            if given <= place < len(own) and own[place] not in named:
                result[own[place]] = result.pop(name)
        return result

    @cached_property
    def places(self) -> dict[str, int]:
        """At which place the parameters stand that can be given by position."""
        return {p.name: p.index + self.known.method for s in self.known.signatures for p in s.positional}

    def by_type(self, converted: Any, given: Any) -> bool:
        """Whether nothing had to be converted, and nothing depended on what a list holds."""
        return len(converted) == len(given) and all(
            new is old and not isinstance(old, tuple | list) for new, old in zip(converted, given, strict=True)
        )

    def supported(self, named: dict[str, Any]) -> dict[str, Any]:
        """The keywords that mean something here. Raises for one that PyTorch has and Gradflow has not."""
        result = {}
        for key, value in named.items():
            if key in self.keywords:
                result[key] = value
            elif key == "device":
                require_cpu(value)
            elif key == "layout" and value in (None, STRIDED):
                continue
            elif value is not None and key not in _WITHOUT_EFFECT:
                raise self.missing(key)
        return result

    def missing(self, what: str) -> Exception:
        owner = "torch.Tensor" if self.known.method else "torch"
        return errors.ARGUMENT_NOT_PROVIDED(function=f"{owner}.{self.known.function}", argument=what)
