"""`Module`: parameters, buffers and modules by name, and a forward function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from sys import _getframe
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.hooks import RemovableHandle, register
from gradflow.engine.namespace import compile_settings
from gradflow.engine.namespace.nn import module_hooks, overridden_layers
from gradflow.engine.namespace.nn import state_dict as loading
from gradflow.engine.namespace.nn.module_attributes import TABLES, Registering, table_of
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.namespace.tensor import meta
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.state import STATE, Entered, grad_mode, warn
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.tensor.device import is_meta, refuse_card

_HOOKS = ("_forward_pre_hooks", "_forward_hooks", "_backward_hooks", "_backward_pre_hooks")
_MORE_HOOKS = (
    "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks",
    "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip
_BOTH_KINDS = (
    "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
)
_TO_EMPTY = (
    " Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from meta to a different"
    " device."
)
_COMPLEX = (
    "Complex modules are a new feature under active development whose design may change, and some modules might not work"
    " as expected when using complex tensors as parameters or buffers. Please file an issue at"
    " https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as expected."
)


class Module(Registering):
    """The base of all layers and networks."""

    training: bool
    _version = 1
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _is_full_backward_hook: bool | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs:
            name = f"{type(self).__name__}.__init__()"
            raise TypeError(f"{name} got an unexpected keyword argument '{next(iter(kwargs))}'")
        if args:
            more = len(args) + 1
            raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {more} were given")
        own = self.__dict__
        own["training"] = True
        own.update({name: {} for name in TABLES})
        own.update({name: OrderedDict() for name in (*_HOOKS, *_MORE_HOOKS)})
        own.update(_non_persistent_buffers_set=set(), _is_full_backward_hook=None)
        if STATE.recorder is not None:
            STATE.recorder.modules.add(self, _getframe(1))

    # -- calling --------------------------------------------------------------------------------------------------

    def forward(self, *input: Any) -> Any:
        """What the module computes; every subclass defines it."""
        raise errors.NO_FORWARD(type=type(self).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        before = STATE.entered
        STATE.entered = Entered("module", self, id(_getframe()))
        try:
            own = self.__dict__
            if "_backward_hooks" not in own:
                raise errors.NO_ATTRIBUTE(type=type(self).__name__, name="_backward_hooks", value=self)
            if STATE.module_hooks is not None or any(map(own.get, _HOOKS)):
                return module_hooks.call_with_hooks(self, args, kwargs)
            if args and args[0].__class__ is meta.MetaTensor:
                return meta.called(self, args, kwargs)
            if STATE.overriding:
                return overridden_layers.called(self, args, kwargs)
            return self.forward(*args, **kwargs)
        finally:
            STATE.entered = before

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after every call; what it returns takes the place of the output."""
        handle = _hooked(self._forward_hooks, hook, prepend)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return handle

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before every call; what it returns takes the place of the arguments."""
        handle = _hooked(self._forward_pre_hooks, hook, prepend)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return handle

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the inputs are known."""
        self._fix_kind_of_hooks(True)
        return _hooked(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """As before full backward hooks came: the gradients are those of the last function of the module."""
        self._fix_kind_of_hooks(False)
        return _hooked(self._backward_hooks, hook, False)

    def _fix_kind_of_hooks(self, full: bool) -> None:
        if self._is_full_backward_hook is not None and self._is_full_backward_hook is not full:
            raise errors.MODULE_RUNTIME(message=_BOTH_KINDS)
        self._is_full_backward_hook = full

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when the gradients of the outputs are known."""
        return _hooked(self._backward_pre_hooks, hook, prepend)

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

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all inside it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
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

    def _named_tensors(self, table: str, prefix: str, recurse: bool, once: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=once) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, held in table_of(module, table).items():
                if held is None or id(held) in seen:
                    continue
                if once:
                    seen.add(id(held))
                yield (f"{path}.{name}" if path else name), held

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their paths."""
        return self._named_tensors("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters."""
        for _, held in self.named_parameters(recurse=recurse):
            yield held

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their paths."""
        return self._named_tensors("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers."""
        for _, held in self.named_buffers(recurse=recurse):
            yield held

    # -- state ----------------------------------------------------------------------------------------------------

    def state_dict(self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """All parameters and lasting buffers by path, outside the graph."""
        return loading.state_dict(self, destination, prefix, keep_vars)

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Copy values by path. Raises RuntimeError for paths that are missing or unknown, or for other shapes."""
        return loading.load(self, state_dict, strict, assign)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        loading.save(self, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        loading.load_own(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        own = partial(hook, self) if with_module else hook
        return _hooked(self._load_state_dict_pre_hooks, lambda _, *args: own(*args), False)

    def get_extra_state(self) -> Any:
        """What a subclass saves besides its tensors."""
        raise errors.MODULE_RUNTIME(message=loading.NO_EXTRA.format(which="get"))

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` has given."""
        raise errors.MODULE_RUNTIME(message=loading.NO_EXTRA.format(which="set"))

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after the state was collected."""
        return _hooked(self._state_dict_hooks, hook, False)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        return _hooked(self._state_dict_hooks, loading.Replacing(hook), False)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before the state is collected."""
        return _hooked(self._state_dict_pre_hooks, hook, False)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors)`` before loading."""
        return _hooked(self._load_state_dict_pre_hooks, hook, False)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after loading."""
        return _hooked(self._load_state_dict_post_hooks, hook, False)

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
            has(p, "requires_grad_").requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of the parameters, or set them to 0."""
        loading.zero_grads(self.parameters(), set_to_none)

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Convert floating point parameters and buffers to a dtype; the device is always the CPU."""
        device = kwargs.get("device", args[0] if args and not isinstance(args[0], dtypes.dtype | Tensor) else None)
        if is_meta(device):
            return meta.without_elements(self)
        if device is not None and meta.lacks_elements(self):
            raise errors.META_NO_DATA(advice=_TO_EMPTY)
        layout, kwargs = kwargs.get("memory_format"), {n: v for n, v in kwargs.items() if n != "memory_format"}
        Tensor(np.zeros(0, np.float32)).to(*args, **kwargs)  # type: ignore[attr-defined]  # installed; refuses what it cannot do
        dtype = kwargs.get("dtype")
        for given in args:
            dtype = given if isinstance(given, dtypes.dtype) else given.dtype if isinstance(given, Tensor) else dtype
        if layout is not None:
            self._apply(lambda t: t.to(memory_format=layout) if t.dim() in (4, 5) else t)
        if dtype is None:
            return self
        if dtype.category < dtypes.FLOAT:
            raise errors.MODULE_TYPE(
                message=f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        if dtype.is_complex:
            warn(_COMPLEX)
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() or t.is_complex() else t)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Any:
        """To a device, with new parameters and buffers whose elements mean nothing."""
        return meta.without_elements(self) if is_meta(device) else meta.with_elements(self)

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Any:
        """Replace the data of all parameters and buffers by what a function makes of them."""
        for module in self.children() if recurse else ():
            module._apply(fn)
        with grad_mode(False):
            for held in self._parameters.values():
                if held is not None:
                    loading.replace(held, fn(held.detach()))
                    if held._grad is not None:
                        loading.replace(held._grad, fn(held._grad))
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = loading.made_tensor(fn(buffer))
        return self

    def type(self, dst_type: Any) -> Any:
        """All parameters and buffers to a type."""
        return self._apply(lambda t: t.type(dst_type))

    def double(self) -> Any:
        """To float64."""
        return self._floats_to(dtypes.float64)

    def float(self) -> Any:
        """To float32."""
        return self._floats_to(dtypes.float32)

    def half(self) -> Any:
        """To float16."""
        return self._floats_to(dtypes.float16)

    def bfloat16(self) -> Any:
        """To bfloat16."""
        return self._floats_to(dtypes.bfloat16)

    def _floats_to(self, cls: Any) -> Any:
        return self._apply(lambda t: t.to(cls) if t.is_floating_point() else t)

    def cpu(self) -> Any:
        """The module itself: everything is on the CPU."""
        return self

    def cuda(self, device: Any = None) -> Any:
        """Raises: there is no graphics card."""
        refuse_card(device)

    def share_memory(self) -> Any:
        """The module itself: there is one process."""
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: a compiled module computes the same. Raises TypeError for what is no setting of ``torch.compile``."""
        compile_settings.compile(self, *args, **kwargs)

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
