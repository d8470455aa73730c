"""``tempfile``, ``shutil`` and ``glob``, over the files of the run."""

from __future__ import annotations

import os
from posixpath import basename, dirname, join
from typing import Any

from gradflow.engine.sandbox.gate import allow
from gradflow.engine.sandbox.library.files.opened import opened
from gradflow.engine.sandbox.library.files.store import absolute, files


class TemporaryDirectory:
    """A directory that is gone at the end of the block."""

    def __init__(self, suffix: Any = None, prefix: Any = None, dir: Any = None, **options: Any) -> None:
        self.name = _mkdtemp(suffix, prefix, dir)

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: object) -> None:
        self.cleanup()

    def cleanup(self) -> None:
        """Remove it with all that is in it."""
        if files().is_directory(self.name):
            files().remove_directory(self.name, all_in_it=True)

    def __repr__(self) -> str:
        return f"<TemporaryDirectory {self.name!r}>"


def _mkdtemp(suffix: Any = None, prefix: Any = None, dir: Any = None) -> str:
    path = files().temporary_path(dir, prefix, suffix)
    files().make(path, parents=True, exist_ok=True)
    return path


def _named(
    mode: str = "w+b",
    buffering: int = -1,
    encoding: Any = None,
    newline: Any = None,
    suffix: Any = None,
    prefix: Any = None,
    dir: Any = None,
    delete: bool = True,
    **options: Any,
) -> Any:
    """``NamedTemporaryFile``: an opened file. It is removed with the run at the latest."""
    path = files().temporary_path(dir, prefix, suffix)
    return opened(path, mode)


def _copy(src: Any, dst: Any, **options: Any) -> Any:
    """A copy of a file; into a directory under its own name."""
    target = join(str(dst), basename(str(src))) if files().is_directory(dst) else dst
    files().write(target, files().read(src))
    return target


def _move(src: Any, dst: Any, **options: Any) -> Any:
    target = _copy(src, dst)
    files().remove(src)
    return target


def _remove_tree(path: Any, ignore_errors: bool = False, **options: Any) -> None:
    if files().is_directory(path) or not ignore_errors:
        files().remove_directory(path, all_in_it=True)


def _glob(pathname: Any, *, recursive: bool = False, **options: Any) -> list[str]:
    """The paths that match a pattern whose last part alone has wildcards."""
    text = str(pathname)
    directory, pattern = dirname(text), basename(text)
    deep = recursive and basename(directory) == "**"
    start = dirname(directory) if deep else directory
    cut = len(absolute(start).rstrip("/")) + 1
    return [join(start, found[cut:]) for found in files().matching(start, pattern, deep)]


def members() -> dict[str, dict[str, object]]:
    """The modules by name."""
    return {
        "tempfile": {
            "TemporaryDirectory": TemporaryDirectory,
            "NamedTemporaryFile": _named,
            "TemporaryFile": _named,
            "SpooledTemporaryFile": lambda max_size=0, *given, **named: _named(*given, **named),
            "mkdtemp": _mkdtemp,
            "mktemp": lambda suffix="", prefix="tmp", dir=None: files().temporary_path(dir, prefix, suffix),
            "gettempdir": lambda: "/tmp",
        },
        "shutil": {
            "copy": _copy,
            "copyfile": _copy,
            "copy2": _copy,
            "move": _move,
            "rmtree": _remove_tree,
            "get_terminal_size": lambda *given, **named: os.terminal_size((80, 24)),
        },
        "glob": {"glob": _glob, "iglob": lambda pathname, **options: iter(_glob(pathname, **options))},
    }


allow(TemporaryDirectory, ("cleanup", "name"), shown_as=TemporaryDirectory)
TemporaryDirectory.__module__ = "tempfile"
