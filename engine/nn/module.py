"""`Module`: parameters, buffers and modules by name, and a forward function."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from engine import dtypes, errors
from engine.guards import type_name
from engine.hooks import RemovableHandle, register
from engine.nn import loading
from engine.nn.parameter import Parameter
from engine.state import STATE
from engine.tensor import Storage, Tensor

_TABLES = ("_parameters", "_buffers", "_modules")
_HOOKS = ("_forward_pre_hooks", "_forward_hooks", "_backward_hooks")


class Module:
    """The base of all layers and networks."""

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]
    _forward_pre_hooks: dict[int, Any]
    _forward_hooks: dict[int, Any]
    _backward_hooks: dict[int, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs:
            name = f"{type(self).__name__}.__init__()"
            raise TypeError(f"{name} got an unexpected keyword argument '{next(iter(kwargs))}'")
        if args:
            more = len(args) + 1
            raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {more} were given")
        object.__setattr__(self, "training", True)
        for name in (*_TABLES, *_HOOKS):
            object.__setattr__(self, name, OrderedDict() if name in _HOOKS else {})
        object.__setattr__(self, "_non_persistent_buffers_set", set())

    # -- calling --------------------------------------------------------------------------------------------------

    def forward(self, *input: Any) -> Any:
        """What the module computes; every subclass defines it."""
        raise errors.NO_FORWARD(type=type(self).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        before = STATE.modules
        STATE.modules = (*before, self)
        try:
            if any(map(vars(self).get, _HOOKS)):
                return self._call_with_hooks(args, kwargs)
            return self.forward(*args, **kwargs)
        finally:
            STATE.modules = before

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        for hook, with_kwargs in list(self._forward_pre_hooks.values()):
            if with_kwargs:
                changed = hook(self, args, kwargs)
                args, kwargs = (args, kwargs) if changed is None else changed
            else:
                changed = hook(self, args)
                args = args if changed is None else changed if isinstance(changed, tuple) else (changed,)
        backward = loading.BackwardHooks(self, list(self._backward_hooks.values())) if self._backward_hooks else None
        if backward is not None:
            args = backward.inputs(args)
        result = self.forward(*args, **kwargs)
        for hook, with_kwargs in list(self._forward_hooks.values()):
            changed = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            result = result if changed is None else changed
        return result if backward is None else backward.outputs(result)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after every call; what it returns takes the place of the output."""
        return _hooked(self._forward_hooks, (hook, with_kwargs), prepend)

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before every call; what it returns takes the place of the arguments."""
        return _hooked(self._forward_pre_hooks, (hook, with_kwargs), prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the inputs are known."""
        return _hooked(self._backward_hooks, hook, prepend)

    # -- attributes -----------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        for table in _TABLES:
            held = self.__dict__.get(table)
            if held is not None and name in held:
                return held[name]
        raise errors.NO_ATTRIBUTE(type=type(self).__name__, name=name, value=self)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._begin("parameters")
            self._release(name, "_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._begin("module")
            self._release(name, "_modules")
            self._modules[name] = value
        elif not self._set_registered(name, value):
            object.__setattr__(self, name, value)

    def _begin(self, what: str) -> None:
        if "_parameters" not in self.__dict__:
            raise errors.MODULE_NOT_BEGUN(what=what)

    def _release(self, name: str, keep: str) -> None:
        """Take a name out of the other tables."""
        self.__dict__.pop(name, None)
        for table in _TABLES:
            if table != keep:
                self.__dict__[table].pop(name, None)

    def _set_registered(self, name: str, value: Any) -> bool:
        """Replace a registered attribute by None or by something of its kind; whether it is one."""
        for table, kind, wanted, word in (
            ("_parameters", Parameter, "torch.nn.Parameter or None", "parameter"),
            ("_modules", Module, "torch.nn.Module or None", "child module"),
            ("_buffers", Tensor, "torch.nn.Buffer, torch.Tensor or None", "buffer"),
        ):
            held = self.__dict__.get(table)
            if held is not None and name in held:
                if value is not None and not isinstance(value, kind):
                    raise errors.MODULE_ASSIGNMENT(given=_full_name(value), what=word, name=name, wanted=wanted)
                held[name] = value
                return True
        return False

    def __delattr__(self, name: str) -> None:
        for table in _TABLES:
            if name in self.__dict__.get(table, ()):
                del self.__dict__[table][name]
                return
        object.__delattr__(self, name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name."""
        self._begin("parameter")
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise errors.MODULE_REGISTER(given=_full_name(param), what="parameter", name=name)
        if param is not None and param._node is not None:
            raise errors.PARAMETER_NON_LEAF(name=name)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is state but no parameter."""
        self._begin("buffer")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise errors.BUFFER_TYPE(given=_full_name(tensor), name=name)
        self._buffers[name] = tensor
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a module under a name."""
        if module is not None and not isinstance(module, Module):
            raise errors.NO_MODULE_SUBCLASS(given=_full_name(module))
        self._check_name("module", name, self._modules)
        self._modules[name] = module

    register_module = add_module

    def _check_name(self, what: str, name: object, known: Any) -> None:
        if not isinstance(name, str):
            raise errors.MODULE_NAME_TYPE(what=what, type=_full_name(name))
        if hasattr(self, name) and name not in known:
            raise errors.MODULE_NAME_TAKEN(name=name)
        if "." in name:
            raise errors.MODULE_NAME(what=what, reason='can\'t contain "."')
        if not name:
            raise errors.MODULE_NAME(what=what, reason='can\'t be empty string ""')

    # -- what it holds --------------------------------------------------------------------------------------------

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all inside it, with their paths."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """This module and all inside it."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly inside, by name."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly inside."""
        for _, module in self.named_children():
            yield module

    def _named(self, table: str, prefix: str, recurse: bool, once: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=once) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, held in getattr(module, table).items():
                if held is None or id(held) in seen:
                    continue
                if once:
                    seen.add(id(held))
                yield (f"{path}.{name}" if path else name), held

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their paths."""
        return self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters."""
        for _, held in self.named_parameters(recurse=recurse):
            yield held

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their paths."""
        return self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers."""
        for _, held in self.named_buffers(recurse=recurse):
            yield held

    def get_submodule(self, target: str) -> Module:
        """The module at a path."""
        found: Any = self
        for name in target.split(".") if target else ():
            held = found._modules.get(name)
            if held is None:
                raise errors.NO_SUBMODULE(type=type(found).__name__, name=name)
            found = held
        return found  # type: ignore[no-any-return]  # a Module, as the tables hold no other

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name not in module._parameters:
            raise errors.NO_ATTRIBUTE(type=type(module).__name__, name=name, value=module)
        return module._parameters[name]  # type: ignore[return-value]  # None only where the program registered None

    # -- state ----------------------------------------------------------------------------------------------------

    def state_dict(self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """All parameters and lasting buffers by path, outside the graph."""
        result: Any = OrderedDict() if destination is None else destination
        if destination is None:
            result._metadata = {"version": 1}
        loading.save(self, result, prefix, keep_vars)
        return result

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Copy values by path. Raises RuntimeError for paths that are missing or unknown, or for other shapes."""
        return loading.load(self, state_dict, strict)

    # -- changing all of it ---------------------------------------------------------------------------------------

    def apply(self, fn: Callable[[Module], Any]) -> Any:
        """Call a function with every module inside, and with this one last."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Any:
        """Set training mode in this module and all inside it."""
        if not isinstance(mode, bool):
            raise errors.TRAINING_MODE()
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Any:
        """Leave training mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Set whether gradients are wanted for the parameters."""
        for p in self.parameters():
            p.requires_grad = requires_grad
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of the parameters, or set them to 0."""
        loading.zero_grads(self.parameters(), set_to_none)

    def to(self, *args: Any, dtype: Any = None, device: Any = None, non_blocking: bool = False) -> Any:
        """Convert floating point parameters and buffers to a dtype."""
        for given in args:
            dtype = given if isinstance(given, dtypes.dtype) else given.dtype if isinstance(given, Tensor) else dtype
        return self if dtype is None else self._convert(dtype)

    def _convert(self, kind: dtypes.dtype) -> Any:
        held: Iterable[Tensor] = [*self.parameters(), *self.buffers()]
        for tensor in held:
            if tensor.is_floating_point() and tensor.dtype is not kind:
                if STATE.recorder is not None:
                    STATE.recorder.forget(tensor)
                tensor._a, tensor._st = tensor._a.astype(kind.numpy), Storage()
                if tensor._grad is not None:
                    tensor._grad = Tensor(tensor._grad._a.astype(kind.numpy))
        return self

    def double(self) -> Any:
        """To float64."""
        return self._convert(dtypes.float64)

    def float(self) -> Any:
        """To float32."""
        return self._convert(dtypes.float32)

    def half(self) -> Any:
        """To float16."""
        return self._convert(dtypes.float16)

    def cpu(self) -> Any:
        """The module itself: everything is on the CPU."""
        return self

    # -- printing -------------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """What stands between the brackets besides the modules inside."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extras = extra.split("\n") if extra else []
        inner = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        name = self._get_name()
        if len(extras) == 1 and not inner:
            return f"{name}({extras[0]})"
        lines = extras + inner
        return f"{name}(" + ("\n  " + "\n  ".join(lines) + "\n" if lines else "") + ")"


def indented(text: str) -> str:
    """All lines but the first two columns further in."""
    return text.replace("\n", "\n  ")


def _hooked(table: dict[int, Any], hook: Any, prepend: bool) -> RemovableHandle:
    handle = register(table, hook)
    if prepend and isinstance(table, OrderedDict):
        table.move_to_end(handle.id, last=False)
    return handle


def _full_name(value: object) -> str:
    """As PyTorch names a type in messages: builtins bare, others with their module."""
    if type(value) is Tensor:
        return f"torch.{value.dtype.legacy}Tensor"
    module = type(value).__module__
    return type_name(value) if module == "builtins" else f"{module}.{type_name(value)}"
