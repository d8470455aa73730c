"""The attributes of a module: which of them are parameters, buffers and modules, and how they come and go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from weakref import WeakValueDictionary

from gradflow.engine import errors
from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.nn.parameter import Buffer, Parameter
from gradflow.engine.sandbox.classes.written_through import WrittenThrough
from gradflow.engine.sandbox.gate import (
    NOT_SPECIAL,
    allow,
    check_writable,
    exact_name,
    is_program_class,
    is_public,
    is_readable,
    read_attribute,
    read_special_by,
    type_name,
)
from gradflow.engine.sandbox.program_classes import list_names_by
from gradflow.engine.sandbox.rules import KEEPERS
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor

TABLES = ("_parameters", "_buffers", "_modules")
_SHOWN: Final = frozenset((
    "_apply", "_get_name", "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks", "_version",
    "_conv_forward", "_reversed_padding_repeated_twice", "_check_input_dim", "_save_to_state_dict",
    "_load_from_state_dict", "_non_persistent_buffers_set", "_reset_parameters", "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called", "_forward_pre_hooks_with_kwargs", "_is_full_backward_hook", "_state_dict_hooks",
    "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
    "_register_load_state_dict_pre_hook", "_register_state_dict_hook", "_sa_block", "_mha_block", "_ff_block", *TABLES,
))  # fmt: skip
"""What programs see of the names with an underscore."""


class Registering:
    """What a module does when an attribute is read, set or deleted."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def __getattr__(self, name: str) -> Any:
        for table in () if is_special(name) else TABLES:  # Python and NumPy ask for special names: no table answers
            held = self.__dict__.get(table)
            if held is not None and name in held:
                return held[name]
        raise errors.NO_ATTRIBUTE(type=type(self).__name__, name=name, value=self)

    def __setattr__(self, name: str, value: Any) -> None:
        if is_special(exact_name(name)):
            raise errors.READ_ONLY(type=type_name(self), name=name)
        if isinstance(value, Parameter):
            self._check_begun("parameters")
            self._release_name(name, "_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Registering):
            if name in self.__dict__.get("_parameters", ()):
                self._set_registered(name, value)
            self._check_begun("module")
            self._release_name(name, "_modules")
            self._modules[name] = value
        elif isinstance(value, Buffer):
            self._check_begun("buffer")
            self._release_name(name, "_buffers")
            self.register_buffer(name, value, value.persistent)
        elif not self._set_registered(name, value):
            object.__setattr__(self, name, value)
            if value.__class__ is bool and STATE.recorder is not None:
                STATE.recorder.modules.flag_put(name, STATE.recorder.place)

    def _check_begun(self, what: str) -> None:
        if "_parameters" not in self.__dict__:
            raise errors.MODULE_NOT_BEGUN(what=what)

    def _release_name(self, name: str, keep: str) -> None:
        """Take a name out of the other tables."""
        self.__dict__.pop(name, None)
        for table in TABLES:
            if table != keep:
                self.__dict__[table].pop(name, None)
        if keep != "_buffers":
            self._non_persistent_buffers_set.discard(name)

    def _set_registered(self, name: str, value: Any) -> bool:
        """Replace a registered attribute by None or by something of its kind; whether it is one."""
        for table, cls, wanted, word in (
            ("_parameters", Parameter, "torch.nn.Parameter or None", "parameter"),
            ("_modules", Registering, "torch.nn.Module or None", "child module"),
            ("_buffers", Tensor, "torch.nn.Buffer, torch.Tensor or None", "buffer"),
        ):
            held = self.__dict__.get(table)
            if held is not None and name in held:
                if value is not None and not isinstance(value, cls):
                    raise errors.MODULE_ASSIGNMENT(given=full_name(value), what=word, name=name, wanted=wanted)
                held[name] = value
                return True
        return False

    def __delattr__(self, name: str) -> None:
        for table in TABLES:
            if name in self.__dict__.get(table, ()):
                del self.__dict__[table][name]
                if table == "_buffers":
                    self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def register_parameter(self, name: str, param: Any) -> None:
        """Add a parameter under a name. Raises KeyError, TypeError, and ValueError for a tensor with a history."""
        self._check_begun("parameter")
        name = self._check_registered_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise errors.MODULE_REGISTER(given=full_name(param), what="parameter", name=name)
        if param is not None and param._node is not None:
            raise errors.PARAMETER_NON_LEAF(name=name)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is state but no parameter; it is not saved unless ``persistent``."""
        self._check_begun("buffer")
        name = self._check_registered_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise errors.BUFFER_TYPE(given=full_name(tensor), name=name)
        self._buffers[name] = tensor
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name: str, module: Any) -> None:
        """Add a module under a name."""
        if module is not None and not isinstance(module, Registering):
            raise errors.NO_MODULE_SUBCLASS(given=full_name(module))
        self._check_begun("module")
        name = self._check_registered_name("module", name, self._modules)
        self._modules[name] = module

    def register_module(self, name: str, module: Any) -> None:
        """Alias of `add_module`."""
        self.add_module(name, module)

    def _check_registered_name(self, what: str, name: Any, known: Any) -> str:
        """The name, as an exact text: one of a class of the program's could be free here, and another one in the table."""
        if not isinstance(name, str):
            raise errors.MODULE_NAME_TYPE(what=what, type=full_name(name))
        name = str.__str__(name)
        taken = hasattr(self, name) and name not in known
        if taken and (what == "module" or ("." not in name and name)):
            raise errors.MODULE_NAME_TAKEN(name=name)
        if "." in name:
            more = f", got: {name}" if what == "module" else ""
            raise errors.MODULE_NAME(what=what, reason=f'can\'t contain "."{more}')
        if not name:
            raise errors.MODULE_NAME(what=what, reason='can\'t be empty string ""')
        if is_special(name):
            raise errors.READ_ONLY(type=type_name(self), name=name)
        return name

    # -- by path --------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def get_submodule(self, target: str) -> Any:
        """The module at a path. Raises AttributeError."""
        found: Any = self
        for name in exact_name(target).split(".") if target else ():
            inner = _read(found, name)
            if inner is _ABSENT:
                raise errors.NO_SUBMODULE(type=found._get_name(), name=name)
            found = inner
            if not isinstance(found, Registering):
                raise errors.NOT_OF_KIND(name=name, kind="an nn.Module")
        return found

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Put a module at a path. Raises ValueError, AttributeError."""
        if type(target) is str and not target:
            raise errors.MODULE_ARGUMENT(message="Cannot set the submodule without a target name!")
        if not isinstance(module, Registering):
            raise errors.MODULE_ARGUMENT(message=f"`module` is not an nn.Module, found {type(module)}")
        parent, name = _owner_at(self, target)
        there = _read(parent, name)
        if strict and there is _ABSENT:
            raise errors.NO_SUBMODULE(type=parent._get_name(), name=name)
        if there is not _ABSENT and not isinstance(there, Registering):
            raise errors.NOT_OF_KIND(name=name, kind="an nn.Module")
        check_writable(parent, name)
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path. Raises AttributeError."""
        _, name, held = _member_at(self, target)
        if not isinstance(held, Parameter):
            raise errors.NOT_OF_KIND(name=name, kind="an nn.Parameter")
        return held

    def get_buffer(self, target: str) -> Any:
        """The buffer at a path. Raises AttributeError."""
        module, name, held = _member_at(self, target)
        if name not in module._buffers:
            raise errors.NOT_OF_KIND(name=name, kind="a buffer")
        return held


_ABSENT: Final = object()


def _read(module: Any, name: str) -> Any:
    """An attribute as the program itself would have it; `_ABSENT` where it would have none."""
    try:
        return read_attribute(module, name)
    except AttributeError:
        return _ABSENT


def _owner_at(module: Any, target: Any) -> tuple[Any, str]:
    """The module at all but the last part of a path, which a class of the program may find, and that last part."""
    path, _, name = exact_name(target).rpartition(".")
    owner = module.get_submodule(path)
    if not issubclass(type(owner), Registering):
        raise errors.NOT_OF_KIND(name=path, kind="an nn.Module")
    return owner, name


def _member_at(module: Any, target: Any) -> tuple[Any, str, Any]:
    owner, name = _owner_at(module, target)
    held = _read(owner, name)
    if held is _ABSENT:
        raise errors.NO_SUBMODULE(type=owner._get_name(), name=name)
    return owner, name, held


def full_name(value: Any) -> str:
    """As PyTorch names a type, or a class or function itself, in messages: builtins bare, others with their module."""
    if type(value) is Tensor:
        return f"torch.{value.dtype.legacy}Tensor"
    if not hasattr(value, "__qualname__"):
        value = type(value)
    name, module = value.__qualname__, getattr(value, "__module__", "") or ""
    if module.startswith("gradflow.") and not isinstance(value, type):
        return f"{_home(value)}.{value.__name__}"
    return name if module in ("", "builtins") else f"{module}.{name}"


def _home(function: Any) -> str:
    """Where PyTorch has a function."""
    name = function.__name__
    if name in _NATIVE:
        return "torch._C._nn"
    return (
        "torch.nn.functional"
        if torch_nn_functional.functions().get(name) is function
        else "torch._VariableFunctionsClass"
    )


_NATIVE = ("gelu", "linear", "logsigmoid", "softplus", "softshrink")


def inherited_getattr(value: Any, name: str) -> Any:
    """``super().__getattr__`` in a class of the program: what stands in the tables of a module, in PyTorch's words."""
    if not isinstance(value, super):
        return NOT_SPECIAL
    bound: Any = value  # its attributes are unknown to type checkers
    own = bound.__self_class__
    if own is None or not issubclass(own, Registering):
        return NOT_SPECIAL
    line = own.__mro__[own.__mro__.index(bound.__thisclass__) + 1 :]
    owner = next((kind for kind in line if name in vars(kind)), object)
    return getattr(value, name) if owner is Registering or is_program_class(owner) else NOT_SPECIAL


for _method in (Registering.register_parameter, Registering.register_buffer, Registering.add_module):
    _method.__qualname__ = f"Module.{_method.__name__}"  # Python's own messages name them so


# -- the modules that there are ---------------------------------------------------------------------------------------


def table_of(module: Any, table: str) -> dict[str, Any]:
    """A table as it is, of a real module: what a method of the program's gives could be any object of the engine's."""
    if not issubclass(type(module), Registering):
        raise TypeError(f"an nn.Module is expected, not {type_name(module)}")
    held = vars(module).get(table) if table in TABLES else None
    if type(held) is not dict:
        raise errors.NO_ATTRIBUTE(type=type(module).__name__, name=table, value=module)
    return held


def real_modules(module: Any) -> list[Any]:
    """A module and all inside it, each once, by their own tables and by no method that a program could have overridden."""
    found, waiting = {id(module): module}, [module]
    while waiting:
        for inner in table_of(waiting.pop(), "_modules").values():
            if inner is not None and id(inner) not in found:
                found[id(inner)] = inner
                waiting.append(inner)
    return list(found.values())


# -- what a program sees of a module --------------------------------------------------------------------------------------


def _holds(module: Any, name: str) -> bool:
    """What a module itself holds: its settings, and what programs have given it."""
    own = vars(module)
    if (is_public(name) or name in _SHOWN) and name in own:
        return True
    return any(name in own.get(table, ()) for table in TABLES)


def _class_has(module: Any, name: str) -> bool:
    return name in _SHOWN or (is_public(name) and hasattr(type(module), name))


def allow_module(cls: type, *, subclass: bool = True) -> None:
    """Tell the gate of a class of modules."""
    shown = [name for name in dir(cls) if is_public(name)]
    allow(cls, shown, readable=_holds, of_class=_class_has, writable=is_public, subclass=subclass)


# -- the tables as a program has them -------------------------------------------------------------------------------------


_KINDS: Final[dict[str, type]] = {"_parameters": Parameter, "_buffers": Tensor, "_modules": Registering}
_METHODS: Final = "clear copy get items keys pop popitem setdefault update values"


class ModuleTable(WrittenThrough):
    """One of the tables. Raises TypeError for a value of another kind, AttributeError for a name of Python's own."""

    def __init__(self, table: dict[str, Any], kind: type, owner: type) -> None:
        super().__init__(table)
        self._table, self._kind, self._owner = table, kind, owner

    def __setitem__(self, name: str, value: object) -> None:
        if is_special(exact_name(name)) or (name not in self._table and _is_engines(self._owner, name)):
            raise errors.READ_ONLY(type="Module", name=name)
        if value is not None and not issubclass(type(value), self._kind):
            raise TypeError(f"a {self._kind.__name__} or None is expected here, not {type_name(value)}")
        self._table[name] = value
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        self._table.pop(name, None)

    def popitem(self) -> tuple[str, object]:
        name = next(reversed(self))
        return name, self.pop(name)


def _table_of(module: Any, name: str) -> Any:
    if not issubclass(type(module), Registering) or name not in vars(module):
        return NOT_SPECIAL
    table = vars(module)[name]
    view = _VIEWS.get(id(table))
    changed = view is None or len(view) != len(table) or any(view.get(each) is not held for each, held in table.items())
    if view is None or changed or view._owner is not type(module):
        view = _VIEWS[id(table)] = ModuleTable(table, _KINDS[name], type(module))
    return view


def _is_engines(cls: type, name: str) -> bool:
    """Whether a class of the engine's has a name, in front of what stands in a table."""
    return any(name in vars(each) and not is_program_class(each) for each in cls.__mro__)


_VIEWS: Final[WeakValueDictionary[int, ModuleTable]] = WeakValueDictionary()
"""One for each table, for as long as the program has it: ``a._modules is b._modules`` where two modules share one."""


def register_tables() -> None:
    """Have programs read the tables in this form, and write no other in their place."""
    read_special_by(TABLES, _table_of)
    allow(ModuleTable, _METHODS.split(), shown_as=dict, copyable=True)
    list_names_by(Registering, listed)
    KEEPERS.append(lambda cls, name: name in TABLES and issubclass(cls, Registering))


def listed(module: Any) -> Iterator[str]:
    """What ``dir`` shows of a module beside what its class has: its attributes, parameters, buffers and modules."""
    own = vars(module)
    for table in (own, *(own.get(name, {}) for name in TABLES)):
        yield from [n for n in table if type(n) is str and n and not n[0].isdigit() and is_readable(module, n)]
