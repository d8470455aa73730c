"""``pathlib``: paths as texts, and the files of the run under them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, Final, Self, cast

from gradflow.engine.sandbox.gate import allow
from gradflow.engine.sandbox.library.files.opened import opened
from gradflow.engine.sandbox.library.files.store import files

_PURE: Final = (
    "anchor as_posix as_uri drive is_absolute is_relative_to joinpath match name parent parents parts relative_to root stem"
    " suffix suffixes with_name with_stem with_suffix"
)
_OWN: Final = (
    "absolute cwd exists expanduser glob home is_dir is_file iterdir mkdir open read_bytes read_text rename replace resolve"
    " rglob rmdir touch unlink write_bytes write_text"
)


class Path(PurePosixPath):
    """A path."""

    def __new__(cls, *parts: Any, **named: Any) -> Self:
        made: Any = super().__new__(PosixPath if cls is Path else cls, *parts, **named)
        return cast("Self", made)

    def exists(self) -> bool:
        """Whether the run has such a file or directory."""
        return files().exists(self)

    def is_dir(self) -> bool:
        """Whether the run has such a directory."""
        return files().is_directory(self)

    def is_file(self) -> bool:
        """Whether the run has such a file."""
        return files().is_file(self)

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Make a directory."""
        files().make(self, parents, exist_ok)

    def open(self, mode: str = "r", *given: Any, **named: Any) -> Any:
        """Open the file."""
        return opened(self, mode)

    def read_text(self, *given: Any, **named: Any) -> str:
        """What is in the file, as a text."""
        text: str = opened(self).read()
        return text

    def read_bytes(self) -> bytes:
        """What is in the file."""
        return files().read(self)

    def write_text(self, data: str, *given: Any, **named: Any) -> int:
        """Put a text into the file."""
        with opened(self, "w") as file:
            return int(file.write(data))

    def write_bytes(self, data: bytes) -> int:
        """Put bytes into the file."""
        with opened(self, "wb") as file:
            return int(file.write(data))

    def touch(self, mode: int = 0o666, exist_ok: bool = True) -> None:
        """Make an empty file where there is none."""
        if not self.exists():
            files().write(self, b"")

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove the file."""
        if self.exists() or not missing_ok:
            files().remove(self)

    def rmdir(self) -> None:
        """Remove the directory, if it is empty."""
        files().remove_directory(self)

    def rename(self, target: Any) -> Path:
        """Give the file another path."""
        files().move(self, target)
        return Path(target)

    replace = rename

    def iterdir(self) -> Any:
        """What is in the directory."""
        return iter([self / name for name in files().names(self)])

    def glob(self, pattern: str) -> Any:
        """What is in the directory and matches a pattern; below it, too, behind ``**/``."""
        deep = pattern.startswith("**/")
        return self._found(pattern[3:] if deep else pattern, deep)

    def rglob(self, pattern: str) -> Any:
        """What is below the directory and matches a pattern."""
        return self._found(pattern, True)

    def _found(self, pattern: str, deep: bool) -> Any:
        cut = len(str(self.absolute()).rstrip("/")) + 1
        return iter([self / found[cut:] for found in files().matching(self, pattern, deep)])

    def absolute(self) -> Path:
        """The path from the root."""
        return Path("/", self)

    def resolve(self, strict: bool = False) -> Path:
        """The path from the root."""
        return self.absolute()

    def expanduser(self) -> Path:
        """The path with ``~`` resolved."""
        return Path("/root", *self.parts[1:]) if self.parts[:1] == ("~",) else self

    @classmethod
    def cwd(cls) -> Path:
        """The directory of the run."""
        return cls("/")

    @classmethod
    def home(cls) -> Path:
        """The home directory."""
        return cls("/root")

    def __repr__(self) -> str:
        return f"PosixPath({str(self)!r})"


class PosixPath(Path):
    """What every path is."""


def members() -> dict[str, object]:
    """What is in ``pathlib``."""
    return {"Path": Path, "PosixPath": PosixPath, "PurePath": PurePosixPath, "PurePosixPath": PurePosixPath}


def _register() -> None:
    Path.__module__ = PosixPath.__module__ = "pathlib"
    allow(PurePosixPath, _PURE.split(), shown_as=PurePosixPath, copyable=True)
    for cls in (Path, PosixPath):
        allow(cls, f"{_PURE} {_OWN}".split(), shown_as=cls, copyable=True)
    allow(type(Path("a").parents))


_register()
