"""``configparser``: sections of settings out of texts, and out of files of the run's own.

Python's parser does the work on exact texts. It stays inside of an object of ours, since its own methods take functions and
attributes by name (``converters``, ``optionxform``) and read whatever file a path names.
"""

from __future__ import annotations

import configparser
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.classes.kept_whole import keep_whole
from gradflow.engine.sandbox.gate import allow, is_program_function, read_attribute
from gradflow.engine.sandbox.library.files.store import files
from gradflow.engine.sandbox.stand_ins import OpaqueType

_ERRORS: Final = (
    "Error NoSectionError NoOptionError DuplicateSectionError DuplicateOptionError MissingSectionHeaderError ParsingError"
    " InterpolationError InterpolationDepthError InterpolationMissingOptionError InterpolationSyntaxError"
)
_OPTIONS: Final = frozenset(
    {"allow_no_value", "delimiters", "comment_prefixes", "inline_comment_prefixes", "strict", "empty_lines_in_values"}
)
_TAKING_TEXTS: Final = frozenset({"delimiters", "comment_prefixes", "inline_comment_prefixes"})
_PARSER: Final = (
    "add_section defaults get getboolean getfloat getint has_option has_section items keys options optionxform read read_dict"
    " read_file read_string remove_option remove_section sections set values write"
)
_SECTION: Final = "get getboolean getfloat getint items keys name values"
_UNSET: Final = object()


def _exact(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError("option values must be strings")
    return str.__str__(text)


def _plain(value: Any) -> Any:
    return str.__str__(value) if isinstance(value, str) else str(value)


def _settings(options: Mapping[str, Any]) -> dict[str, Any]:
    unknown = set(options) - _OPTIONS
    if unknown:
        raise errors.CALL_REFUSED(name=f"ConfigParser({min(unknown)}=...)")
    return {
        name: tuple(map(_exact, value)) if name in _TAKING_TEXTS and value is not None else bool(value) and value
        for name, value in options.items()
    }


class Interpolation:
    """Which references in values are replaced: ``%(name)s``, ``${section:name}``."""

    def __init__(self) -> None:
        kind = type(self)
        self._own: Any = (
            configparser.ExtendedInterpolation() if kind is ExtendedInterpolation else configparser.BasicInterpolation()
        )


class BasicInterpolation(Interpolation):
    """``%(name)s`` of the same section."""


class ExtendedInterpolation(Interpolation):
    """``${name}`` and ``${section:name}``."""


class RawConfigParser:
    """``RawConfigParser``: values as they are written."""

    def __init__(
        self,
        defaults: Any = None,
        dict_type: Any = dict,
        *,
        interpolation: Any = _UNSET,
        default_section: str = "DEFAULT",
        **options: Any,
    ) -> None:
        self._parser: Any = configparser.ConfigParser(
            default_section=_exact(default_section),
            interpolation=self._interpolated(interpolation),
            **_settings(options),
        )
        if defaults:
            self._parser.read_dict({default_section: _section_of(defaults)})

    def _interpolated(self, chosen: Any) -> Any:
        if chosen is _UNSET:
            return configparser.BasicInterpolation() if isinstance(self, ConfigParser) else None
        if chosen is not None and not isinstance(chosen, Interpolation):
            raise errors.CALL_REFUSED(name="an interpolation of another kind")
        return None if chosen is None else chosen._own

    @property
    def optionxform(self) -> Any:
        """What is made of the names of options."""
        return self._parser.optionxform

    @optionxform.setter
    def optionxform(self, function: Any) -> None:
        if function is not str and not is_program_function(function):
            raise errors.CALL_REFUSED(name="an optionxform that is no function of the program")
        self._parser.optionxform = str if function is str else lambda name: _exact(function(name))

    def read(self, filenames: Any, encoding: Any = None) -> list[str]:
        """Read files that this run has written; the names of those that there are."""
        names = [filenames] if isinstance(filenames, str) or not isinstance(filenames, Iterable) else list(filenames)
        found = [str(name) for name in names if files().is_file(name)]
        for name in found:
            self._parser.read_string(files().read(name).decode("utf-8"), name)
        return found

    def read_string(self, string: str, source: str = "<string>") -> None:
        """Read a text."""
        self._parser.read_string(_exact(string), _exact(source))

    def read_file(self, f: Any, source: str | None = None) -> None:
        """Read lines."""
        self._parser.read_file([_exact(line) for line in f], "<???>" if source is None else _exact(source))

    def read_dict(self, dictionary: Any, source: str = "<dict>") -> None:
        """Read sections from a dictionary of dictionaries."""
        tables = {_plain(name): _section_of(content) for name, content in dictionary.items()}
        self._parser.read_dict(tables, _exact(source))

    def write(self, fp: Any, space_around_delimiters: bool = True) -> None:
        """Write all sections."""
        text = io.StringIO()
        self._parser.write(text, bool(space_around_delimiters))
        read_attribute(fp, "write")(text.getvalue())

    def sections(self) -> list[str]:
        """The names of the sections."""
        names: list[str] = self._parser.sections()
        return names

    def options(self, section: str) -> list[str]:
        """The names of the options of a section."""
        names: list[str] = self._parser.options(_exact(section))
        return names

    def defaults(self) -> dict[str, str]:
        """The defaults of all sections, as a copy."""
        return dict(self._parser.defaults())

    def add_section(self, section: str) -> None:
        """Add an empty section."""
        self._parser.add_section(_exact(section))

    def has_section(self, section: str) -> bool:
        """Whether there is such a section."""
        return bool(self._parser.has_section(_exact(section)))

    def has_option(self, section: str, option: str) -> bool:
        """Whether a section has an option."""
        return bool(self._parser.has_option(_exact(section), _exact(option)))

    def remove_section(self, section: str) -> bool:
        """Take a section out."""
        return bool(self._parser.remove_section(_exact(section)))

    def remove_option(self, section: str, option: str) -> bool:
        """Take an option out of its section."""
        return bool(self._parser.remove_option(_exact(section), _exact(option)))

    def set(self, section: str, option: str, value: Any = None) -> None:
        """Set an option. Raises TypeError for what is no text."""
        self._parser.set(_exact(section), _exact(option), None if value is None else _exact(value))

    def get(self, section: str, option: str, *, raw: bool = False, vars: Any = None, fallback: Any = _UNSET) -> Any:
        """The text of an option."""
        given = None if vars is None else _section_of(vars)
        try:
            return self._parser.get(_exact(section), _exact(option), raw=bool(raw), vars=given)
        except (configparser.NoSectionError, configparser.NoOptionError):
            if fallback is _UNSET:
                raise
            return fallback

    def getint(self, section: str, option: str, **named: Any) -> Any:
        """An option as an integer."""
        return self._converted(int, section, option, named)

    def getfloat(self, section: str, option: str, **named: Any) -> Any:
        """An option as a number."""
        return self._converted(float, section, option, named)

    def getboolean(self, section: str, option: str, **named: Any) -> Any:
        """An option as a truth value: yes, no, on, off, true, false, 1, 0."""
        return self._converted(_truth, section, option, named)

    def _converted(self, convert: Callable[[str], Any], section: str, option: str, named: dict[str, Any]) -> Any:
        fallback = named.pop("fallback", _UNSET)
        found = self.get(section, option, fallback=_UNSET if fallback is _UNSET else _MISSING, **named)
        return fallback if found is _MISSING else convert(found)

    def items(self, section: Any = _UNSET, raw: bool = False, vars: Any = None) -> list[tuple[str, Any]]:
        """The options of a section, or all sections."""
        if section is _UNSET:
            return [(name, self[name]) for name in self]
        given = None if vars is None else _section_of(vars)
        found: list[tuple[str, Any]] = self._parser.items(_exact(section), bool(raw), given)
        return found

    def keys(self) -> list[str]:
        """The names of the sections, with that of the defaults."""
        return list(self)

    def values(self) -> list[Section]:
        """All sections."""
        return [self[name] for name in self]

    def __getitem__(self, key: str) -> Section:
        if key not in self:
            raise KeyError(key)
        return Section(self, _exact(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._parser[_exact(key)] = _section_of(value)

    def __delitem__(self, key: str) -> None:
        del self._parser[_exact(key)]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and str.__str__(key) in self._parser

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._parser))

    def __len__(self) -> int:
        return len(self._parser)


class ConfigParser(RawConfigParser):
    """``ConfigParser``: ``%(name)s`` in values stands for other options."""


class Section:
    """One section, as a dictionary of texts."""

    def __init__(self, parser: RawConfigParser, name: str) -> None:
        self._parser, self._name = parser, name

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    def get(self, option: str, fallback: Any = None, **named: Any) -> Any:
        """The text of an option."""
        return self._parser.get(self._name, option, fallback=fallback, **named)

    def getint(self, option: str, fallback: Any = None) -> Any:
        """An option as an integer."""
        return self._parser.getint(self._name, option, fallback=fallback)

    def getfloat(self, option: str, fallback: Any = None) -> Any:
        """An option as a number."""
        return self._parser.getfloat(self._name, option, fallback=fallback)

    def getboolean(self, option: str, fallback: Any = None) -> Any:
        """An option as a truth value."""
        return self._parser.getboolean(self._name, option, fallback=fallback)

    def keys(self) -> list[str]:
        """The names of its options."""
        return list(self)

    def values(self) -> list[Any]:
        """The texts of its options."""
        return [self[name] for name in self]

    def items(self) -> list[tuple[str, Any]]:
        """Names and texts."""
        return [(name, self[name]) for name in self]

    def __getitem__(self, key: str) -> Any:
        if key not in self:
            raise KeyError(key)
        return self._parser.get(self._name, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._parser._parser[self._name][_exact(key)] = None if value is None else _exact(value)

    def __delitem__(self, key: str) -> None:
        if key not in self or not self._parser.remove_option(self._name, key):
            raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._parser.has_option(self._name, key)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._parser._parser[self._name]))

    def __len__(self) -> int:
        return len(self._parser._parser[self._name])

    def __repr__(self) -> str:
        return f"<Section: {self._name}>"


_MISSING: Final = object()


def _truth(text: str) -> bool:
    found = configparser.RawConfigParser.BOOLEAN_STATES.get(text.lower())
    if found is None:
        raise ValueError(f"Not a boolean: {text}")
    return found


def _section_of(content: Any) -> dict[str, Any]:
    """A section given as a dictionary, with its texts."""
    return {_plain(name): None if value is None else _plain(value) for name, value in content.items()}


def members() -> dict[str, object]:
    """What is in ``configparser``."""
    return {
        "ConfigParser": ConfigParser,
        "RawConfigParser": RawConfigParser,
        "SectionProxy": OpaqueType(Section),
        "BasicInterpolation": BasicInterpolation,
        "ExtendedInterpolation": ExtendedInterpolation,
        "DEFAULTSECT": configparser.DEFAULTSECT,
        **{name: getattr(configparser, name) for name in _ERRORS.split()},
    }


def _register() -> None:
    for cls in (RawConfigParser, ConfigParser):
        cls.__module__ = "configparser"
        keep_whole(cls)
        allow(cls, _PARSER.split(), writable=("optionxform",), shown_as=cls)
    Section.__module__, Section.__qualname__ = "configparser", "SectionProxy"
    keep_whole(Section)  # its options are asked of by ``optionxform``, which can be the program's
    allow(Section, _SECTION.split())
    for kind in (BasicInterpolation, ExtendedInterpolation):
        allow(kind)
    for name in _ERRORS.split():
        allow(getattr(configparser, name), ("args", "message", "section", "option", "lineno", "source"))


_register()
