"""``torch.library.custom_op`` and ``torch.ops``: functions of the program that have names, and gradients of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.autograd.function.function import Function
from gradflow.engine.sandbox.gate import allow, exact_name, is_public
from gradflow.engine.sandbox.stand_ins import MISSING, Module
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor

_NAME: Final = re.compile(r"([A-Za-z]\w*)::([A-Za-z]\w*)")


class CustomOpDef:
    """A function of the program under a name: ``namespace::name``."""

    def __init__(self, namespace: str, name: str, function: Callable[..., Any]) -> None:
        self._title, self._function = f"{namespace}.{name}", function
        self._backward: Callable[..., Any] | None = None
        self._setup: Callable[..., Any] | None = None
        self._node_name = f"GeneratedBackwardFor_{namespace}_{name}_default"

    def register_autograd(self, backward: Any, /, *, setup_context: Any = None) -> None:
        """What computes the gradients, and what is kept for it."""
        self._backward, self._setup = backward, setup_context

    def register_fake(self, fn: Any, /) -> Any:
        """What knows the shape of the result: of no use here, where the function itself runs."""
        return fn

    register_vmap = register_fake

    def register_kernel(self, device_types: Any, fn: Any = None, /) -> Any:
        """Another function for some devices; that for the CPU takes the place of the first."""

        def enter(function: Any) -> Any:
            kinds = (device_types,) if isinstance(device_types, str | None) else tuple(device_types)
            if None in kinds or "cpu" in kinds:
                self._function = function
            return function

        return enter if fn is None else enter(fn)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        tensors = [each for each in (*args, *kwargs.values()) if isinstance(each, Tensor)]
        if not (STATE.grad and any(each.requires_grad for each in tensors)):
            return self._function(*args, **kwargs)
        return self._differentiable().apply(*args, **kwargs)

    def _differentiable(self) -> type[Function]:
        """The function with its gradients, as a class of ``torch.autograd.Function``."""
        backward = self._backward or self._missing
        setup = self._setup or (lambda ctx, inputs, output: None)
        members = {
            "forward": staticmethod(self._function),
            "setup_context": staticmethod(lambda ctx, inputs, output: setup(ctx, inputs, output)),
            "backward": staticmethod(backward),
        }
        return type(self._node_name, (Function,), members)

    def _missing(self, ctx: Any, *gradients: Any) -> Any:
        raise errors.FUNCTION_MISUSE(
            message=f"Trying to backward through {self._title}.default but no autograd formula was registered. Please use"
            " register_autograd to add one."
        )

    @property
    def default(self) -> CustomOpDef:
        """The one form of the function."""
        return self

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._title.replace('.', '::')})>"


def custom_op(
    name: Any, fn: Any = None, /, *, mutates_args: Any, device_types: Any = None, schema: Any = None, tags: Any = None
) -> Any:
    """A function under a name, or a decorator that makes one. Raises ValueError for a name without ``::``."""
    found = _NAME.fullmatch(exact_name(name))
    if found is None:
        raise errors.MODULE_ARGUMENT(message=f"Expected `name` to be of the form `namespace::name`, got {name}")
    namespace, own = found.groups()

    def define(function: Callable[..., Any]) -> CustomOpDef:
        made = CustomOpDef(namespace, own, function)
        setattr(_operators(namespace), own, made)
        return made

    return define if fn is None else define(fn)


def _operators(namespace: str) -> Module:
    """``torch.ops.namespace``, which this run fills."""
    return Module(f"torch.ops.{namespace}", {})


class _Ops:
    """``torch.ops``: the functions that the program itself has named."""

    def get(self, module: str, name: str) -> object:
        """The functions of a namespace, if there are any."""
        return _operators(name) if f"torch.ops.{name}" in STATE.module_attributes else MISSING

    def names(self, module: str) -> Any:
        """The namespaces of this run."""
        return (name.rpartition(".")[2] for name in STATE.module_attributes if name.startswith("torch.ops."))

    def starred(self, module: str) -> Any:
        """None."""
        return ()


def _by_name(register: str) -> Callable[..., Any]:
    """``torch.library.register_fake("ns::name")`` and its like: the method of the function of this name."""

    def registered(op: Any, *given: Any, **settings: Any) -> Any:
        made = op if isinstance(op, CustomOpDef) else _named(op)
        return getattr(made, register)(*given, **settings) if given else getattr(made, register)

    registered.__name__ = registered.__qualname__ = register
    return registered


def _named(op: Any) -> CustomOpDef:
    namespace, _, own = exact_name(op).removesuffix(".default").partition("::")
    made = STATE.module_attributes.get(f"torch.ops.{namespace}", {}).get(own)
    if not isinstance(made, CustomOpDef):
        raise errors.MODULE_RUNTIME(message=f"operator {op} does not exist")
    return made


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    CustomOpDef.__module__ = "torch._library.custom_ops"
    allow(CustomOpDef, [name for name in dir(CustomOpDef) if is_public(name)])
    registering = ("register_autograd", "register_fake", "register_kernel", "register_vmap")
    library = {"custom_op": custom_op, **{name: _by_name(name) for name in registering}}
    return {"torch.library": library, "torch": {"ops": Module("torch.ops", {}, _Ops())}}
