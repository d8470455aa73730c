"""``zipfile``: archives in memory and under the run's own paths.

Python's own reads and writes files of the machine; here it is given bytes, and its objects stay inside of ours.
"""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from posixpath import basename, join
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import allow, read_attribute, type_name
from gradflow.engine.sandbox.library.files.store import files
from gradflow.engine.state import STATE

_ZIP: Final = "close extract extractall filename getinfo infolist mode namelist open printdir read setpassword testzip write writestr"
_INFO: Final = ("CRC", "compress_size", "compress_type", "date_time", "file_size", "filename", "is_dir")
_TIME: Final = (1980, 1, 1, 0, 0, 0)
_KINDS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


class Info:
    """What an archive tells of one of its files."""

    def __init__(self, found: zipfile.ZipInfo) -> None:
        self.filename, self.date_time, self.CRC = found.filename, found.date_time, found.CRC
        self.file_size, self.compress_size, self.compress_type = (
            found.file_size,
            found.compress_size,
            found.compress_type,
        )

    def is_dir(self) -> bool:
        """Whether it is a directory."""
        return self.filename.endswith("/")

    def __repr__(self) -> str:
        return f"<ZipInfo filename={self.filename!r} file_size={self.file_size}>"


class _Entry(io.BytesIO):
    """A file that is being written into an archive."""

    def __init__(self, archive: ZipFile, name: str) -> None:
        super().__init__()
        self._archive, self._name = archive, name

    def close(self) -> None:
        """Put it into the archive."""
        if not self.closed:
            self._archive.writestr(self._name, self.getvalue())
        super().close()

    def __del__(self) -> None:
        with suppress(Exception):  # the archive may be closed by then
            self.close()


def _is_path(file: Any) -> bool:
    return isinstance(file, str) or hasattr(type(file), "__fspath__")


def _content(file: Any) -> bytes:
    if _is_path(file):
        return files().read(file)
    read_attribute(file, "seek")(0)
    return bytes(memoryview(read_attribute(file, "read")()))


class _Zip(zipfile.ZipFile):
    """Python's own, which is left as it is where nobody closes it."""

    def __del__(self) -> None:
        pass


class ZipFile:
    """``zipfile.ZipFile``, of a path or of a file of bytes in memory."""

    def __init__(self, file: Any, mode: str = "r", compression: int = 0, *given: Any, **options: Any) -> None:
        if mode not in ("r", "w", "x", "a"):
            raise ValueError("ZipFile requires mode 'r', 'w', 'x', or 'a'")
        if mode == "x" and _is_path(file) and files().exists(file):
            raise FileExistsError(17, "File exists", str(file))
        if type(compression) is not int or compression not in _KINDS:
            raise NotImplementedError("That compression method is not supported")
        before = mode == "r" or (mode == "a" and not (_is_path(file) and not files().exists(file)))
        self.mode, self.filename = mode, str(file) if _is_path(file) else None
        self._file, self._memory = file, io.BytesIO(_content(file) if before else b"")
        inside: Any = "w" if mode == "a" and not self._memory.getvalue() else mode.replace("x", "w")
        self._zip = _Zip(self._memory, inside, compression)

    def namelist(self) -> list[str]:
        """The names of its files."""
        return self._zip.namelist()

    def infolist(self) -> list[Info]:
        """What is told of its files."""
        return [Info(found) for found in self._zip.infolist()]

    def getinfo(self, name: str) -> Info:
        """What is told of a file."""
        return Info(self._zip.getinfo(_name(name)))

    def read(self, name: Any, pwd: Any = None) -> bytes:
        """What is in a file."""
        return self._zip.read(_name(name), _password(pwd))

    def open(self, name: Any, mode: str = "r", **options: Any) -> Any:
        """A file of the archive, to read or to write."""
        return _Entry(self, _name(name)) if mode == "w" else io.BytesIO(self.read(name))

    def writestr(self, zinfo_or_arcname: Any, data: Any, *given: Any, **options: Any) -> None:
        """Put a text or bytes into a file of the archive."""
        content = str.__str__(data).encode() if isinstance(data, str) else bytes(memoryview(data))
        info = zipfile.ZipInfo(_name(zinfo_or_arcname), _TIME)
        info.compress_type = self._zip.compression
        self._zip.writestr(info, content)

    def write(self, filename: Any, arcname: Any = None, *given: Any, **options: Any) -> None:
        """Put a file of the run into the archive."""
        self.writestr(str(filename).lstrip("/") if arcname is None else str(arcname), files().read(filename))

    def extractall(self, path: Any = ".", members: Any = None, pwd: None = None) -> None:
        """Put its files into the run's own, below a path."""
        for name in self.namelist() if members is None else members:
            self.extract(name, path)

    def extract(self, member: Any, path: Any = ".", pwd: None = None) -> str:
        """Put a file into the run's own, below a path."""
        name = _name(member)
        parts = [part for part in name.split("/") if part not in ("", ".", "..")]
        place = join(str(path), *parts)
        if name.endswith("/"):
            files().make(place, True, True)
        else:
            files().write(place, self.read(name))
        return place

    def setpassword(self, pwd: Any) -> None:
        """The password of files that are read from now on."""
        self._zip.setpassword(_password(pwd))  # type: ignore[arg-type]  # None takes it away again

    def printdir(self, file: Any = None) -> None:
        """Print a table of its files."""
        table = io.StringIO()
        self._zip.printdir(table)
        (STATE.show if file is None else read_attribute(file, "write"))(table.getvalue())

    def testzip(self) -> str | None:
        """The first file whose content is damaged."""
        return self._zip.testzip()

    def close(self) -> None:
        """Write it where it was opened."""
        if self._zip.fp is None:
            return
        self._zip.close()
        if self.mode == "r":
            return
        content = self._memory.getvalue()
        if _is_path(self._file):
            files().write(self._file, content)
        else:
            read_attribute(self._file, "seek")(0)
            read_attribute(self._file, "write")(content)

    def __enter__(self) -> ZipFile:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<zipfile.ZipFile {'file' if self.filename is None else basename(self.filename)!r} mode={self.mode!r}>"


def _name(given: Any) -> str:
    if isinstance(given, Info):
        return given.filename
    if not isinstance(given, str):
        raise errors.CALL_REFUSED(name="a name in an archive that is no text")
    return str.__str__(given)


def _password(given: Any) -> bytes | None:
    if given is not None and type(given) is not bytes:
        raise TypeError(f"pwd: expected bytes, got {type_name(given)}")
    return given


def _is_zipfile(filename: Any) -> bool:
    return not (_is_path(filename) and not files().is_file(filename)) and zipfile.is_zipfile(
        io.BytesIO(_content(filename))
    )


def members() -> dict[str, object]:
    """What is in ``zipfile``."""
    constants = {name: getattr(zipfile, name) for name in ("ZIP_STORED", "ZIP_DEFLATED", "ZIP_BZIP2", "ZIP_LZMA")}
    return {"ZipFile": ZipFile, "is_zipfile": _is_zipfile, "BadZipFile": zipfile.BadZipFile, **constants}


def _register() -> None:
    ZipFile.__module__ = Info.__module__ = "zipfile"
    Info.__name__ = Info.__qualname__ = "ZipInfo"
    allow(ZipFile, _ZIP.split(), shown_as=ZipFile)
    allow(Info, _INFO)
    allow(zipfile.BadZipFile, ("args",))


_register()
