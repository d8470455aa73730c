"""``torch.autograd.Function``: functions whose backward the program writes itself.

A call is one node of the graph. ``forward`` runs without gradients and outside of the record; ``backward`` is called
with Tensors by `FunctionNode.run`, and is recorded where the pass itself is (``create_graph``).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.function import batched
from gradflow.engine.autograd.function.call import arguments, declaration, drawn, shown
from gradflow.engine.autograd.function.outputs import Outputs, told_shapes
from gradflow.engine.autograd.function.transposed import Linear
from gradflow.engine.autograd.kept_tensors import modified_tensor
from gradflow.engine.autograd.node import Node, gradient_edge_or_none
from gradflow.engine.autograd.saved_tensors import apply_modes
from gradflow.engine.numerics.broadcasting import reducible
from gradflow.engine.state import STATE, grad_mode, inside_function, sequence, warn
from gradflow.engine.tensor import Storage, Tensor

if TYPE_CHECKING:
    from gradflow.engine.registry import Op

_LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function with"
    " static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)


class FunctionNode(Node):
    """The node of one call of a custom Function."""

    context: FunctionCtx
    title: str
    on_fast_path = False

    def __init__(self, op: Op, title: str, arguments: tuple[Any, ...]) -> None:
        self.op, self.title, self.seq = op, title, next(sequence)
        self.places = [i for i, a in enumerate(arguments) if isinstance(a, Tensor)]
        self.count = len(arguments)
        self.next_edges = tuple(
            gradient_edge_or_none(a) if a.requires_grad else None for a in arguments if isinstance(a, Tensor)
        )

    @property
    def short_name(self) -> str:
        return self.title.removesuffix("Backward")

    @property
    def printed_name(self) -> str:
        return self.context.printed_name

    @property
    def recorded_name(self) -> str:
        return self.title

    def __repr__(self) -> str:
        return repr(self.context)

    def __getattr__(self, name: str) -> Any:
        """What ``forward`` left in its context."""
        if name == "context" or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        return getattr(self.context, name)

    def run(self, grads: list[Any], create_graph: bool) -> tuple[Any, ...]:
        """Call the program's ``backward``. Raises RuntimeError where what it returns does not fit the arguments."""
        given = [None if g is None else self.tensor(g) for g in grads]
        if self.context.materialize_grads:
            given = [
                self.zeros(i, as_tensor=True) if g is None and self.output_metas[i] else g for i, g in enumerate(given)
            ]
        with nullcontext() if create_graph else inside_function():
            returned = self._gradients(given)
        return tuple(self.checked(self.as_tuple(returned), create_graph))

    def _gradients(self, given: list[Any]) -> Any:
        function = self.context._own_function
        if STATE.forward_pass and self.context._own_linear is not None:
            return self.context._own_linear.transposed(tuple(given))
        return _backward_method(function)(self.context, *given)

    def zeros(self, output: int, as_tensor: bool) -> Any:
        shape, dtype = self.output_metas[output]
        return Tensor(np.zeros(shape, dtype))

    def tensor(self, gradient: Any) -> Tensor:
        task = STATE.graph_task
        if isinstance(gradient, Tensor) or task is None:
            return gradient if isinstance(gradient, Tensor) else Tensor(gradient)
        result = task.seed_of(gradient, Tensor)
        if task.recorder is not None and task.observer is None:  # the program can write into it
            task.recorder.watch(result, task.noted_in)
        return result

    def as_tuple(self, returned: Any) -> tuple[Any, ...]:
        """One gradient for each argument of ``forward``; PyTorch lets surplus ones pass that are None."""
        values = returned if isinstance(returned, tuple) else (returned,)
        if len(values) > self.count and all(v is None for v in values[self.count :]):
            values = values[: self.count]
        if len(values) != self.count:
            raise errors.WRONG_GRADIENT_COUNT(name=self.title, expected=self.count, actual=len(values))
        for position, value in enumerate(values, 1):
            if value is not None and position - 1 not in self.places:
                raise errors.FUNCTION_MISUSE(
                    message=f"function {self.title} returned a gradient different than None at position {position}, but"
                    " the corresponding forward input was not a Variable",
                    **told_shapes(values, self.places, self.next_edges),
                )
        return values

    def checked(self, values: tuple[Any, ...], create_graph: bool) -> list[Any]:
        result: list[Any] = []
        for index, (place, following) in enumerate(zip(self.places, self.next_edges, strict=True)):
            value = values[place]
            if value is not None and not isinstance(value, Tensor):
                raise errors.FUNCTION_MISUSE(message=f"expected Variable or None (got {type(value).__name__})")
            if value is None or following is None:
                result.append(None)
                continue
            wanted = following[0].output_metas[following[1]][0]
            if not reducible(value._a.shape, wanted):
                raise errors.INVALID_GRADIENT(
                    name=self.title,
                    index=index,
                    actual=list(value.shape),
                    expected=list(wanted),
                    **told_shapes(values, self.places, self.next_edges),
                )
            if value._a.dtype.kind == "c" != following[0].output_metas[following[1]][1].kind:
                raise errors.FUNCTION_MISUSE(
                    message="Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be"
                    " true, but got false.  (Could this error message be improved?  If so, please report an enhancement"
                    " request to PyTorch.)"
                )
            result.append(value if create_graph else value._a)
        return result

    def differentiable_outputs(self) -> list[int]:
        return list(range(len(self.output_metas)))

    def release(self) -> bool:
        """Let the saved tensors go."""
        self.context._own_release()
        return bool(self.context._own_kept)

    def holds_tensors(self) -> bool:
        return bool(self.context._own_kept)

    def calls_program(self) -> bool:
        return True

    def check_versions(self) -> None:
        """Saved tensors are checked where the program reads them."""


class FunctionCtx:
    """What ``forward`` leaves for ``backward``: saved tensors, settings, and whatever the program stores in it.

    What is not the program's has names that begin with ``_own``.
    """

    def __init__(self, function: type[Function], needs: tuple[bool, ...]) -> None:
        self._own_function, self.needs_input_grad = function, needs
        self._own_node: FunctionNode | None = None
        self._own_saved: list[tuple[Any, Storage | None, int, bool]] = []
        self._own_kept: tuple[Any, ...] = ()
        self._own_freed = False
        self._own_linear: Linear | None = None
        self.materialize_grads = True
        self._own_dirty: tuple[Any, ...] = ()
        self._own_fixed: tuple[Any, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for ``saved_tensors``."""
        self._own_kept = tensors

    save_for_forward = save_for_backward

    def mark_dirty(self, *tensors: Any) -> None:
        """Say which inputs ``forward`` wrote in place."""
        self._own_dirty = tensors
        for tensor in tensors:
            if isinstance(tensor, Tensor):
                tensor._st.version += 1

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say which outputs have no gradient."""
        self._own_fixed = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether ``backward`` gets zeros in place of None for outputs that were not used."""
        self.materialize_grads = value

    def _own_save(self, outputs: list[Any]) -> None:
        """Note the versions of what was saved. Raises TypeError for what is no tensor."""
        for index, tensor in enumerate(self._own_kept):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise errors.FUNCTION_TYPE(
                    message=f"save_for_backward can only save variables, but argument {index} is of type"
                    f" {type(tensor).__name__}"
                )
            made = any(tensor is output for output in outputs)
            version = 0 if tensor is None else tensor._st.version
            hooked = STATE.saved_hooks[-1] if STATE.saved_hooks else None
            held: Any = tensor
            if hooked is not None and tensor is not None:
                held = (hooked[1], hooked[0](tensor.detach() if made else tensor))
            self._own_saved.append((held, None if tensor is None or hooked else tensor._st, version, made))
        self._own_kept = tuple(True for _ in self._own_kept)

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors given to ``save_for_backward``. Raises RuntimeError where they are freed, or written since."""
        if self._own_freed:
            raise errors.BACKWARD_TWICE()
        return tuple(self._own_unpack(*item) for item in self._own_saved)

    @property
    def to_save(self) -> tuple[Any, ...]:
        """What was given to ``save_for_backward``."""
        return self._own_kept

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """The old name of ``saved_tensors``."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", "DeprecationWarning")
        return self.saved_tensors

    @property
    def dirty_tensors(self) -> tuple[Any, ...] | None:
        """What was given to ``mark_dirty``, until ``forward`` has returned."""
        return self._own_dirty or None

    @property
    def non_differentiable(self) -> tuple[Any, ...] | None:
        """What was given to ``mark_non_differentiable``, until ``forward`` has returned."""
        return self._own_fixed or None

    def _own_tensors(self) -> list[Tensor | None]:
        """What is saved, without a look at versions; None for what hooks have packed."""
        return [held if isinstance(held, Tensor) else None for held, *_ in self._own_saved]

    def _own_unpack(self, held: Any, storage: Storage | None, version: int, made: bool) -> Tensor | None:
        if isinstance(held, tuple):
            return held[0](held[1])  # type: ignore[no-any-return]  # what the program's own hook returns
        if held is None:
            return None
        if storage is not None and storage.version != version:
            raise modified_tensor(held, version, self._own_node if made else held.grad_fn)
        if not made or held._node is None or self._own_node is None:
            return held  # type: ignore[no-any-return]
        again = Tensor(held._a, held._st)
        again._node, again._nr, again._entry = self._own_node, held._nr, held._entry
        return again

    def _own_release(self) -> None:
        """Let the saved tensors go."""
        self._own_saved, self._own_freed = [], True

    @property
    def printed_name(self) -> str:
        """The name of the node, which is another one inside of a transformation."""
        node = self._own_node
        return node.title if STATE.levels and node is not None else f"{self._own_function.__name__}Backward"

    def name(self) -> str:
        """The name of the node."""
        return self.printed_name

    @property
    def next_functions(self) -> Any:
        """The nodes behind this call."""
        return self._own_node.next_functions if self._own_node is not None else ()

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{self.printed_name} object at {id(self):#x}>"


class Function:
    """The base class of custom functions: ``forward`` and ``backward`` as static methods, called by ``apply``."""

    generate_vmap_rule = False

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        warn(
            f"<class '__main__.{cls.__name__}'> should not be instantiated. Methods on autograd functions are all"
            " static,"
            " so you should invoke them on the class itself. Instantiating an autograd function will raise an error"
            " in a"
            " future version of PyTorch.",
            "DeprecationWarning",
        )
        return super().__new__(cls)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise errors.FUNCTION_MISUSE(message=_LEGACY)

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The value. Programs define it."""
        raise errors.FUNCTION_ABSENT(message="You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """What is kept for backward. Programs may define it, and then ``forward`` has no ``ctx``."""
        raise errors.FUNCTION_ABSENT(message="setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments. Programs define it."""
        raise errors.FUNCTION_ABSENT(
            message="You must implement either the backward or vjp method for your custom autograd.Function to use it"
            " with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The forward derivative. Programs may define it."""
        raise errors.FUNCTION_ABSENT(
            message="You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run ``forward`` and put one node for it into the graph."""
        separate, own_rule = cls.setup_context is not Function.setup_context, False
        if STATE.levels:
            own_rule = "vmap" in _own_names(cls)
            STATE.levels.check_function(cls, separate, own_rule)
        args = arguments(cls.forward, separate, args, kwargs)
        level = batched.level_of(args) if own_rule else None
        if level is not None and batched.is_innermost(level):
            return batched.by_rule(cls, level, args)
        needs = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        tensors = tuple(drawn(a, n) for a, n in zip(args, needs, strict=True) if isinstance(a, Tensor))
        needed = STATE.grad and any(needs)
        context = FunctionCtx(cls, needs)
        op = declaration(cls, args, skip=0 if separate else 1)
        title = STATE.levels.title(cls) if STATE.levels else f"{cls.__name__}Backward"
        node = FunctionNode(op, title, args) if needed else None
        context._own_node = node
        before = None if STATE.recorder is None else STATE.recorder.before_call(tensors)
        with inside_function(), grad_mode(False):
            returned = _call_forward(cls, context, args)
        outputs = Outputs(context, node, args, returned)
        result = outputs.finish()
        if node is not None:
            node.context = context
            context._own_save(outputs.tensors)
            if STATE.levels and STATE.levels.is_forward(tensors):
                context._own_linear = Linear(cls.jvp, context, args, needs)
        if STATE.special and outputs.tensors:
            apply_modes(node, tuple(outputs.tensors))
        if before is not None and outputs.tensors:
            assert STATE.recorder is not None
            settings = tuple(shown(a) for a in args if not isinstance(a, Tensor))
            STATE.recorder.custom_call(op, node, before, settings, tuple(outputs.tensors), outputs.written_view)
        return result


def _backward_method(cls: type[Function]) -> Callable[..., Any]:
    own_backward, own_vjp = cls.backward is not Function.backward, cls.vjp is not Function.vjp
    if own_backward and own_vjp:
        raise errors.FUNCTION_MISUSE(
            message="Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only"
            " implement one of them."
        )
    return cls.vjp if own_vjp else cls.backward


def _call_forward(cls: type[Function], context: FunctionCtx, args: tuple[Any, ...]) -> Any:
    if cls.setup_context is Function.setup_context:
        return cls.forward(context, *args)
    level = batched.level_of(args) if STATE.levels and "vmap" in _own_names(cls) else None
    output = cls.forward(*args) if level is None else batched.by_rule(cls, level, args)
    cls.setup_context(context, args, output)
    return output


def _own_names(cls: type[Function]) -> set[str]:
    """What a custom Function defines itself, or inherits from another."""
    return {name for kind in cls.__mro__[: cls.__mro__.index(Function)] for name in vars(kind)}
