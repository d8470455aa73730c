"""What compiles, traces or exports a program in PyTorch: here the program runs as it is, and a note says so once.

``torch.compile``, ``torch.compiler``, ``torch._dynamo``, ``torch.jit``, ``torch.fx``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace import compile_settings
from gradflow.engine.namespace.fx import graph_module, tracing
from gradflow.engine.namespace.fx.graph import Graph, Node
from gradflow.engine.namespace.fx.graph_module import GraphModule
from gradflow.engine.namespace.fx.proxies import Proxy, TraceError
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.module_attributes import TABLES
from gradflow.engine.sandbox.gate import allow, exact_name, is_public, read_attribute, type_name
from gradflow.engine.state import warn

_NOTE: Final = "{name} is not carried out: the program runs as it is written, so that every operation can be seen."


def _noted(name: str) -> None:
    warn(_NOTE.format(name=name), "Note", once=True)


class OptimizedModule(Module):
    """What ``torch.compile`` makes of a module: it calls the module, whose names begin with ``_orig_mod`` here."""

    def __init__(self, mod: Module) -> None:
        if not isinstance(mod, Module):
            raise errors.CALL_REFUSED(name=f"OptimizedModule() of {type_name(mod)}")
        super().__init__()
        self._orig_mod = mod
        self.training = mod.training

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return super().__getattr__(name)
        held = self.__dict__.get("_modules", {}).get("_orig_mod")
        if held is None or not is_public(name):
            return super().__getattr__(name)
        return read_attribute(held, exact_name(name))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The call of the module."""
        return self._orig_mod(*args, **kwargs)


OptimizedModule.__module__ = "torch._dynamo.eval_frame"


def compile(model: Any = None, **settings: Any) -> Any:
    """A module that calls ``model``, or the function ``model`` itself; without one, a decorator."""
    compile_settings.compile(model, **settings)
    if model is None:
        return lambda function: compile(function, **settings)
    _noted("torch.compile")
    if isinstance(model, Module):
        return model if isinstance(model, OptimizedModule) else OptimizedModule(model)
    return _callable(model)


def _callable(given: Any) -> Any:
    if not callable(given):
        raise errors.MODULE_RUNTIME(message=f"torch.compile requires a callable, got {type_name(given)}")
    return given


def _as_it_is(name: str) -> Callable[..., Any]:
    """A function that gives its first argument back, or is a decorator with settings that does."""

    def pass_on(given: Any = None, *args: Any, **kwargs: Any) -> Any:
        _noted(name)
        return given if callable(given) or isinstance(given, type) else lambda function: function

    pass_on.__name__ = pass_on.__qualname__ = name.rpartition(".")[2]
    return pass_on


def _marking(name: str) -> Callable[..., Any]:
    """A decorator that only marks a function for a compiler, with settings or without."""

    def mark(given: Any = None, *args: Any, **kwargs: Any) -> Any:
        return given if callable(given) else lambda function: function

    mark.__name__ = mark.__qualname__ = name
    return mark


def _nothing(*args: object, **kwargs: object) -> None:
    """Nothing to do without a compiler."""


def _no(*args: object) -> bool:
    return False


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value."""
    return the_value


class _Optimized:
    """``torch.jit.optimized_execution`` and its kind: a block in which nothing is different."""

    def __init__(self, *args: object) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *args: object) -> None: ...


_JIT: Final[dict[str, Any]] = {
    **{name: _as_it_is(f"torch.jit.{name}") for name in ("script", "trace", "freeze", "optimize_for_inference")},
    **{
        name: _marking(name)
        for name in ("ignore", "export", "unused", "script_method", "script_if_tracing", "interface")
    },
    "trace_module": _as_it_is("torch.jit.trace_module"),
    "is_scripting": _no,
    "is_tracing": _no,
    "isinstance": isinstance,
    "annotate": annotate,
    "Attribute": lambda value, type: value,
    "ScriptModule": Module,
    "Final": Final,
    "enable_onednn_fusion": _nothing,
    "optimized_execution": _Optimized,
}
_MARKS: Final = {name: _marking(name) for name in ("disable", "allow_in_graph", "assume_constant_result", "run")}
_COMPILER: Final[dict[str, Any]] = {
    **_MARKS,
    **dict.fromkeys(("reset", "cudagraph_mark_step_begin"), _nothing),
    **dict.fromkeys(("is_compiling", "is_dynamo_compiling", "is_exporting"), _no),
    "set_stance": _Optimized,
    "compile": compile,
    "list_backends": lambda: ["cudagraphs", "inductor"],
}
_DYNAMO: Final[dict[str, Any]] = {
    **_MARKS,
    **dict.fromkeys(("reset", "mark_dynamic", "mark_static", "graph_break"), _nothing),
    "optimize": lambda *settings, **more: _as_it_is("torch._dynamo.optimize"),
    "is_compiling": _no,
    "OptimizedModule": OptimizedModule,
}
_CONFIG: Final = {
    "suppress_errors": False, "verbose": False, "cache_size_limit": 8, "recompile_limit": 8, "dynamic_shapes": True,
    "automatic_dynamic_shapes": True, "assume_static_by_default": True, "capture_scalar_outputs": False,
    "optimize_ddp": True, "specialize_int": False, "accumulated_cache_size_limit": 256,
}  # fmt: skip


_GRAPH_MODULE: Final = "code delete_all_unused_submodules forward graph recompile"


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    allow(OptimizedModule, (), readable=_readable, of_class=_of_class, writable=is_public, subclass=True)
    allow(_Optimized)
    shown = _GRAPH_MODULE.split()
    allow(GraphModule, shown, readable=_readable, of_class=_of_class, writable=is_public, subclass=True)
    allow(graph_module.Interpreter, graph_module.INTERPRETER.split(), writable=is_public, subclass=True)
    trace = {**tracing.members(), **graph_module.members(), "Proxy": Proxy}
    return {
        "torch": {"compile": compile},
        "torch.jit": _JIT,
        "torch.compiler": _COMPILER,
        "torch._dynamo": _DYNAMO,
        "torch._dynamo.config": _CONFIG,
        "torch.fx": trace,
        "torch.fx.graph": {"Graph": Graph},
        "torch.fx.node": {"Node": Node},
        "torch.fx.graph_module": {"GraphModule": GraphModule},
        "torch.fx.interpreter": {"Interpreter": graph_module.Interpreter},
        "torch.fx.proxy": {"Proxy": Proxy, "TraceError": TraceError},
    }


def _readable(module: Any, name: str) -> bool:
    return name in ("_orig_mod", *TABLES) or (is_public(name) and hasattr(module, name))


def _of_class(module: Any, name: str) -> bool:
    return name in TABLES or is_public(name)
