"""``argparse``: the parser of Python's library for a program that was started without arguments.

It reads no command line and no file, prints through the run, and writes into namespaces of its own only: an action of the
program's, or another object to write the arguments into, would let it set attributes past the gate. So would an action of
the library's in the program's hands, for it can be called: of what is added, programs get the names alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import allow, type_name
from gradflow.engine.sandbox.program_classes import show_attributes_of
from gradflow.engine.sandbox.rules import exact_keywords
from gradflow.engine.sandbox.special_names import is_plain, is_special
from gradflow.engine.sandbox.stand_ins import OpaqueType

_FORMATTERS: Final = (
    argparse.HelpFormatter,
    argparse.ArgumentDefaultsHelpFormatter,
    argparse.RawTextHelpFormatter,
    argparse.RawDescriptionHelpFormatter,
    argparse.MetavarTypeHelpFormatter,
)
_PARSER: Final = (
    "add_argument add_argument_group add_mutually_exclusive_group add_subparsers description epilog error exit format_help"
    " format_usage get_default parse_args parse_known_args print_help print_usage prog set_defaults usage"
)
_OPTIONS: Final = frozenset({"prog", "usage", "description", "epilog", "add_help", "allow_abbrev", "exit_on_error"})
_BOOLEAN: Final = OpaqueType(argparse.BooleanOptionalAction)
_ACTIONS: Final = frozenset(
    {
        "store",
        "store_const",
        "store_true",
        "store_false",
        "append",
        "append_const",
        "extend",
        "count",
        "help",
        "version",
    }
)
_SETTINGS: Final = frozenset(
    {"action", "choices", "const", "default", "dest", "help", "metavar", "nargs", "required", "type", "version"}
)
_TEXTS: Final = frozenset({"dest", "help", "version", "prog", "usage", "description", "epilog", "title", "nargs"})
"""What the library formats and compares as a text, and by what it sets attributes."""


class Namespace(argparse.Namespace):
    """The arguments as attributes."""

    def __setattr__(self, name: str, value: object) -> None:
        if type(name) is not str or is_special(name):
            raise errors.CALL_REFUSED(name="an argument with this name")
        super().__setattr__(name, value)


class UsageExit(SystemExit):
    """The end of a program by its parser of arguments; ``told`` is what standard error, which is not shown, has been told."""

    def __init__(self, status: Any, told: str | None) -> None:
        super().__init__(status)
        self.told = told


class Argument:
    """What was added, as its names and settings."""

    __slots__ = ("choices", "default", "dest", "help", "metavar", "nargs", "option_strings", "required")

    def __init__(self, action: argparse.Action) -> None:
        for name in self.__slots__:
            value = getattr(action, name)
            setattr(self, name, list(value) if name == "option_strings" else value)


class Commands:
    """The commands of a parser."""

    __slots__ = ("_add", "choices", "dest")

    def __init__(self, action: Any) -> None:
        self._add, self.choices, self.dest = action.add_parser, dict[str, Parser](), action.dest

    def add_parser(self, name: str, **options: Any) -> Parser:
        """A parser for a command; ``choices`` has it by its name."""
        name = _text(name)
        aliases = options.pop("aliases", ())
        made: Parser = self._add(name, aliases=[_text(each) for each in aliases], **_plain_texts(options))
        self.choices = {**self.choices, name: made}
        return made


class _Container:
    """What arguments are added to; of actions it takes the names, and no class of the program."""

    def add_argument(self, *flags: Any, **options: Any) -> Any:
        """``add_argument``."""
        options = exact_keywords(options)
        action = options.get("action", "store")
        if isinstance(options.get("dest"), str) and is_special(_text(options["dest"])):
            raise errors.CALL_REFUSED(name="an argument with this name")
        if unknown := options.keys() - _SETTINGS:
            raise errors.CALL_REFUSED(name=f"add_argument({min(unknown)}=...)")
        if action is _BOOLEAN:
            options["action"] = argparse.BooleanOptionalAction
        elif type(action) is not str or action not in _ACTIONS:
            raise errors.CALL_REFUSED(name="an action that is none of the library's names")
        added = super().add_argument(*map(_text, flags), **_plain_texts(options))  # type: ignore[misc]
        return Argument(added)

    def add_argument_group(self, *given: Any, **named: Any) -> Any:
        """``add_argument_group``."""
        own: Any = self
        group = _Group(own, *map(_text, given), **_plain_texts(named))
        own._action_groups.append(group)
        return group

    def add_mutually_exclusive_group(self, *, required: bool = False) -> Any:
        """``add_mutually_exclusive_group``."""
        own: Any = self
        group = _Exclusive(own, required=bool(required))
        own._mutually_exclusive_groups.append(group)
        return group


class _Group(_Container, argparse._ArgumentGroup):
    pass


class _Exclusive(_Container, argparse._MutuallyExclusiveGroup):
    pass


class Parser(_Container, argparse.ArgumentParser):
    """``ArgumentParser``. ``print_by`` prints, ``complain_by`` writes to standard error."""

    print_by: Callable[[str], None]
    complain_by: Callable[[str], None]

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The arguments; without ``args`` there are none."""
        return super().parse_args(_texts(args), _own(namespace))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The arguments, and what is left over."""
        return super().parse_known_args(_texts(args), _own(namespace))

    def print_help(self, file: object = None) -> None:
        """The help on standard output."""
        self.print_by(self.format_help())

    def print_usage(self, file: object = None) -> None:
        """The usage on standard output."""
        self.print_by(self.format_usage())

    def exit(self, status: int = 0, message: str | None = None) -> Any:
        """End the program."""
        if message:
            self.complain_by(message)
        raise UsageExit(status, message)

    def error(self, message: str) -> Any:
        """End the program with an error of usage."""
        self.complain_by(self.format_usage())
        self.exit(2, f"{self.prog}: error: {message}\n")

    def add_subparsers(self, **options: Any) -> Any:
        """Commands with parsers of their own."""
        options = exact_keywords(options)
        for name in ("parser_class", "action"):
            options.pop(name, None)
        made = super().add_subparsers(
            parser_class=_sub_parser(self.print_by, self.complain_by), **_plain_texts(options)
        )
        return Commands(made)


def _text(value: Any) -> Any:
    """A text as Python's own, whatever the class of the program makes of it. Raises TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"a str is expected here, not {type_name(value)}")
    return str.__str__(value)


def _plain_texts(options: dict[str, Any]) -> dict[str, Any]:
    """Settings with what the library formats as plain texts."""
    plain = dict(options)
    for name in _TEXTS & options.keys():
        value = options[name]
        if value is not None and type(value) is not int:
            plain[name] = _text(value)
    if isinstance(value := options.get("metavar"), str | tuple):
        plain["metavar"] = _text(value) if isinstance(value, str) else tuple(map(_text, value))
    elif value is not None:
        raise TypeError(f"metavar is a str or a tuple of str, not {type_name(value)}")
    return plain


def _copied(items: Any) -> list[Any]:
    """What an action adds to. The library would copy any object, in the ways of that object."""
    if items is not None and type(items) is not list:
        raise errors.CALL_REFUSED(name="adding to what is no list")
    return items[:] if items else []


def _texts(args: Any) -> Sequence[str]:
    return [] if args is None else [str.__str__(each) for each in args]


def _own(namespace: Any) -> Namespace:
    if namespace is not None and type(namespace) is not Namespace:
        raise errors.CALL_REFUSED(name=f"arguments written into {type_name(namespace)}")
    return Namespace() if namespace is None else namespace


def _sub_parser(write: Callable[[str], None], complain: Callable[[str], None]) -> Any:
    def make(**options: Any) -> Parser:
        return _parser(write, complain, **options)

    return make


def _parser(write: Callable[[str], None], complain: Callable[[str], None], *given: Any, **options: Any) -> Parser:
    options = exact_keywords(options) | dict(zip(("prog", "usage", "description", "epilog"), given, strict=False))
    formatter, parents = options.pop("formatter_class", None), list(options.pop("parents", ()))
    defaults = options.pop("argument_default", None)
    unknown = set(options) - _OPTIONS
    if unknown:
        raise errors.CALL_REFUSED(name=f"ArgumentParser({min(unknown)}=...)")
    kind = formatter.kind if isinstance(formatter, OpaqueType) else argparse.HelpFormatter
    if kind not in _FORMATTERS or not all(type(parent) is Parser for parent in parents):
        raise errors.CALL_REFUSED(name="a formatter or a parent of another kind")
    named = {"prog": "program.py"} | {name: value for name, value in _plain_texts(options).items() if value is not None}
    parser = Parser(formatter_class=kind, parents=parents, argument_default=defaults, **named)
    parser.print_by, parser.complain_by = write, complain
    return parser


def members(write: Callable[[str], None], complain: Callable[[str], None]) -> dict[str, object]:
    """What is in ``argparse``."""

    def ArgumentParser(*given: Any, **options: Any) -> Parser:
        return _parser(write, complain, *given, **options)

    return {
        "ArgumentParser": ArgumentParser,
        "Namespace": Namespace,
        "BooleanOptionalAction": _BOOLEAN,
        "ArgumentTypeError": argparse.ArgumentTypeError,
        "ArgumentError": argparse.ArgumentError,
        "SUPPRESS": argparse.SUPPRESS,
        "REMAINDER": argparse.REMAINDER,
        "OPTIONAL": argparse.OPTIONAL,
        "ZERO_OR_MORE": argparse.ZERO_OR_MORE,
        "ONE_OR_MORE": argparse.ONE_OR_MORE,
        **{cls.__name__: OpaqueType(cls) for cls in _FORMATTERS},
    }


def _register() -> None:
    setattr(argparse, "_copy_items", _copied)  # noqa: B010  # else type checkers look for it
    Namespace.__module__ = "argparse"
    UsageExit.__name__, UsageExit.__qualname__, UsageExit.__module__ = "SystemExit", "SystemExit", "builtins"
    allow(
        Namespace,
        ("_get_args", "_get_kwargs"),
        readable=lambda _, name: is_plain(name),
        writable=is_plain,
        shown_as=Namespace,
        copyable=True,
    )
    show_attributes_of(Namespace)
    allow(Parser, _PARSER.split())
    for cls in (_Group, _Exclusive):
        allow(cls, ("add_argument", "add_argument_group", "add_mutually_exclusive_group", "title", "description"))
    allow(Argument, Argument.__slots__)
    allow(Commands, ("add_parser", "choices", "dest"))


_register()
