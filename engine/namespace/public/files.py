"""``torch.save`` and ``torch.load`` within one run: what is saved is copied and kept under a number until the run ends.

Nothing is written to a file and no bytes are taken apart: what lies in a buffer is the number, by which `load` finds the
copy again. A path leads to the number in a table of the run. Tensors that share memory share it again when loaded.
"""

from __future__ import annotations

import io
from _pickle import PicklingError, UnpicklingError
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Buffer, Parameter
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.namespace.optim.schedulers import LRScheduler
from gradflow.engine.namespace.tensor.storages import UntypedStorage
from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.sandbox.gate import allow, is_copyable, is_open, type_name
from gradflow.engine.sandbox.library.copies import Copies, is_unchanging, rebuilt
from gradflow.engine.sandbox.library.files import store
from gradflow.engine.state import warn
from gradflow.engine.tensor import Size, Tensor, dtypes
from gradflow.engine.tensor.device import KINDS, device
from gradflow.engine.tensor.storage import copied_memory

_MAGIC: Final = b"gradflow\0"
_PLAIN: Final = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), dtypes.dtype, device, range, slice)
_UNLISTED: Final = (range, slice, type(Ellipsis))
_ATTRIBUTES: Final = (Module, Optimizer, LRScheduler)
_KEPT: Final = (FunctionType, BuiltinFunctionType, type)
_WEIGHTS: Final = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps only if"
    " you trust the source of the checkpoint\x1b[0m. \n\t(1) In PyTorch 2.6, we changed the default value of the"
    " `weights_only` argument in `torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` set to"
    " `False` will likely succeed, but it can result in arbitrary code execution. Do it only if you got the file from a"
    " trusted source.\n\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the"
    " following error message.\n\tWeightsUnpickler error: Unsupported global: GLOBAL {name} was not an allowed global by"
    " default. Please use `torch.serialization.add_safe_globals([{name}])` or the"
    " `torch.serialization.safe_globals([{name}])` context manager to allowlist this global if you trust this"
    " class/function.\n\nCheck the documentation of torch.load to learn more about types accepted by default with"
    " weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
)
_NO_CARD: Final = (
    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a"
    " CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
)


class _Copier:
    """Copies what can be saved. ``unlisted`` are the names of types that ``weights_only=True`` refuses."""

    def __init__(self) -> None:
        self._memory: dict[int, Any] = {}
        self._made: dict[int, Any] = {}
        self._kept: list[Any] = []
        self.unlisted: list[tuple[str, Any]] = []
        self.tensors = 0

    def __call__(self, value: Any) -> Any:
        cls = type(value)
        if cls in _PLAIN:
            if cls in _UNLISTED:
                self._refuse_later(value)
            return value
        if id(value) in self._made:
            return self._made[id(value)]
        self._kept.append(value)  # its id stays its own as long as this copier lives
        return self._copied(value, cls)

    def _note(self, value: Any, made: Any) -> Any:
        self._made[id(value)] = made
        return made

    def _refuse_later(self, value: Any) -> None:
        self.unlisted.append((_global(value), type(value)))

    def _copied(self, value: Any, cls: type) -> Any:
        if cls in (Tensor, Parameter, Buffer):
            return self._note(value, self._tensor(value, cls))
        if cls in (dict, OrderedDict, Counter):
            return self._mapping(value, cls)
        if cls is list:
            made = self._note(value, [])
            made.extend(map(self, value))
            return made
        if cls in (tuple, set, frozenset, Size):
            return self._note(value, cls(map(self, value)))
        self._refuse_later(value)
        if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc":
            return self._note(value, value.copy())
        if isinstance(value, UntypedStorage):
            return self._note(value, value.clone())
        if isinstance(value, _KEPT):
            return self._function(value)
        return self._object(value, cls)

    def _tensor(self, tensor: Tensor, cls: type) -> Tensor:
        self.tensors += 1
        array, storage = copied_memory(tensor, self._memory)
        requires_grad = tensor.requires_grad
        if cls is Parameter:
            return Parameter(Tensor(array, storage), requires_grad)
        if cls is Buffer:
            return Buffer(Tensor(array, storage), persistent=tensor.persistent)  # type: ignore[attr-defined]  # a buffer
        return Tensor(array, storage, requires_grad)

    def _mapping(self, mapping: Any, cls: type) -> Any:
        made = self._note(mapping, cls())
        for key, value in mapping.items():
            made[self(key)] = self(value)
        metadata = getattr(mapping, "_metadata", None)
        if metadata is not None:
            made._metadata = self(metadata)
        return made

    def _function(self, value: Any) -> Any:
        if isinstance(value, FunctionType) and value.__name__ == "<lambda>":
            raise PicklingError(f"Can't pickle {value!r}: attribute lookup <lambda> on __main__ failed")
        return value

    def _object(self, value: Any, cls: type) -> Any:
        """An object that is nothing but its attributes; others as ``copy.deepcopy`` makes them anew."""
        if isinstance(value, Enum):
            return value
        if is_unchanging(cls):
            return value
        if cls is partial:
            return self._note(value, _Copies(self).made(value, cls))
        if isinstance(value, MethodType) or not (is_copyable(cls) or isinstance(value, _ATTRIBUTES)):
            raise TypeError(f"cannot pickle '{type_name(value)}' object")
        own = (is_open(cls) and not issubclass(cls, BaseException)) or isinstance(value, _ATTRIBUTES)
        plain = vars(object)["__new__"] is getattr(cls, "__new__", None)
        if not own or not plain or not hasattr(value, "__dict__"):
            return self._note(value, rebuilt(value, _Copies(self)))
        made = self._note(value, object.__new__(cls))
        made.__dict__.update({name: self(held) for name, held in value.__dict__.items()})
        return made


class _Copies(Copies):
    """The copies that a `Copier` makes, for what makes an object anew."""

    def __init__(self, copier: Callable[[Any], Any]) -> None:
        super().__init__({})
        self.copy_of = copier  # type: ignore[assignment,method-assign]  # in place of its own way


def _global(value: Any) -> str:
    """What a refusal calls the class of a value, or a function."""
    if isinstance(value, np.ndarray | np.generic):
        return f"numpy._core.multiarray.{'_reconstruct' if isinstance(value, np.ndarray) else 'scalar'}"
    named = value if isinstance(value, _KEPT) else type(value)
    home = getattr(named, "__module__", None) or "builtins"
    return f"{named.__qualname__}" if home == "builtins" else f"{home}.{named.__qualname__}"


class _Files:
    """What one run has saved."""

    def __init__(self) -> None:
        self.saved: list[tuple[Any, list[tuple[str, Any]], int]] = []
        self.safe: list[Any] = []


def _files() -> _Files:
    if store.files().saved is None:
        store.files().saved = _Files()
    held: _Files = store.files().saved
    return held


def _is_path(f: Any) -> bool:
    return isinstance(f, str) or (not isinstance(f, io.IOBase) and hasattr(type(f), "__fspath__"))


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Keep a copy of an object under a path, or in a buffer, for this run.

    Tensors, parameters, modules, optimizers, arrays, numbers, texts, their containers, and objects of the program's own
    classes can be saved. Raises TypeError for others, PicklingError for a ``lambda``, AttributeError for no file.
    """
    if not _is_path(f) and not isinstance(f, io.BytesIO):
        message = "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
        raise errors.FILE_KIND(message=message)
    files, copier = _files(), _Copier()
    copied = copier(obj)
    token = _MAGIC + len(files.saved).to_bytes(4, "little")
    files.saved.append((copied, copier.unlisted, copier.tensors))
    if not _is_path(f):
        f.write(token)
        return
    warn("What is saved under a path is kept for this run only: no file is written.", "Note", once=True)
    store.files().write(f, token)


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """What this run has saved under a path or in a buffer, as a copy.

    Raises FileNotFoundError for an unknown path, EOFError at the end of a buffer, UnpicklingError for other bytes and,
    unless ``weights_only`` is False, for more than tensors and plain data, RuntimeError for a device that is not there.
    """
    files, token = _files(), _token(f)
    if not token:
        raise EOFError
    number = int.from_bytes(token[len(_MAGIC) :], "little")
    if not token.startswith(_MAGIC) or number >= len(files.saved):
        raise UnpicklingError(f"invalid load key, '{chr(token[0])}'.")
    saved, unlisted, tensors = files.saved[number]
    if weights_only is None or weights_only:
        for name, cls in unlisted:
            if cls not in files.safe:
                raise UnpicklingError(_WEIGHTS.format(name=name))
    if tensors:
        _check_location(map_location)
    return _Copier()(saved)


def _token(f: Any) -> bytes:
    if _is_path(f):
        return store.files().read(f)
    if not isinstance(f, io.BytesIO):
        raise errors.FILE_KIND(
            message=f"'{type_name(f)}' object has no attribute 'seek'. You can only torch.load from a file that is"
            " seekable. Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
        )
    return io.BytesIO.read(f, len(_MAGIC) + 4)


def _check_location(wanted: Any) -> None:
    if not isinstance(wanted, str | device):
        return
    kind = str(wanted).partition(":")[0]
    if kind == "cuda":
        raise errors.MODULE_RUNTIME(message=_NO_CARD)
    if kind not in KINDS:
        raise errors.MODULE_RUNTIME(
            message=f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {wanted})"
        )
    if kind != "cpu":
        raise errors.ARGUMENT_NOT_PROVIDED(function="torch.load", argument=f"map_location={kind!r}")


def add_safe_globals(safe_globals: Any) -> None:
    """Have ``weights_only=True`` let these classes and functions pass."""
    _files().safe.extend(safe_globals)


def clear_safe_globals() -> None:
    """Let pass what passes by default."""
    _files().safe.clear()


@contextmanager
def safe_globals(safe_globals: Any) -> Iterator[None]:
    """Within the block, have ``weights_only=True`` let these pass."""
    before = list(_files().safe)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _files().safe[:] = before


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    pair = {"save": save, "load": load}
    more: dict[str, Any] = {f.__name__: f for f in (add_safe_globals, clear_safe_globals, safe_globals)}
    more["get_safe_globals"] = lambda: list(_files().safe)
    compiled = {"save": _save_compiled, "load": _load_compiled}
    return {"torch": pair, "torch.serialization": {**pair, **more}, "torch.jit": compiled}


def _save_compiled(m: Any, f: Any, _extra_files: Any = None) -> None:
    """``torch.jit.save``: the module itself is kept."""
    save(m, f)


def _load_compiled(f: Any, map_location: Any = None, _extra_files: Any = None, **options: Any) -> Any:
    """``torch.jit.load``."""
    return load(f, map_location, weights_only=False)


allow(UnpicklingError, ("args",))
allow(PicklingError, ("args",))
