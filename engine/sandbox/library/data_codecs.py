"""Hashes, compression and packed numbers of data in memory: ``hashlib``, ``zlib``, ``gzip``, ``struct``."""

from __future__ import annotations

import gzip
import hashlib
import io
import struct
import zlib
from collections.abc import Callable
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import allow
from gradflow.engine.sandbox.library.files.opened import opened

_HASHES: Final = (
    "blake2b blake2s md5 new sha1 sha224 sha256 sha384 sha3_224 sha3_256 sha3_384 sha3_512 sha512 shake_128 shake_256"
)
_NAMES_OF_HASHES: Final = ("algorithms_available", "algorithms_guaranteed")
_HASH: Final = ("block_size", "copy", "digest", "digest_size", "hexdigest", "name", "update")
_ZLIB: Final = (
    "adler32 compress compressobj crc32 decompress decompressobj error DEFLATED MAX_WBITS Z_BEST_COMPRESSION"
    " Z_BEST_SPEED Z_DEFAULT_COMPRESSION Z_FINISH Z_NO_FLUSH Z_SYNC_FLUSH"
)
_GZIP: Final = "close closed flush name read readable readline readlines seek tell writable write writelines"
_STRUCT: Final = "Struct calcsize error iter_unpack pack unpack unpack_from"


class GzipFile(io.BytesIO):
    """``gzip.GzipFile``: what was packed, read whole; what is written goes packed to its file when it is closed."""

    def __init__(
        self, filename: Any = None, mode: str = "rb", compresslevel: int = 9, fileobj: Any = None, mtime: Any = None
    ) -> None:
        self._target = None
        if fileobj is None:
            fileobj = opened(filename, f"{mode[:1]}b")
        if not isinstance(fileobj, io.BytesIO):
            raise errors.CALL_REFUSED(name="GzipFile() of a file object other than io.BytesIO and open()")
        self.name, self._level = filename, compresslevel
        if mode[:1] in ("w", "a", "x"):
            super().__init__()
            self._target, self._owned = fileobj, filename is not None
        else:
            super().__init__(gzip.decompress(fileobj.read()))

    def close(self) -> None:
        """Pack what was written, and put it into the file."""
        target, self._target = self._target, None
        if target is not None:
            target.write(gzip.compress(self.getvalue(), self._level))
            if self._owned:
                target.close()
        super().close()


def _open(filename: Any, mode: str = "rb", compresslevel: int = 9, encoding: Any = None, **options: Any) -> Any:
    """``gzip.open``, of a path that this run knows or of a file in memory."""
    in_memory = isinstance(filename, io.BytesIO)
    binary = GzipFile(None if in_memory else filename, mode, compresslevel, filename if in_memory else None)
    if "t" not in mode:
        return binary
    if mode[:1] != "r":
        raise errors.CALL_REFUSED(name="gzip.open() for writing texts")
    return io.StringIO(binary.read().decode(encoding or "utf-8"))


def _unmapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of ``gzip`` by its own arguments, none of which is a file."""

    def call(data: Any, *settings: Any, **named: Any) -> Any:
        return function(data, *settings, **named)

    call.__name__ = call.__qualname__ = function.__name__
    return call


def members() -> dict[str, dict[str, object]]:
    """The modules by name."""
    return {
        "hashlib": {
            **{name: getattr(hashlib, name) for name in _HASHES.split()},
            **{name: set(getattr(hashlib, name)) for name in _NAMES_OF_HASHES},
        },
        "zlib": {name: getattr(zlib, name) for name in _ZLIB.split()},
        "struct": {name: getattr(struct, name) for name in _STRUCT.split()},
        "gzip": {
            "compress": _unmapped(gzip.compress),
            "decompress": _unmapped(gzip.decompress),
            "open": _open,
            "GzipFile": GzipFile,
            "BadGzipFile": gzip.BadGzipFile,
        },
    }


def _register() -> None:
    for make in (hashlib.md5, hashlib.sha3_256, hashlib.shake_128, hashlib.blake2b, hashlib.blake2s):
        allow(type(make(b"")), _HASH)
    allow(type(zlib.compressobj()), ("compress", "copy", "flush"))
    allow(type(zlib.decompressobj()), ("copy", "decompress", "eof", "flush", "unconsumed_tail", "unused_data"))
    allow(struct.Struct, ("format", "iter_unpack", "pack", "size", "unpack", "unpack_from"), shown_as=struct.Struct)
    allow(type(struct.iter_unpack("b", b"a")))
    allow(GzipFile, _GZIP.split(), shown_as=GzipFile)
    GzipFile.__module__ = "gzip"


_register()
