"""``numpy.random``: a generator of the run's own, what a ``Generator`` is made of, and the states of both.

NumPy writes a state into its generators as it is given, also a position outside of the numbers that are kept: so a state is
looked at before, and only generators of which every number is a state take one. And it goes into what is nested in a seed as
deep as that goes, without a look at the stack.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial, update_wrapper
from threading import local
from typing import Any, Final

import numpy as np
from numpy.random import bit_generator

from gradflow.engine import errors
from gradflow.engine.sandbox.array_elements import Checked, checked, checked_array
from gradflow.engine.sandbox.classes.kept_whole import gives_array
from gradflow.engine.sandbox.gate import NOT_SPECIAL, Module, allow, read_special_by, type_name
from gradflow.engine.sandbox.rules import write_special_by
from gradflow.engine.sandbox.unbound_methods import unbound

_RANDOM: Final = (
    "beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric laplace logistic"
    " lognormal logseries multinomial multivariate_normal negative_binomial noncentral_chisquare noncentral_f normal pareto"
    " permutation poisson power rand randint randn random random_sample rayleigh seed shuffle standard_cauchy"
    " standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull zipf"
)
_GENERATOR: Final = (
    "beta binomial bit_generator bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric"
    " integers laplace logistic lognormal logseries multinomial multivariate_hypergeometric multivariate_normal"
    " negative_binomial noncentral_chisquare noncentral_f normal pareto permutation permuted poisson power random rayleigh"
    " shuffle spawn standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform"
    " vonmises wald weibull zipf"
)
_SEEDS: Final = "entropy generate_state n_children_spawned pool pool_size spawn spawn_key"
_MAKERS: Final = (np.random.RandomState, np.random.Generator)
_AS_THEY_ARE: Final = frozenset({"bit_generator", "shuffle", "spawn"})
"""What is no method, or is to change what it is given."""
_METHODS: Final = frozenset(f"{_RANDOM} {_GENERATOR}".split()) - _AS_THEY_ARE
_SOURCES: Final = tuple(getattr(np.random, name) for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"))
_WRITTEN: Final = (np.random.PCG64, np.random.PCG64DXSM)
_NAMES: Final = dict(zip(_MAKERS, (frozenset(_RANDOM.split()), frozenset(_GENERATOR.split())), strict=True))
_NUMBERS: Final = 624
"""How many numbers a Mersenne twister keeps."""
_DEEPEST: Final = 64
"""How deep the lists in a seed may be nested."""
_SEEDING: Final = "_coerce_to_uint32_array"
_asked: Final = local()


_WHOLE: Final = ("integers", "randint", "random_integers")
"""What draws whole numbers between bounds. NumPy goes through these as often as ``size`` says, whether there are as many or not."""


def _look_at_size(given: list[Any], named: Mapping[str, Any]) -> None:
    """Raises ValueError, as NumPy's other methods do, where bounds do not fit into the size that is asked for."""
    low, high, size = [*given, None, None, None][:3]
    low, high, size = named.get("low", low), named.get("high", high), named.get("size", size)
    bounds = np.broadcast_shapes(np.shape(low), () if high is None else np.shape(high))
    if size is None or not bounds:
        return
    wanted = (
        tuple(map(operator.index, size)) if isinstance(size, list | tuple | np.ndarray) else (operator.index(size),)
    )
    try:
        fits = np.broadcast_shapes(wanted, bounds) == wanted
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"Output size {wanted} is not compatible with broadcast dimensions of inputs {bounds}.")


class _Drawing(Checked):
    """A method of a generator: it is given copies of lists and arrays, of which the program's numbers are asked, and what it gives is
    looked at, for some give what they are given."""

    __slots__ = ()

    def __call__(self, *given: Any, **named: Any) -> Any:
        copies = {name: self._apart(value) for name, value in named.items()}
        plain = [self._apart(each) for each in given]
        if getattr(self._function, "__name__", "") in _WHOLE:
            _look_at_size(plain[isinstance(plain[0], _MAKERS) :] if plain else [], copies)
        return checked(self._function(*plain, **copies))

    def _apart(self, value: Any) -> Any:
        """An argument that nothing changes between what NumPy looks at and what it then does."""
        plain = list(value) if hasattr(type(value), "__next__") else self._argument(value)
        if type(plain) is list:
            return [self._apart(each) for each in plain]
        return np.array(plain) if gives_array(type(plain)) else plain


def random_module() -> Module:
    """``numpy.random``, with a generator of its own."""
    own = np.random.RandomState()
    return Module(
        "numpy.random",
        {
            **{name: _Drawing(getattr(own, name)) for name in _RANDOM.split() if name in _METHODS},
            **dict.fromkeys(("ranf", "sample"), _Drawing(own.random_sample)),
            "shuffle": own.shuffle,
            "get_state": own.get_state,
            "set_state": partial(_set_state, own),
            **{kind.__name__: kind for kind in (*_MAKERS, *_SOURCES, np.random.SeedSequence)},
            "BitGenerator": np.random.BitGenerator,
            "default_rng": np.random.default_rng,
        },
    )


def _set_state(generator: np.random.RandomState, state: Any) -> None:
    """``RandomState.set_state``. Raises ValueError for what no generator has as its state."""
    if isinstance(state, dict):
        kept = state["state"]
        state = (state["bit_generator"], kept["key"], kept["pos"], state["has_gauss"], state["gauss"])
    if not isinstance(state, tuple | list):
        raise TypeError("state must be a dict or a tuple.")
    name, key, position, *gauss = state
    if type(name) is not str or name != "MT19937":
        raise ValueError("set_state can only be used with legacy MT19937 state instances.")
    numbers = np.array(checked_array(key), np.uint32)
    place = operator.index(position)
    if numbers.shape != (_NUMBERS,) or not 0 <= place <= _NUMBERS or len(gauss) not in (0, 2):
        raise ValueError("state is not a state of MT19937")
    kept_gauss = (operator.index(gauss[0]), float(gauss[1])) if gauss else (0, 0.0)
    generator.set_state(("MT19937", numbers, int(place), *kept_gauss))


def _state_method(value: Any, name: str) -> Any:
    """``get_state`` and ``set_state`` of a ``RandomState``."""
    if type(value) is not np.random.RandomState:
        return NOT_SPECIAL
    return value.get_state if name == "get_state" else partial(_set_state, value)


def _state(value: Any, name: str) -> Any:
    """``state`` of a bit generator, in a dictionary of its own."""
    return value.state if type(value) in (*_SOURCES, np.random.SeedSequence) else NOT_SPECIAL


def _write_state(value: Any, name: str, new: Any) -> bool:
    """``bit_generator.state = ...``."""
    if type(value) not in _SOURCES:
        return False
    kind = type(value).__name__
    if type(value) not in _WRITTEN:
        raise errors.READ_ONLY(type=f"numpy.random.{kind}", name=name)
    if not isinstance(new, dict):
        raise TypeError("state must be a dict")
    if new.get("bit_generator") != kind:
        raise ValueError(f"state must be for a {kind} RNG")
    value.state = {
        "bit_generator": kind,
        "state": _integers(new["state"], "state", "inc"),
        **_integers(new, "has_uint32", "uinteger"),
    }
    return True


def _integers(given: Mapping[str, Any], *names: str) -> dict[str, int]:
    if not isinstance(given, dict):
        raise TypeError(f"state must be a dict, not {type_name(given)}")
    return {name: int(operator.index(given[name])) for name in names}


def _to_some_depth(seeding: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What makes numbers of a seed, and calls itself by its name for what is in it, whatever the program has there."""

    def numbers(seed: Any) -> Any:
        depth = getattr(_asked, "depth", 0)
        if depth >= _DEEPEST:
            raise ValueError(f"a seed may be nested {_DEEPEST} deep")
        _asked.depth = depth + 1
        try:
            return seeding(seed)
        finally:
            _asked.depth = depth

    update_wrapper(numbers, seeding)
    return numbers


def _draws(value: Any, name: str) -> bool:
    """Whether this is a method of a generator that takes lists of sizes or of numbers."""
    cls = value if isinstance(value, type) else type(value)
    return name in _METHODS and cls in _NAMES and name in _NAMES[cls]


def _drawing(value: Any, name: str) -> Any:
    if not _draws(value, name):
        return NOT_SPECIAL
    own = isinstance(value, type)  # Cython's methods would read the memory of whatever they are called with
    return _Drawing(unbound(value, name, value) if own else getattr(value, name))


def register() -> None:
    """Say what programs may read."""
    for maker, names in _NAMES.items():
        allow(maker, names & _AS_THEY_ARE, of_class=_draws, shown_as=maker)
    for source in _SOURCES:
        allow(source, ("seed_seq", "spawn"), shown_as=source)
    allow(np.random.BitGenerator, ("seed_seq", "spawn"), shown_as=np.random.BitGenerator)
    allow(np.random.SeedSequence, _SEEDS.split(), shown_as=np.random.SeedSequence)
    read_special_by(_METHODS, _drawing)
    read_special_by(("get_state", "set_state"), _state_method)
    read_special_by(("state",), _state)
    write_special_by(("state",), _write_state)
    setattr(bit_generator, _SEEDING, _to_some_depth(getattr(bit_generator, _SEEDING)))
