"""What PyTorch may do at another time or elsewhere, and does here at once: ``torch.jit.fork``, futures, ``torch.cpu``, ``torch.cond``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gradflow.engine.namespace.checked_calls import checked
from gradflow.engine.namespace.tensor_arguments import need
from gradflow.engine.sandbox.gate import allow, type_name
from gradflow.engine.tensor import Tensor


class Future:
    """A value that is there, or will be set."""

    def __init__(self, *, devices: Any = None) -> None:
        self._value: Any = None
        self._done = False
        self._error: Exception | None = None

    def done(self) -> bool:
        """Whether it is there."""
        return self._done

    def wait(self) -> Any:
        """The value. Raises what was set in its place."""
        if not self._done:
            raise RuntimeError("waiting for a value that nobody sets")
        if self._error is not None:
            raise self._error
        return self._value

    value = wait

    def set_result(self, result: Any) -> None:
        """Set it."""
        self._value, self._done = result, True

    def set_exception(self, result: Exception) -> None:
        """Set an error in its place."""
        self._error, self._done = result, True

    def then(self, callback: Callable[[Future], Any]) -> Future:
        """What a function makes of it."""
        made = Future()
        try:
            made.set_result(callback(self))
        except Exception as error:  # it is raised where the value is asked for
            made.set_exception(error)
        return made

    def add_done_callback(self, callback: Callable[[Future], Any]) -> None:
        """Call a function with it."""
        callback(self)


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future:
    """``torch.jit.fork``: a call whose result is waited for."""
    made = Future()
    try:
        made.set_result(func(*args, **kwargs))
    except Exception as error:  # as above
        made.set_exception(error)
    return made


def wait(future: Future) -> Any:
    """``torch.jit.wait``."""
    (own,) = _futures("wait", [future])
    return own.wait()


def _futures(function: str, given: Iterable[Any]) -> list[Future]:
    """Raises TypeError where something else is among them."""
    futures = list(given)
    for each in futures:
        if not isinstance(each, Future):
            raise TypeError(f"{function}(): a torch.futures.Future is expected, not {type_name(each)}")
    return futures


def _wait_all(futures: list[Future]) -> list[Any]:
    return [each.wait() for each in _futures("wait_all", futures)]


def _collect_all(futures: list[Future]) -> Future:
    made = Future()
    made.set_result(_futures("collect_all", futures))
    return made


class set_multithreading_enabled:
    """Whether backward passes use several threads: they use one."""

    def __init__(self, mode: bool) -> None:
        self._mode = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *problem: object) -> None:
        pass


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()) -> Any:
    """The result of one of two functions."""
    return (true_fn if bool(pred) else false_fn)(*operands)


def detach(input: Tensor) -> Tensor:
    """The same memory outside of the graph."""
    return need(input, "detach").detach()


def _nothing(*given: object, **named: object) -> None:
    """Nothing to do with one thread and one processor."""


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    Future.__module__ = "torch.futures"
    public = ("add_done_callback", "done", "set_exception", "set_result", "then", "value", "wait")
    allow(Future, public, subclass=True)
    allow(set_multithreading_enabled)
    futures = {"Future": Future, "wait_all": _wait_all, "collect_all": _collect_all}
    processor = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: "cpu",
        "synchronize": _nothing,
    }
    return {
        "torch.futures": futures,
        "torch.jit": {"fork": fork, "wait": wait, "Future": Future},
        "torch.cpu": processor,
        "torch.autograd": {"set_multithreading_enabled": set_multithreading_enabled},
        "torch": {
            "cond": cond,
            "detach": checked("detach", detach),
            "detach_": checked("detach_", lambda input: need(input, "detach_").detach_()),
            "get_device": lambda input: need(input, "get_device").get_device(),
            "get_num_interop_threads": lambda: 1,
            "set_num_interop_threads": _nothing,
            "set_warn_always": _nothing,
        },
    }
