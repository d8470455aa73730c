"""What programs may read of Python's own types. Importing this module registers them with the gate."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from functools import lru_cache, partial, partialmethod
from random import Random
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType, NoneType
from typing import Any

from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.sandbox.classes.cached_properties import cached_property
from gradflow.engine.sandbox.gate import (
    NOT_SPECIAL,
    OpaqueType,
    allow,
    is_program_function,
    is_public,
    is_readable,
    read_special_by,
)

TEXT = (
    "capitalize casefold center count encode endswith expandtabs find index isalnum isalpha isascii isdecimal isdigit"
    " isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans partition"
    " removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip"
    " swapcase title translate upper zfill"
)
_BYTES = (
    "capitalize center count decode endswith expandtabs find fromhex hex index isalnum isalpha isascii isdigit islower"
    " isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex"
    " rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill"
)
_INT = "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes"
_FLOAT = "as_integer_ratio conjugate fromhex hex imag is_integer real"
_LIST = "append clear copy count extend index insert pop remove reverse sort"
_DICT = "clear copy fromkeys get items keys pop popitem setdefault update values"
_FROZENSET = "copy difference intersection isdisjoint issubset issuperset symmetric_difference union"
_SET = (
    _FROZENSET
    + " add clear difference_update discard intersection_update pop remove symmetric_difference_update update"
)
_DEQUE = "append appendleft clear copy count extend extendleft index insert maxlen pop popleft remove reverse rotate"
RANDOM = (
    "betavariate choice choices expovariate gauss getrandbits lognormvariate normalvariate randint random randrange"
    " sample seed shuffle triangular uniform getstate setstate gammavariate paretovariate randbytes vonmisesvariate"
    " weibullvariate"
)


_Table = tuple[tuple[type[Any], str], ...]

_BASES: _Table = (
    (object, ""),
    (str, TEXT),
    (int, _INT),
    (float, _FLOAT),
    (list, _LIST),
    (tuple, "count index"),
    (dict, _DICT),
    (set, _SET),
    (frozenset, _FROZENSET),
    (OrderedDict, _DICT + " move_to_end"),
    (defaultdict, _DICT + " default_factory"),
    (Counter, _DICT + " elements most_common subtract total _keep_positive"),
    (deque, _DEQUE),
)
"""Types that programs may also derive from."""

_TYPES: _Table = (
    (bool, _INT),
    (complex, "conjugate imag real"),
    (bytes, _BYTES),
    (range, "count index start step stop"),
    (slice, "indices start step stop"),
    (property, "deleter getter setter"),
    (classmethod, ""),
    (staticmethod, ""),
    (super, ""),
    (enumerate, ""),
    (zip, ""),
    (map, ""),
    (filter, ""),
    (reversed, ""),
)
"""Types that programs may call."""


_CACHED = type(lru_cache(len))


def _format(value: Any, name: str) -> Any:
    """``number.__format__``, of Python's own numbers and texts."""
    return getattr(value, name) if type(value) in (bool, int, float, complex, str) else NOT_SPECIAL


def _shows_of_function(method: Any, name: str) -> bool:
    """Whether a bound method shows an attribute of its function, which is the program's own or keeps what that gave."""
    function = method.__func__
    own = is_program_function(function) or type(function) is _CACHED
    return own and is_public(name) and is_readable(function, name)


def _keywords(value: Any, name: str) -> Any:
    """The keywords of a partial function, as a copy: a name of a class of the program's, put there, would be taken for another."""
    return dict(value.keywords) if type(value) in (partial, partialmethod) else NOT_SPECIAL


def _register() -> None:
    read_special_by(("__format__",), _format)
    for cls, names in _BASES:
        allow(cls, names.split(), subclass=True)
    for cls, names in _TYPES:
        allow(cls, names.split(), shown_as=cls)
    allow(FunctionType, writable=is_public)
    allow(MethodType, readable=_shows_of_function)
    allow(BuiltinFunctionType)
    allow(NoneType)
    allow(GeneratorType, ("close", "send", "throw"))
    allow(partial, ("args", "func"))
    read_special_by(("keywords",), _keywords)
    allow(_CACHED, ("cache_clear", "cache_info"))
    allow(
        type(lru_cache(len).cache_info()), ("hits", "misses", "maxsize", "currsize", "_asdict", "_fields", "_replace")
    )
    allow(cached_property, shown_as=cached_property)
    allow(Random, RANDOM.split(), shown_as=Random, copyable=True)
    allow(OpaqueType)
    allow(BaseException, ("add_note", "args"))
    allow(StopIteration, ("args", "value"))
    allow(NameError, ("args", "name"))
    allow(ImportError, ("args", "name"))
    allow(AttributeError, ("args", "name"))
    allow(OSError, ("args", "errno", "filename", "strerror"))
    allow(SystemExit, ("args", "code"))
    allow(SyntaxError, ("args", "lineno", "msg", "offset", "text"))


_register()
