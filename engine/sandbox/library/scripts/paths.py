"""``pathlib``: paths as texts. There are no files, and none is looked for."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, Final, NoReturn

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import allow

_PURE: Final = (
    "anchor as_posix as_uri drive is_absolute is_relative_to joinpath match name parent parents parts relative_to root stem"
    " suffix suffixes with_name with_stem with_suffix"
)
_OWN: Final = (
    "absolute cwd exists expanduser glob home is_dir is_file iterdir mkdir open read_bytes read_text resolve rglob"
)


def no_file(path: object) -> NoReturn:
    """Raise FileNotFoundError, in Python's words."""
    raise errors.NO_FILE(path=str(path))


class Path(PurePosixPath):
    """A path."""

    def exists(self) -> bool:
        """There are no files."""
        return False

    is_dir = is_file = exists

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Nothing is made."""

    def open(self, *given: Any, **named: Any) -> NoReturn:
        """There are no files."""
        no_file(self)

    read_text = read_bytes = open

    def iterdir(self) -> Any:
        """There are no files."""
        return iter(())

    def glob(self, pattern: str) -> Any:
        """There are no files."""
        return iter(())

    rglob = glob

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


def members() -> dict[str, object]:
    """What is in ``pathlib``."""
    return {"Path": Path, "PosixPath": Path, "PurePath": PurePosixPath, "PurePosixPath": PurePosixPath}


def _register() -> None:
    Path.__module__ = "pathlib"
    allow(PurePosixPath, _PURE.split(), shown_as=PurePosixPath, copyable=True)
    allow(Path, f"{_PURE} {_OWN}".split(), shown_as=Path, copyable=True)
    allow(type(Path("a").parents))


_register()
