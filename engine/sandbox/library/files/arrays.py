"""``numpy.save``, ``savez`` and ``load``: arrays of numbers in memory (``io.BytesIO``) and under the run's own paths.

What is read was written by anybody: the header is read as a literal, elements are numbers and nothing else, and truth values
become 0 and 1, for NumPy trusts them to be.
"""

from __future__ import annotations

import ast
import io
import zipfile
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.lib import format as npy

from gradflow.engine import errors
from gradflow.engine.sandbox.array_elements import checked_array, refusal, short
from gradflow.engine.sandbox.gate import allow, type_name
from gradflow.engine.sandbox.library.files.opened import opened
from gradflow.engine.sandbox.library.files.store import files

_NUMBERS: Final = frozenset("biufc")
_MAGIC: Final = b"\x93NUMPY"
_ZIP: Final = b"PK"
_MOST_HEADER: Final = 10_000
_KEYS: Final = {"descr", "fortran_order", "shape"}
_DATE: Final = (1980, 1, 1, 0, 0, 0)


def _numbers(value: Any) -> np.ndarray:
    array = checked_array(value)
    if array.dtype.kind not in _NUMBERS:
        raise refusal(array.dtype)
    return array


def _bytes_of(array: np.ndarray) -> bytes:
    memory = io.BytesIO()
    npy.write_array(memory, array, allow_pickle=False)
    return memory.getvalue()


def _path(file: Any, ending: str = "") -> str | None:
    """A path as a text, with its ending; None where this is a file object."""
    if isinstance(file, str):
        path = str.__str__(file)
    elif hasattr(type(file), "__fspath__"):
        path = str.__str__(type(file).__fspath__(file))
    else:
        return None
    return path if path.endswith(ending) else path + ending


def _write(file: Any, content: bytes, ending: str) -> None:
    path = _path(file, ending)
    if path is not None:
        with opened(path, "wb") as target:
            target.write(content)
    elif isinstance(file, io.BytesIO):
        type(file).write(file, content)
    else:
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type_name(file)}")


def save(file: Any, arr: Any, allow_pickle: bool = True, fix_imports: Any = None) -> None:
    """One array of numbers, as NumPy's own format has it."""
    _write(file, _bytes_of(_numbers(arr)), ".npy")


def savez(file: Any, *args: Any, **kwds: Any) -> None:
    """Several arrays, by their names; those without one are ``arr_0``, ``arr_1``, ..."""
    _save_all(file, args, kwds, zipfile.ZIP_STORED)


def savez_compressed(file: Any, *args: Any, **kwds: Any) -> None:
    """As `savez`, in less memory."""
    _save_all(file, args, kwds, zipfile.ZIP_DEFLATED)


def _save_all(file: Any, args: tuple[Any, ...], named: dict[str, Any], kind: int) -> None:
    for place, array in enumerate(args):
        if (name := f"arr_{place}") in named:
            raise ValueError(f"Cannot use un-named variables and keyword {name}")
        named[name] = array
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", kind) as archive:
        for name, array in named.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", _DATE), _bytes_of(_numbers(array)), kind)
    _write(file, memory.getvalue(), ".npz")


class NpzFile:
    """The arrays of a file that `savez` wrote; each is read when it is asked for."""

    def __init__(self, content: bytes) -> None:
        self._archive = zipfile.ZipFile(io.BytesIO(content))
        self._names = [name.removesuffix(".npy") for name in self._archive.namelist()]

    @property
    def files(self) -> list[str]:
        """The names."""
        return list(self._names)

    def __getitem__(self, key: Any) -> np.ndarray:
        if type(key) is not str or key not in self._names:
            raise KeyError(f"{key} is not a file in the archive")
        return _array(io.BytesIO(self._archive.read(f"{key}.npy")))

    def __contains__(self, key: Any) -> bool:
        return key in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self._names)

    def keys(self) -> list[str]:
        """The names."""
        return self.files

    def values(self) -> list[np.ndarray]:
        """The arrays."""
        return [self[name] for name in self._names]

    def items(self) -> list[tuple[str, np.ndarray]]:
        """The names with their arrays."""
        return [(name, self[name]) for name in self._names]

    def close(self) -> None:
        """Nothing to close."""

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *raised: Any) -> None: ...


def load(file: Any, mmap_mode: Any = None, allow_pickle: bool = False, **settings: Any) -> Any:
    """The array of a file, or all of those of one that `savez` wrote. Raises what NumPy raises for other contents."""
    path = _path(file)
    if path is not None:
        memory = io.BytesIO(files().read(path))
    elif isinstance(file, io.BytesIO):
        begin = io.BytesIO.tell(file)
        memory = io.BytesIO(io.BytesIO.getvalue(file)[begin:])
    else:
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type_name(file)}")
    content = memory.getvalue()
    if not content:
        raise EOFError("No data left in file")
    if content.startswith(_ZIP):
        return NpzFile(content)
    if not content.startswith(_MAGIC):
        raise errors.CALL_REFUSED(name="load() of a file that `np.save` has not written")
    array = _array(memory)
    if path is None:
        io.BytesIO.seek(file, begin + memory.tell())
    return array


def _array(memory: io.BytesIO) -> np.ndarray:
    begin = memory.read(8)
    if len(begin) < 8 or not begin.startswith(_MAGIC) or begin[6] not in (1, 2, 3):
        raise ValueError("the magic string is not correct; expected b'\\x93NUMPY'")
    length = int.from_bytes(memory.read(2 if begin[6] == 1 else 4), "little")
    if length > _MOST_HEADER:
        raise ValueError("Header info length is large and may not be safe to load securely.")
    dtype, shape, order = _described(memory.read(length).decode("latin-1"))
    count = 1
    for size in shape:
        count *= size
    data = memory.read(count * dtype.itemsize)
    if len(data) != count * dtype.itemsize:
        raise ValueError("Failed to read all data for array. The file is cut short.")
    if dtype.kind == "b":
        truths: np.ndarray = (np.frombuffer(data, np.uint8) != 0).reshape(shape, order=order)
        return truths
    found: np.ndarray = np.frombuffer(data, dtype).reshape(shape, order=order).copy(order="K")
    return found


def _described(header: str) -> tuple[np.dtype, tuple[int, ...], Any]:
    """The dtype, the shape and the order that a header tells of."""
    try:
        told = ast.literal_eval(header.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"Cannot parse header: {header[:80]!r}") from None
    if type(told) is not dict or set(told) != _KEYS or type(told["descr"]) is not str:
        raise ValueError("Header does not contain the correct keys")
    shape = told["shape"]
    if type(shape) is not tuple or not all(type(size) is int and 0 <= size < 2**40 for size in shape):
        raise ValueError(f"shape is not valid: {shape!r:.80}")
    dtype = np.dtype(told["descr"])
    if dtype.kind not in _NUMBERS or dtype.names is not None or dtype.subdtype is not None:
        raise refusal(dtype)
    return short(dtype), shape, "F" if told["fortran_order"] else "C"


def members() -> dict[str, object]:
    """What ``numpy`` shows of it."""
    return {"save": save, "savez": savez, "savez_compressed": savez_compressed, "load": load}


NpzFile.__module__ = "numpy.lib.npyio"
allow(NpzFile, ("close", "files", "items", "keys", "values"))
