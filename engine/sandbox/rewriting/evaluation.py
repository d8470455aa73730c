"""``eval``, ``exec`` and ``compile`` of a program: its texts run under the gate, over the names that it could have bound itself.

Three things are kept from a text that is made while the program runs. Python gives globals without ``__builtins__`` those of whoever calls it:
every dictionary of globals here is one of ours and has the program's. A dictionary of the program's is therefore never run over; its names are copied into
ours before, and what changed is copied back after. And no frame but one of the program's own is looked into.
"""

from __future__ import annotations

import builtins as python
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import CO_OPTIMIZED
from itertools import islice
from types import CodeType, FrameType
from typing import Any, Final, NoReturn

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import allow, type_name
from gradflow.engine.sandbox.library.name_tables import Globals
from gradflow.engine.sandbox.rewriting.texts import EVALUATED, Mode, Region, compiled
from gradflow.engine.sandbox.special_names import is_bindable
from gradflow.engine.sandbox.unbound_methods import PROGRAM_FILE

_BUILTINS: Final = "__builtins__"
_REMEMBERED: Final = 256
_MIRRORED: Final = 64
_OWN_REFERENCES: Final = 2
"""The references to names that nobody but their mirror, and who asks, holds."""
_MODES: Final = ("eval", "exec")
_Names = dict[str, object]


class Code:
    """What ``compile`` gives: code of the program, to be evaluated and nothing else."""

    __slots__ = ("_all", "_code", "_file")

    def __init__(self, code: CodeType, file: str, imports_all: bool) -> None:
        self._code, self._file, self._all = code, file, imports_all

    def __repr__(self) -> str:
        return f'<code object <module> at {id(self):#x}, file "{self._file}", line 1>'


Code.__name__ = Code.__qualname__ = "code"
Code.__module__ = "builtins"


class _Mirror:
    """The names of a dictionary of the program, in one of ours, which functions defined over it go on with."""

    def __init__(self, given: _Names, builtins: _Names) -> None:
        self.given, self.builtins = given, builtins
        self.own: _Names = {"__name__": "__main__", _BUILTINS: builtins}
        self._known: _Names = {}
        self._entered = 0

    @property
    def in_progress(self) -> bool:
        """Whether a text runs over it."""
        return self._entered > 0

    @contextmanager
    def in_use(self) -> Iterator[_Names]:
        """Our dictionary with the names of the program's; what changes is put into that one."""
        if not self._entered:
            _put_back(self.given, self._known, self.own, older=self._known)  # what functions have bound since
            _replace(self.own, self.given)
        before = _bindable(self.own)
        self._entered += 1
        try:
            yield self.own
        finally:
            self._entered -= 1
            _put_back(self.given, before, self.own)
            self._known = _bindable(self.own)


def _bindable(names: Mapping[Any, object]) -> _Names:
    return {name: value for name, value in list(names.items()) if is_bindable(name)}


def _replace(own: _Names, given: Mapping[Any, object]) -> None:
    for name in _bindable(own):
        del own[name]
    own.update(_bindable(given))


_ABSENT: Final = object()


def _put_back(given: _Names, before: _Names, own: _Names, older: _Names | None = None) -> None:
    """Put what changed in ``own`` since ``before`` into ``given``; where there is an ``older`` state of that, what the program
    itself has put there since stays."""
    after = _bindable(own)
    for name in before | after:
        value = after.get(name, _ABSENT)
        if value is before.get(name, _ABSENT):
            continue
        if older is not None and given.get(name, _ABSENT) is not older.get(name, _ABSENT):
            continue
        if value is _ABSENT:
            given.pop(name, None)
        else:
            given[name] = value


class Evaluator:
    """The evaluation of texts in one run. ``builtins`` are the program's, and stand in ``namespace``, its module."""

    def __init__(self, namespace: _Names, builtins: _Names) -> None:
        self._namespace, self._builtins = namespace, builtins
        self._codes: dict[tuple[str, str, Region], tuple[CodeType, bool]] = {}
        self._regions: dict[tuple[int, int], tuple[CodeType, Region]] = {}
        self._mirrors: dict[int, _Mirror] = {}
        self._most_mirrors = _MIRRORED
        self._shown: _Names = {}  # what a dictionary has for builtins that are the program's
        self._bare = {name: value for name, value in builtins.items() if not name.isidentifier()}

    def compile(self, text: str, mode: Mode, caller: FrameType, name: str) -> tuple[CodeType, bool]:
        """The code of a text, which stands where the program calls the function ``name``, and whether it imports all of a module."""
        key = text, mode, self._region(caller, len(name) + 1)
        code = self._codes.get(key)
        if code is None:
            code = compiled(*key)
            if len(self._codes) >= _REMEMBERED:
                self._codes.clear()
            self._codes[key] = code
        return code

    def run(self, source: object, mode: Mode, globals: Any, locals: Any, caller: FrameType) -> Any:
        """The value of an expression; None of statements. ``caller`` is the frame that called the function ``mode``."""
        if type(source) is Code:
            code, stars = source._code, source._all
        else:
            code, stars = self.compile(_text(source, mode), mode, caller, mode)
        with self._scope(mode, globals, locals, caller) as (module, local):
            if stars and local is not self._namespace:
                raise errors.CALL_REFUSED(name="`import *` in a text that does not run in the module itself")
            if (kept := module.get(_BUILTINS)) is not self._builtins and kept is not self._bare:
                raise RuntimeError("globals without the program's builtins")
            return python.eval(code, module, local)

    # ---- names

    @contextmanager
    def _scope(self, mode: Mode, globals: Any, locals: Any, caller: FrameType) -> Iterator[tuple[_Names, _Names]]:
        own = caller if caller.f_code.co_filename == PROGRAM_FILE else None
        if globals is None and locals is None:
            yield self._names_of(own, mode)
            return
        with self._globals(globals, own, mode) as module:
            if locals is None or locals is globals:
                yield module, module
            else:
                with self._locals(locals) as local:
                    yield module, local

    def _names_of(self, frame: FrameType | None, mode: Mode) -> tuple[_Names, _Names]:
        """The names that the caller sees: those of its module, and a copy of those of its function."""
        if frame is None:
            return self._namespace, self._namespace
        module, local = frame.f_globals, frame.f_locals
        if local is module or frame.f_code.co_name == EVALUATED:
            return module, local
        if not frame.f_code.co_flags & CO_OPTIMIZED and frame.f_code.co_name != "<module>" and mode == "exec":
            raise errors.CALL_REFUSED(name="exec() in the body of a class")
        return module, _bindable(local)

    @contextmanager
    def _globals(self, given: Any, frame: FrameType | None, mode: Mode) -> Iterator[_Names]:
        if given is None:
            yield self._namespace if frame is None else frame.f_globals
        elif type(given) is Globals:
            with given.in_use() as names:
                yield names
        elif type(given) is dict:
            with self._mirror(given).in_use() as names:
                yield names
        elif isinstance(given, dict):
            raise errors.CALL_REFUSED(name=f"{mode}() over names that are no plain dictionary")
        else:
            said = (
                f"exec() globals must be a dict, not {type_name(given)}" if mode == "exec" else "globals must be a dict"
            )
            raise TypeError(said)

    def _mirror(self, given: _Names) -> _Mirror:
        known = self._mirrors.get(id(given))
        if known is None:
            if len(self._mirrors) >= self._most_mirrors:
                self._forget_unused()
            known = self._mirrors[id(given)] = _Mirror(given, self._builtins_for(given))
            given.setdefault(_BUILTINS, self._shown)
        return known

    def _builtins_for(self, given: _Names) -> _Names:
        """The program's builtins; those without a name that can be spelled, where the dictionary has none of its own."""
        wanted = given.get(_BUILTINS, self._shown)
        if wanted is self._shown or type(wanted) is not dict:
            return self._builtins
        return self._builtins if wanted else self._bare

    def _forget_unused(self) -> None:
        """Dictionaries that no function goes on with need not be kept."""
        for key, mirror in list(self._mirrors.items()):
            if sys.getrefcount(mirror.own) <= _OWN_REFERENCES and not mirror.in_progress:
                del self._mirrors[key]
        self._most_mirrors = max(_MIRRORED, 2 * len(self._mirrors))

    @contextmanager
    def _locals(self, given: Any) -> Iterator[_Names]:
        if type(given) is Globals:
            with given.in_use() as names:
                yield names
        elif type(given) is dict:
            own = _bindable(given)
            before = dict(own)
            try:
                yield own
            finally:
                _put_back(given, before, own)
        else:
            raise errors.CALL_REFUSED(name="eval() and exec() over names that are no plain dictionary")

    # ---- places

    def _region(self, frame: FrameType, opening: int) -> Region:
        """The place of the arguments of a call that begins with ``opening`` characters; of the program's innermost call."""
        caller: FrameType | None = frame
        while caller is not None and caller.f_code.co_filename != PROGRAM_FILE:
            caller = caller.f_back
        if caller is None:
            return 1, 1, 0, 0
        key = id(caller.f_code), caller.f_lasti
        if key not in self._regions:
            if len(self._regions) >= _REMEMBERED:
                self._regions.clear()
            self._regions[key] = caller.f_code, _inside(_place(caller), opening)
        return self._regions[key][1]


def _place(frame: FrameType) -> tuple[int | None, int | None, int | None, int | None]:
    index = frame.f_lasti // 2
    return next(islice(frame.f_code.co_positions(), index, None), (None, None, None, None))


def _inside(place: tuple[int | None, int | None, int | None, int | None], opening: int) -> Region:
    line, end_line, column, end_column = place
    if line is None or end_line is None or column is None or end_column is None:
        return 1, 1, 0, 0
    if line == end_line and column + opening >= end_column - 1:
        return line, end_line, column, end_column
    return line, end_line, column + opening, end_column - 1


def _text(source: object, name: str) -> str:
    """An exact text: the methods of a subclass are the program's."""
    if type(source) is str:
        return source
    if type(source) is bytes:
        return source.decode()
    if isinstance(source, str):
        return str.__str__(source)
    raise TypeError(f"{name}() arg 1 must be a string, bytes or code object")


def evaluators(namespace: _Names, builtins: _Names) -> dict[str, Callable[..., Any]]:
    """The three functions, for a program that runs with these global names."""
    evaluator = Evaluator(namespace, builtins)

    def eval(source: object, globals: Any = None, locals: Any = None, /) -> Any:
        return evaluator.run(source, "eval", globals, locals, sys._getframe(1))

    def exec(source: object, globals: Any = None, locals: Any = None, /) -> None:
        evaluator.run(source, "exec", globals, locals, sys._getframe(1))

    def compile(source: object, filename: object, mode: object, flags: int = 0, dont_inherit: bool = False) -> Code:
        wanted = _mode(mode)
        if flags:
            _refuse_flags()
        text = _text(source, "compile")
        code, stars = evaluator.compile(text, wanted, sys._getframe(1), "compile")
        return Code(code, _text(filename, "compile"), stars)

    return {"eval": eval, "exec": exec, "compile": compile}


def _mode(given: object) -> Mode:
    if type(given) is str and given in _MODES:
        return given  # type: ignore[return-value]  # one of the two
    if given == "single":
        raise errors.CALL_REFUSED(name='compile() with mode="single"')
    raise ValueError("compile() mode must be 'exec', 'eval' or 'single'")


def _refuse_flags() -> NoReturn:
    raise errors.CALL_REFUSED(name="compile() with flags")


allow(Code)
