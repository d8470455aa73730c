"""Modules of which the functions themselves are harmless: they see what they are given, and no attribute by name."""

from __future__ import annotations

import abc
import base64
import bisect
import contextlib
import heapq
import io
import json
import re
import statistics
import string
import textwrap
import types
import unicodedata
from collections.abc import Callable
from pprint import pformat
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.classes.exit_stacks import ExitStack
from gradflow.engine.sandbox.gate import allow, is_program_function, read_attribute, type_name
from gradflow.engine.sandbox.library.files.opened import opened
from gradflow.engine.sandbox.library.user_collections import MappingProxyType
from gradflow.engine.sandbox.program_classes import ended_by, show_attributes_of
from gradflow.engine.sandbox.rules import CLOSED, show_copies
from gradflow.engine.sandbox.special_names import is_plain, is_special
from gradflow.engine.sandbox.stand_ins import Module, OpaqueType
from gradflow.engine.state import STATE

_RE: Final = "findall finditer fullmatch match search split sub subn compile"
_PLACE_OF_FLAGS: Final = {"split": 3, "sub": 4, "subn": 4}
"""Among the arguments; of the others it is 2."""
_FLAGS: Final = "A ASCII I IGNORECASE M MULTILINE S DOTALL X VERBOSE U UNICODE NOFLAG"
_PATTERN: Final = "findall finditer flags fullmatch groups match pattern search split sub subn"
_MATCH: Final = "end endpos expand group groupdict groups lastgroup lastindex pos re regs span start string"
_HEAP: Final = "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest"
_BISECT: Final = "bisect bisect_left bisect_right insort insort_left insort_right"
_STATISTICS: Final = (
    "correlation covariance fmean geometric_mean harmonic_mean linear_regression mean median median_grouped median_high"
    " median_low mode multimode pstdev pvariance quantiles stdev variance"
)
_NORMAL: Final = "cdf from_samples inv_cdf mean median mode overlap pdf quantiles samples stdev variance zscore"
_STRING: Final = (
    "ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable punctuation whitespace"
)
_TEXT_WRAP: Final = "dedent fill indent shorten wrap"
_WRAPPER: Final = (
    "break_long_words break_on_hyphens drop_whitespace expand_tabs fix_sentence_endings initial_indent max_lines placeholder"
    " replace_whitespace subsequent_indent tabsize width"
)
_TEMPLATE: Final = "get_identifiers is_valid safe_substitute substitute template"
_STACK: Final = "callback close enter_context pop_all push"
_ENDED_BY: Final = frozenset({"close", "closed"})
"""What Python asks a buffer for that nobody holds any more."""
_BUFFER: Final = (
    "close closed flush getvalue read readable readline readlines seek seekable tell truncate writable write writelines"
)


_BASE64: Final = (
    "b16decode b16encode b32decode b32encode b64decode b64encode b85decode b85encode decodebytes encodebytes"
    " standard_b64decode standard_b64encode urlsafe_b64decode urlsafe_b64encode"
)
_UNICODE: Final = (
    "bidirectional category combining decimal decomposition digit east_asian_width is_normalized lookup mirrored name"
    " normalize numeric unidata_version"
)


def _named(module: Any, names: str) -> dict[str, object]:
    return {name: getattr(module, name) for name in names.split()}


def _escape(pattern: Any) -> Any:
    """``re.escape``, of a text as Python's own: a method of one of the program's would be handed a table of the library."""
    return re.escape(str.__str__(pattern)) if isinstance(pattern, str) else re.escape(bytes(pattern))


def _exact(pattern: Any) -> Any:
    """A pattern as a text or bytes of Python's own, which the cache of patterns keeps; a compiled one as it is."""
    if isinstance(pattern, str):
        return str.__str__(pattern)
    return memoryview(pattern).tobytes() if isinstance(pattern, bytes) else pattern


def _undebugged(name: str) -> Callable[..., Any]:
    """A function of ``re`` that prints nothing by itself."""
    real: Callable[..., Any] = getattr(re, name)
    place = _PLACE_OF_FLAGS.get(name, 2)

    def function(*arguments: Any, **keywords: Any) -> Any:
        arguments = tuple(map(_exact, arguments[:1])) + arguments[1:]
        if "pattern" in keywords:
            keywords["pattern"] = _exact(keywords["pattern"])
        flags = arguments[place] if len(arguments) > place else keywords.get("flags", 0)
        if isinstance(flags, int):  # a number of the program's would stay in the cache of patterns
            plain = int.__and__(flags, -1)
            if plain & re.DEBUG:
                raise errors.CALL_REFUSED(name="re.DEBUG")
            if len(arguments) > place:
                arguments = (*arguments[:place], plain, *arguments[place + 1 :])
            elif "flags" in keywords:
                keywords["flags"] = plain
        return real(*arguments, **keywords)

    function.__name__ = function.__qualname__ = name
    return function


def _compile(pattern: Any, flags: Any = 0) -> Any:
    return re.compile(_exact(pattern), int(flags) & ~int(re.DEBUG))


def _dumps(obj: Any, **options: Any) -> str:
    encoder = options.get("cls")
    if encoder is not None and not (isinstance(encoder, type) and issubclass(encoder, json.JSONEncoder)):
        raise errors.CALL_REFUSED(name="json.dumps(cls=...) of what is no JSONEncoder")
    return json.dumps(obj, **options)


def _loads(s: str, **options: Any) -> Any:
    if "cls" in options:
        raise errors.CALL_REFUSED(name="json.loads(cls=...)")
    return json.loads(s, **options)


def _dump(obj: Any, fp: Any, **options: Any) -> None:
    read_attribute(fp, "write")(_dumps(obj, **options))


def _load(fp: Any, **options: Any) -> Any:
    return _loads(read_attribute(fp, "read")(), **options)


def _abstract(function: Any) -> Any:
    """``abstractmethod``, for functions of the program and for what `property` and the like are made of."""
    return abc.abstractmethod(function) if is_program_function(function) else function


def _abstract_property(function: Any) -> Any:
    return property(_abstract(function))


class closing:
    """``contextlib.closing``: calls ``close`` of what it was given at the end of its block."""

    def __init__(self, thing: Any) -> None:
        self._thing = thing

    def __enter__(self) -> Any:
        return self._thing

    def __exit__(self, *problem: object) -> None:
        read_attribute(self._thing, "close")()


class SimpleNamespace:
    """An object with the attributes that it is made with."""

    def __init__(self, **attributes: object) -> None:
        if any(type(name) is not str or is_special(name) for name in attributes):
            raise errors.CALL_REFUSED(name="an attribute with this name")
        self.__dict__.update(attributes)

    def __repr__(self) -> str:
        return f"namespace({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SimpleNamespace) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # as in Python, since what is equal can change


class _MethodType(OpaqueType):
    """``types.MethodType``, which binds functions of the program: ``model.forward = MethodType(forward, model)``."""

    __slots__ = ()

    def __call__(self, function: Any, instance: Any, /) -> Any:
        """Raises RuntimeError for what is no function of the program."""
        if not is_program_function(function):
            raise errors.CALL_REFUSED(name=f"MethodType() of {type_name(function)}")
        if instance is None:
            raise TypeError("instance must not be None")
        return types.MethodType(function, instance)


def members() -> dict[str, dict[str, object]]:
    """The modules by name."""
    kinds = {
        "SimpleNamespace": SimpleNamespace,
        "MappingProxyType": MappingProxyType,
        **{name: OpaqueType(kind) for name, kind in _TYPES.items()},
        "MethodType": _MethodType(types.MethodType),
    }
    return {
        "re": {
            **{name: _undebugged(name) for name in _RE.split() if name != "compile"},
            "compile": _compile,
            "escape": _escape,
            "error": re.error,
            **_named(re, _FLAGS),
            "Pattern": OpaqueType(re.Pattern),
            "Match": OpaqueType(re.Match),
            "RegexFlag": OpaqueType(re.RegexFlag),
        },
        "json": {
            "dumps": _dumps,
            "loads": _loads,
            "dump": _dump,
            "load": _load,
            "JSONEncoder": json.JSONEncoder,
            "JSONDecodeError": json.JSONDecodeError,
        },
        "base64": _named(base64, _BASE64),
        "unicodedata": _named(unicodedata, _UNICODE),
        "heapq": _named(heapq, _HEAP),
        "bisect": _named(bisect, _BISECT),
        "statistics": {
            **_named(statistics, _STATISTICS),
            "StatisticsError": statistics.StatisticsError,
            "NormalDist": statistics.NormalDist,
        },
        "string": {**_named(string, _STRING), "Template": string.Template},
        "textwrap": {**_named(textwrap, _TEXT_WRAP), "TextWrapper": textwrap.TextWrapper},
        "contextlib": {
            **_named(contextlib, "contextmanager nullcontext suppress AbstractContextManager"),
            "ExitStack": ExitStack,
            "closing": closing,
            "ContextDecorator": contextlib.ContextDecorator,
        },
        "abc": {
            "ABC": abc.ABC,
            "ABCMeta": OpaqueType(abc.ABCMeta),
            "abstractmethod": _abstract,
            "abstractproperty": _abstract_property,
        },
        "io": {
            "StringIO": io.StringIO,
            "BytesIO": io.BytesIO,
            "open": opened,
            **_named(io, "SEEK_SET SEEK_CUR SEEK_END UnsupportedOperation"),
        },
        "types": kinds,
        "gc": _collector(),
    }


def _collector() -> dict[str, object]:
    """The module ``gc``: nothing is collected by it here, and it shows no objects."""
    enabled = [True]
    thresholds: list[tuple[int, ...]] = [(700, 10, 10)]
    return {
        "collect": lambda generation=2: 0,
        "enable": lambda: enabled.__setitem__(0, True),
        "disable": lambda: enabled.__setitem__(0, False),
        "isenabled": lambda: enabled[0],
        "get_threshold": lambda: thresholds[0],
        "set_threshold": lambda *given: thresholds.__setitem__(0, (*given, *thresholds[0][len(given) :])),
        "get_count": lambda: (0, 0, 0),
        "freeze": lambda: None,
        "unfreeze": lambda: None,
    }


def _pprint(
    object: Any,
    stream: Any = None,
    indent: int = 1,
    width: int = 80,
    depth: int | None = None,
    *,
    compact: bool = False,
    sort_dicts: bool = True,
    underscore_numbers: bool = False,
) -> None:
    text = pformat(object, indent, width, depth, compact=compact, sort_dicts=sort_dicts) + "\n"
    (STATE.show if stream is None else read_attribute(stream, "write"))(text)


class PrettyPrinter:
    """``pprint`` with settings."""

    def __init__(self, indent: int = 1, width: int = 80, depth: int | None = None, **settings: Any) -> None:
        self._stream = settings.pop("stream", None)
        self._settings: Any = {"indent": indent, "width": width, "depth": depth, **settings}

    def pprint(self, object: Any) -> None:
        """Print it."""
        _pprint(object, self._stream, **self._settings)

    def pformat(self, object: Any) -> str:
        """It as a text."""
        return pformat(object, **self._settings)


allow(PrettyPrinter, ("pformat", "pprint"))
_pprint.__name__ = _pprint.__qualname__ = "pprint"
PRINTING: Final[dict[str, object]] = {
    "pprint": _pprint,
    "pformat": pformat,
    "pp": _pprint,
    "PrettyPrinter": PrettyPrinter,
}
"""The module ``pprint``."""

_TYPES: Final[dict[str, type]] = {
    "FunctionType": type(members),
    "LambdaType": type(members),
    "BuiltinFunctionType": type(len),
    "GeneratorType": type(_ for _ in ()),
    "MethodType": type(SimpleNamespace().__repr__),
    "NoneType": type(None),
    "ModuleType": Module,
    "UnionType": type(int | str),
    "GenericAlias": type(list[int]),
    "EllipsisType": type(...),
    "BuiltinMethodType": type(len),
    "NotImplementedType": type(NotImplemented),
    "AsyncGeneratorType": types.AsyncGeneratorType,
    "CoroutineType": types.CoroutineType,
    "TracebackType": types.TracebackType,
}


def _register() -> None:
    allow(re.Pattern, _PATTERN.split())
    show_copies(re.Pattern, ("groupindex",))
    allow(re.Match, _MATCH.split())
    allow(re.error, ("args", "msg", "pattern", "pos"))
    allow(re.RegexFlag, shown_as=re.RegexFlag)
    allow(json.JSONDecodeError, ("args", "colno", "doc", "lineno", "msg", "pos"))
    for buffer in (io.StringIO, io.BytesIO):
        allow(buffer, _BUFFER.split(), subclass=True)
        ended_by[buffer] = _ENDED_BY
        CLOSED[buffer] = _ENDED_BY.__contains__
    allow(contextlib.nullcontext, shown_as=contextlib.nullcontext)
    allow(contextlib.suppress, shown_as=contextlib.suppress)
    allow(ExitStack, _STACK.split(), subclass=True)
    allow(contextlib.ContextDecorator, ("_recreate_cm",), subclass=True)
    allow(contextlib.AbstractContextManager, subclass=True)
    allow(closing)
    allow(statistics.NormalDist, _NORMAL.split(), shown_as=statistics.NormalDist)
    allow(json.JSONEncoder, ("default", "encode", "iterencode"), subclass=True)
    allow(string.Template, _TEMPLATE.split(), shown_as=string.Template)
    split = textwrap.TextWrapper._split_chunks
    # a text of the program's own would get the table of blanks that all of them share
    setattr(textwrap.TextWrapper, "_split_chunks", lambda self, text: split(self, str.__str__(text)))  # noqa: B010
    settings = _WRAPPER.split()
    allow(textwrap.TextWrapper, ("fill", "wrap", *settings), writable=settings, shown_as=textwrap.TextWrapper)
    allow(SimpleNamespace, readable=lambda _, name: is_plain(name), writable=is_plain, subclass=True)
    SimpleNamespace.__module__ = "types"
    show_attributes_of(SimpleNamespace)


_register()
