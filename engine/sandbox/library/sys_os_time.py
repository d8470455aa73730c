"""``sys``, ``os`` and ``time``: what a program asks of its surroundings, answered without a look at them."""

from __future__ import annotations

import io
import os
import posixpath
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any, Final, NoReturn

from gradflow.engine.sandbox.gate import allow, is_program_class, type_name
from gradflow.engine.sandbox.interpreter.tracebacks import exc_info
from gradflow.engine.sandbox.library.files.store import files
from gradflow.engine.sandbox.library.plain_modules import PRINTING
from gradflow.engine.sandbox.library.scripts.tables import Output
from gradflow.engine.sandbox.stand_ins import Module, OpaqueType

_PATH: Final = "basename commonpath commonprefix dirname isabs join normcase normpath sep split splitdrive splitext curdir pardir pathsep"
_TIME: Final = (
    "asctime ctime gmtime localtime mktime monotonic monotonic_ns perf_counter perf_counter_ns process_time strftime time"
    " time_ns process_time_ns thread_time thread_time_ns"
)
_SYS: Final = "byteorder float_info hexversion int_info maxsize maxunicode version version_info"


class Stream:
    """A text stream onto which programs can write: standard output, or one that shows nothing."""

    def __init__(self, name: str, write: Callable[[str], None]) -> None:
        self.name, self._write = name, write

    def write(self, text: str) -> int:
        """Write a text and give its length."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type_name(text)}")
        exact = str.__str__(text)
        self._write(exact)
        return len(exact)

    def flush(self) -> None:
        """Nothing waits."""

    def isatty(self) -> bool:
        """It is no terminal."""
        return False


def leave(status: object = None) -> NoReturn:
    """``sys.exit``: end the program here."""
    raise SystemExit(status)


def _sleep(seconds: float) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")


def _as_text(path: Any) -> Any:
    """``os.fspath``: a text as it is, and that of a path."""
    if isinstance(path, str | bytes | PurePath):
        return path if isinstance(path, str | bytes) else str(path)
    own = is_program_class(type(path)) and getattr(type(path), "__fspath__", None)
    if not own:
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type_name(path)}")
    return own(path)


def _discard(text: str) -> None:
    pass


def members(write: Output, write_error: Output) -> dict[str, dict[str, object]]:
    """The modules by name."""
    path = Module(
        "os.path",
        {
            **{n: getattr(posixpath, n) for n in _PATH.split()},
            "abspath": _absolute,
            "realpath": _absolute,
            "expanduser": lambda path: "/root" + path[1:] if path[:1] == "~" else path,
            "relpath": lambda path, start="/": posixpath.relpath(_absolute(path), _absolute(start)),
            "exists": lambda path: files().exists(path),
            "lexists": lambda path: files().exists(path),
            "islink": lambda path: False,
            "isfile": lambda path: files().is_file(path),
            "isdir": lambda path: files().is_directory(path),
            "samefile": lambda path1, path2: _absolute(path1) == _absolute(path2),
            "ismount": lambda path: _absolute(path) == "/",
            "getsize": lambda filename: len(files().read(filename)),
        },
    )
    environment: dict[str, str] = {}
    own: dict[str, Any] = {name: getattr(sys, name) for name in _SYS.split()}
    shown, unseen = Stream("<stdout>", write.own), Stream("<stderr>", write_error.own)
    return {
        "sys": {
            **own,
            "argv": [""],
            "path": [""],
            "platform": "linux",
            "executable": "",
            "exit": leave,
            **dict.fromkeys(("stdout", "__stdout__"), shown),
            **dict.fromkeys(("stderr", "__stderr__"), unseen),
            "getrecursionlimit": lambda: 1000,
            "setrecursionlimit": _discard,
            "getsizeof": sys.getsizeof,
            "getrefcount": sys.getrefcount,
            "getdefaultencoding": sys.getdefaultencoding,
            "getfilesystemencoding": lambda: "utf-8",
            "exc_info": exc_info,
            "stdin": io.StringIO(),
            "intern": lambda string: string,
            **dict.fromkeys(("gettrace", "getprofile"), lambda: None),
            **dict.fromkeys(("prefix", "exec_prefix", "base_prefix", "base_exec_prefix"), "/usr"),
        },
        "os": {
            "path": path,
            "environ": environment,
            "getenv": environment.get,
            "cpu_count": lambda: 1,
            "sep": "/",
            "pathsep": ":",
            "curdir": ".",
            "pardir": "..",
            "devnull": "/dev/null",
            "extsep": ".",
            "linesep": "\n",
            "name": "posix",
            "getcwd": lambda: "/",
            "fspath": _as_text,
            "get_terminal_size": lambda *given: os.terminal_size((80, 24)),
            **{name: getattr(os, name) for name in ("SEEK_SET", "SEEK_CUR", "SEEK_END")},
            "makedirs": lambda name, mode=0o777, exist_ok=False: files().make(name, True, exist_ok),
            "mkdir": lambda path, mode=0o777: files().make(path, False, False),
            "listdir": lambda path=".": files().names(path),
            "walk": _walk,
            "remove": lambda path: files().remove(path),
            "unlink": lambda path: files().remove(path),
            "rmdir": lambda path: files().remove_directory(path),
            "rename": lambda src, dst: files().move(src, dst),
            "replace": lambda src, dst: files().move(src, dst),
            "getlogin": lambda: "user",
            "PathLike": OpaqueType(os.PathLike),
            "getpid": lambda: 1,
            "getppid": lambda: 0,
            "access": lambda path, mode: files().exists(path),
            "sched_getaffinity": lambda pid: {0},
            "getloadavg": lambda: (0.0, 0.0, 0.0),
            "umask": lambda mask: 0o022,
            "altsep": None,
            "error": OSError,
            **{name: getattr(os, name) for name in ("F_OK", "R_OK", "W_OK", "X_OK", "strerror", "urandom")},
        },
        "os.path": {name: getattr(path, name) for name in path.names()},
        "time": {
            **{name: getattr(time, name) for name in _TIME.split()},
            "sleep": _sleep,
            "struct_time": OpaqueType(time.struct_time),
            "timezone": 0,
            "daylight": 0,
            "tzname": ("UTC", "UTC"),
        },
        "pprint": PRINTING,
    }


def _walk(top: Any, topdown: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """``os.walk``: each directory with the names of the directories and files in it; nothing where there is none."""
    if not files().is_directory(top):
        return
    inner = files().names(top)
    directories = [name for name in inner if files().is_directory(posixpath.join(top, name))]
    own = (str(top), directories, [name for name in inner if name not in directories])
    if topdown:
        yield own
    for name in list(directories):
        yield from _walk(posixpath.join(str(top), str(name)), topdown)
    if not topdown:
        yield own


def _absolute(path: str) -> str:
    return posixpath.normpath(posixpath.join("/", path))


def _register() -> None:
    allow(Stream, ("write", "flush", "isatty", "name"))
    for cls in (type(sys.version_info), type(sys.float_info), type(sys.int_info), time.struct_time, os.terminal_size):
        allow(cls, [name for name in dir(cls) if not name.startswith("_")])


_register()
