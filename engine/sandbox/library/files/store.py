"""What one run has written, by path. Nothing of it is outside of the run's memory, and nothing of the machine is in it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from posixpath import basename, dirname, join, normpath
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.state import STATE

_ROOTS: Final = frozenset({"/", "/tmp", "/root"})


class Files:
    """The files and directories of a run. ``saved`` is what `torch.save` has kept, in the order of its numbers."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.directories: set[str] = set(_ROOTS)
        self.saved: Any = None
        self.temporary = 0

    def read(self, path: Any) -> bytes:
        """What is in a file. FileNotFoundError, IsADirectoryError."""
        found = self.contents.get(place := absolute(path))
        if found is not None:
            return found
        if place in self.directories:
            raise IsADirectoryError(21, "Is a directory", str(path))
        raise _absent(path)

    def write(self, path: Any, content: bytes) -> None:
        """Put a content into a file, whether or not it is there; the directories that it lies in are then there, too."""
        place = absolute(path)
        if place in self.directories:
            raise IsADirectoryError(21, "Is a directory", str(path))
        self.contents[place] = content
        self._enter(dirname(place))

    def _enter(self, directory: str) -> None:
        while directory not in self.directories:
            self.directories.add(directory)
            directory = dirname(directory)

    def exists(self, path: Any) -> bool:
        """Whether there is a file or a directory."""
        return self.is_file(path) or self.is_directory(path)

    def is_file(self, path: Any) -> bool:
        """Whether there is a file."""
        return absolute(path) in self.contents

    def is_directory(self, path: Any) -> bool:
        """Whether there is a directory."""
        return absolute(path) in self.directories

    def make(self, path: Any, parents: bool, exist_ok: bool) -> None:
        """Make a directory. FileExistsError, FileNotFoundError."""
        place = absolute(path)
        if place in self.contents or (place in self.directories and not exist_ok):
            raise FileExistsError(17, "File exists", str(path))
        if not parents and dirname(place) not in self.directories:
            raise _absent(path)
        self._enter(place)

    def remove(self, path: Any) -> None:
        """Remove a file. FileNotFoundError."""
        if self.contents.pop(absolute(path), None) is None:
            raise _absent(path)

    def remove_directory(self, path: Any, *, all_in_it: bool = False) -> None:
        """Remove a directory. FileNotFoundError; OSError where something is in it, unless ``all_in_it``."""
        place = absolute(path)
        if place not in self.directories:
            raise _absent(path)
        inside = [each for each in (*self.contents, *self.directories) if each.startswith(place.rstrip("/") + "/")]
        if inside and not all_in_it:
            raise OSError(39, "Directory not empty", str(path))
        for each in inside:
            self.contents.pop(each, None)
            self.directories.discard(each)
        self.directories.discard(place)

    def move(self, path: Any, target: Any) -> None:
        """Give a file another path."""
        self.write(target, self.read(path))
        self.remove(path)

    def names(self, path: Any) -> list[str]:
        """The names in a directory. FileNotFoundError."""
        place = absolute(path)
        if place not in self.directories:
            raise _absent(path)
        every = (*self.contents, *self.directories - _ROOTS)
        return sorted(basename(each) for each in every if dirname(each) == place and each != place)

    def matching(self, directory: Any, pattern: str, deep: bool) -> list[str]:
        """The paths below a directory whose names match a pattern, from the root."""
        place = absolute(directory).rstrip("/")
        found = []
        for each in sorted((*self.contents, *self.directories - _ROOTS)):
            within = each[len(place) + 1 :] if each.startswith(f"{place}/") else ""
            last = basename(within)
            if last and (deep or last == within) and fnmatchcase(last, pattern):
                found.append(each)
        return found

    def temporary_path(self, directory: Any, prefix: Any, suffix: Any) -> str:
        """A path at which nothing is, the same ones in every run."""
        self.temporary += 1
        return join(str(directory or "/tmp"), f"{prefix or 'tmp'}{self.temporary:08d}{suffix or ''}")


def _absent(path: Any) -> Exception:
    """The error of a path at which nothing is, with what Python notes in it."""
    error = errors.NO_FILE(path=str(path))
    assert isinstance(error, FileNotFoundError)
    error.errno, error.strerror, error.filename = 2, "No such file or directory", str(path)
    return error


def absolute(path: Any) -> str:
    """A path from the root, as an exact text. TypeError for what is no path."""
    if isinstance(path, bytes):
        path = path.decode()
    if not isinstance(path, str):
        if not hasattr(type(path), "__fspath__"):
            raise TypeError(f"expected str, bytes or os.PathLike object, not {type_name(path)}")
        path = str(path)
    return normpath(join("/", str.__str__(path)))


def files() -> Files:
    """The files of this run."""
    held: Files = STATE.files or Files()
    STATE.files = held
    return held
