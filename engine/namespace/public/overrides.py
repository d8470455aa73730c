"""``torch.overrides``: ``__torch_function__`` asked by functions of the program's own, and modes that see every call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.overriding import asked_kinds, not_asked, overridden
from gradflow.engine.namespace.tensor import own_tensors
from gradflow.engine.sandbox.gate import allow, is_program_class
from gradflow.engine.sandbox.rules import exact_keywords
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor
from gradflow.engine.tensor.device import NO_MODE


class TorchFunctionMode:
    """Inside of its block ``__torch_function__`` of the mode is asked in place of every function of PyTorch that the program calls."""

    inner: Any = None

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        if not is_program_class(type(self)):
            raise errors.CALL_REFUSED(name=f"a mode of {type(self).__name__}")
        STATE.function_modes.append(self)
        if len(STATE.function_modes) == 1:
            own_tensors.watch()
        return self

    def __exit__(self, *problem: object) -> None:
        if not STATE.function_modes:
            raise RuntimeError(NO_MODE)
        STATE.function_modes.pop()
        if not STATE.function_modes:
            own_tensors.watch_no_longer()


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that calls what it sees."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **exact_keywords(kwargs or {}))


class _Disabled:
    """``torch._C.DisableTorchFunctionSubclass()``: inside of its block nothing is asked."""

    _before = True

    def __enter__(self) -> None:
        self._before, STATE.torch_functions = STATE.torch_functions, False

    def __exit__(self, *problem: object) -> None:
        STATE.torch_functions = self._before


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of the arguments, or a mode, wants to be asked."""
    return bool(STATE.function_modes) or (STATE.torch_functions and bool(asked_kinds(tuple(relevant_args), {})))


def _has_any(*relevant_args: Any) -> bool:
    return has_torch_function(relevant_args)


def handle_torch_function(public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """What ``__torch_function__`` of the arguments makes of a call of a function of the program's own."""
    title = f"{getattr(public_api, '__module__', None) or '__main__'}.{getattr(public_api, '__name__', '?')}"
    return overridden(public_api, args, kwargs, title, asked_kinds(tuple(relevant_args), {}))


def is_tensor_like(inp: Any) -> bool:
    """Whether this is a tensor, or can stand for one."""
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def is_tensor_method_or_property(func: Any) -> bool:
    """Whether ``__torch_function__`` got a method or an attribute of a tensor."""
    return isinstance(func, own_tensors.Accessor) or own_tensors.method(getattr(func, "__name__", "")) is func


def resolve_name(f: Any) -> str | None:
    """The name of a function of PyTorch with the module that it is looked for in."""
    name = getattr(f, "__name__", "")
    if isinstance(f, own_tensors.Accessor):
        return f"torch.Tensor.{f.attribute}.{name}"
    if own_tensors.method(name) is f:
        return f"torch.Tensor.{name}"
    functional = torch_nn_functional.functions().get(name) is f or getattr(f, "__module__", "") == "torch.nn.functional"
    home = "torch.nn.functional" if functional else "torch"
    return f"{home}.{name}" if name else None


def wrap_torch_function(dispatcher: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: the function asks the arguments that ``dispatcher`` gives."""

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        wrapped.__name__, wrapped.__qualname__ = func.__name__, func.__qualname__
        return wrapped

    return decorate


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    TorchFunctionMode.__module__ = "torch.overrides"
    allow(TorchFunctionMode, ("inner",), subclass=True)
    allow(_Disabled)
    functions = {
        "has_torch_function": has_torch_function,
        "handle_torch_function": handle_torch_function,
        "is_tensor_like": is_tensor_like,
        "is_tensor_method_or_property": is_tensor_method_or_property,
        "wrap_torch_function": wrap_torch_function,
        "get_default_nowrap_functions": own_tensors.plain_results,
        "has_torch_function_unary": _has_any,
        "has_torch_function_variadic": _has_any,
        "TorchFunctionMode": TorchFunctionMode,
        "BaseTorchFunctionMode": BaseTorchFunctionMode,
        "resolve_name": resolve_name,
    }
    not_asked.__name__ = not_asked.__qualname__ = "_disabled_torch_function_impl"
    switches: dict[str, Any] = {"DisableTorchFunctionSubclass": _Disabled, "DisableTorchFunction": _Disabled}
    switches["_disabled_torch_function_impl"] = not_asked
    return {"torch.overrides": functions, "torch._C": switches}
