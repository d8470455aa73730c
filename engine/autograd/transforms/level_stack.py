"""The transformations of ``torch.func`` and the dual levels in progress, and what they change for the tensors inside.

`STATE.levels` holds them, outermost first. How a tensor prints, whether it may decide about control flow, and which
custom Functions may be called depends on them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import AccumulateGrad, Node
from gradflow.engine.autograd.transforms.vmap_output import MappedOutput, Shown
from gradflow.engine.numerics.mersenne_twister import GENERATOR
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor
from gradflow.engine.tensor.printing import tensor_text

_NUMBER = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor,"
    " please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch"
    " internals, please file a bug report."
)
_DECIDED = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that"
    " yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
_READ = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some"
    " data-dependent control flow or (3) encountering this error in PyTorch internals. For (1): we don't support vmap over"
    " calling .item() on a Tensor, please try to rewrite what you're doing with other operations. For (2): we don't"
    " support data-dependent control flow in vmap yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
    " For (3): please file an issue."
)
"""What a read value is answered with where a derivative is taken inside of the `vmap`."""


class Level:
    """One transformation. ``fresh`` are the leaves that it differentiates for, ``points`` its other beginnings."""

    kind = "grad"
    forward = False  # whether it derives forward

    def __init__(self) -> None:
        self.outer = STATE.grad
        self.fresh: set[Tensor] = set()
        self.points: set[Node] = set()
        self.given: set[int] = set()
        """The tensors that the function was called with, by identity."""
        self.begin = 0

    def __enter__(self) -> Any:
        self.begin = len(getattr(STATE.recorder, "entries", ()))
        STATE.levels = LevelStack((*STATE.levels, self))
        return self

    def __exit__(self, *_: object) -> None:
        STATE.levels = LevelStack(level for level in STATE.levels if level is not self)
        for level in STATE.levels:
            level.fresh |= self.fresh  # what an inner level made is not outside of an outer one

    def made(self, tensor: Tensor) -> bool:
        """Whether a tensor was given to the function, or made while it runs: PyTorch wraps them all."""
        entry = tensor._entry
        return self.kind == "grad" and (id(tensor) in self.given or (entry is not None and entry.number >= self.begin))

    def tracks(self, leaves: set[Tensor], nodes: set[Node]) -> bool:
        """Whether a graph with these leaves and functions begins at this level."""
        return not (self.fresh.isdisjoint(leaves) and self.points.isdisjoint(nodes))


class Hidden(Level):
    """A level that PyTorch has for its own use, and that counts: the `vmap` over the columns of a Jacobian."""

    kind = "hidden"


class Forward(Level):
    """A forward derivative of functions that do not see a transformation."""

    kind = "forward"
    forward = True

    def __init__(self, points: Iterable[Tensor]) -> None:
        super().__init__()
        self.fresh.update(points)


class Mapped(Level):
    """One `vmap`."""

    kind = "vmap"

    def __init__(self, randomness: str, size: int) -> None:
        super().__init__()
        self.randomness, self.size = randomness, size
        self.output = MappedOutput()
        self.unbatched: dict[int, Tensor] = {}
        """What functions made that know nothing of the batch, by identity."""
        self.index = self.calls = 0
        self.pairs: list[tuple[Any, Any, int | None]] = []
        """The arguments of the example in progress, with the whole batches that they are from, and the dimension."""
        self.by_rules: dict[tuple[Any, ...], Any] = {}
        """What the rules of custom Functions made of whole batches."""

    def __enter__(self) -> Any:
        super().__enter__()
        self.output.start = self.begin
        return self

    def example(self, index: int, pairs: list[tuple[Any, Any, int | None]]) -> None:
        """The next example."""
        self.index, self.calls, self.pairs = index, 0, pairs
        self.output.begin(pairs)

    def __exit__(self, *given: object) -> None:
        super().__exit__(*given)
        self.output.end()


def graph_of(tensor: Tensor) -> tuple[set[Tensor], set[Node]]:
    """The leaves and the functions of the graph of a tensor."""
    if tensor._node is None:
        return {tensor}, set()
    leaves: set[Tensor] = set()
    seen: set[Node] = {tensor._node}
    stack = [tensor._node]
    while stack:
        node = stack.pop()
        if isinstance(node, AccumulateGrad):
            leaves.add(node.variable)
        for following in node.next_edges:
            if following is not None and following[0] not in seen:
                seen.add(following[0])
                stack.append(following[0])
    return leaves, seen


@contextmanager
def same_numbers(level: Mapped, state: Any) -> Iterator[None]:
    """With ``randomness="same"``, draw from the same state again."""
    if level.randomness == "same":
        GENERATOR.restore(state)
    yield


_NOTES = " For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


class LevelStack(tuple[Any, ...]):
    """The levels in progress, outermost first. ``STATE.levels`` is one, or an empty tuple where there is none."""

    __slots__ = ()

    def shown(self, tensor: Tensor) -> str | None:
        """A tensor as it prints inside of transformations; None where these have nothing to do with it."""
        text = partial(tensor_text, tensor)
        number = max((n for n, level in enumerate(self, 1) if level.kind == "vmap"), default=0)
        if not number:
            return self._tracked(tensor, text, 0, len(self))
        output = self[number - 1].output
        leaves = graph_of(tensor)[0]
        known: set[Tensor] = set().union(*(level.fresh for level in self))
        graph = bool({leaf for leaf in leaves if leaf.requires_grad} - known)

        def below(array: np.ndarray) -> str:
            return self._tracked(tensor, partial(text, array=array), 0, number) or text(graph, None, array)

        mark = output.mark(number, Shown(tensor, below))
        return self._tracked(tensor, lambda *_: mark, number, len(self)) or mark

    def _tracked(self, tensor: Tensor, text: Callable[..., str], start: int, stop: int) -> str | None:
        """The text with the levels between two numbers that track the tensor."""
        leaves, nodes = graph_of(tensor)
        numbered = list(enumerate(self, 1))[start:stop]
        inside = [
            n
            for n, level in numbered
            if level.kind not in ("vmap", "hidden") and (level.made(tensor) or level.tracks(leaves, nodes))
        ]
        if not inside:
            return None
        levels = [self[n - 1] for n in inside]
        known: set[Tensor] = set().union(*(level.fresh for level in levels))
        dual = next((level for level in levels if level.kind == "dual"), None)
        graph = bool({leaf for leaf in leaves if leaf.requires_grad} - known)
        result = text(graph, dual and dual.suffix(tensor))
        for number, level in zip(inside, levels, strict=True):
            if level.kind == "grad":
                result = f"GradTrackingTensor(lvl={number}, value=\n{textwrap.indent(result, '    ')}\n)"
        return result

    def mapped(self) -> Mapped | None:
        """The innermost `vmap`."""
        return next((level for level in reversed(self) if isinstance(level, Mapped)), None)

    def note_unbatched(self, made: object) -> None:
        """A function that takes sizes and numbers made this."""
        for level in self:
            if isinstance(level, Mapped) and isinstance(made, Tensor):
                level.unbatched[id(made)] = made

    def check_read(self, what: str) -> None:
        """Raises RuntimeError inside of `vmap`, where a tensor stands for many and has no value of its own."""
        if self.mapped() is None:
            return
        innermost = next(level for level in reversed(self) if level.kind != "hidden")
        message = _READ if innermost.kind != "vmap" else _DECIDED if what == "bool" else _NUMBER
        raise errors.DERIVATIVE_CALL(message=message)

    def check_size(self, what: str, more: str) -> None:
        """Raises RuntimeError inside of `vmap` for what has a size that depends on values."""
        if self.mapped() is not None:
            raise errors.DERIVATIVE_CALL(
                message=f"vmap: We do not support batching operators that can {what} dynamic shape.{more}"
            )

    def check_random(self) -> None:
        """Raises RuntimeError for a random number inside of a `vmap` that was not told what to do with it."""
        level = self.mapped()
        if level is not None and level.randomness == "error":
            raise errors.DERIVATIVE_CALL(
                message="vmap: called random operation while in randomness error mode. Please either use the 'same' or"
                " 'different' randomness flags on vmap or perform the randomness operation out of vmap"
            )

    def is_forward(self, tensors: tuple[Tensor, ...]) -> bool:
        """Whether some of the tensors have a tangent at a level."""
        forward = [level for level in self if level.forward]
        graphs = [graph_of(tensor) for tensor in tensors if tensor.requires_grad] if forward else []
        return any(level.tracks(*graph) for level in forward for graph in graphs)

    def check_function(self, cls: Any, separate: bool, own_rule: bool) -> None:
        """Raises RuntimeError for a custom Function that the transformations in force cannot transform.

        ``separate``: whether it has a ``setup_context``; ``own_rule``: whether it has a ``vmap``.
        """
        inside = {level.kind for level in self}
        if not separate and inside & {"grad", "vmap"}:
            raise errors.DERIVATIVE_CALL(
                message="In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it"
                f" must override the setup_context staticmethod.{_NOTES}"
            )
        if not inside & {"vmap", "hidden"}:
            return
        if cls.generate_vmap_rule and own_rule:
            raise errors.DERIVATIVE_CALL(
                message=f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden"
                " vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid"
                f" ambiguity.{_NOTES}"
            )
        if not cls.generate_vmap_rule and not own_rule:
            raise errors.DERIVATIVE_CALL(
                message=f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and"
                f" implement the vmap staticmethod or set generate_vmap_rule=True.{_NOTES}"
            )

    def title(self, cls: Any) -> str:
        """The name of the function behind a call of a custom Function: one that differentiates has a class of its own."""
        return f"{cls.__name__}{'Generated' if self[-1].kind == 'grad' else ''}Backward"

    def capture(self, text: str, write: Callable[[str], None]) -> bool:
        """Whether a `vmap` keeps what the program prints, for its end."""
        level = self.mapped()
        if level is None:
            return False
        level.output.capture(text, write)
        return True
