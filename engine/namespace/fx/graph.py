"""``torch.fx.Graph`` and ``Node``: the steps of a program as data, in PyTorch's names and order."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from gradflow.engine.namespace.fx import code
from gradflow.engine.sandbox.gate import allow, exact_name

_SNAKE: Final = re.compile(r"(?<=[a-z])([A-Z])")
_ILLEGAL: Final = re.compile(r"[^0-9a-zA-Z_]+")
_NUMBERED: Final = re.compile(r"^([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?$")
_TAKEN: Final = frozenset(
    {*keyword.kwlist, *vars(builtins), "inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree"}
)


def map_nodes(argument: Any, change: Callable[[Node], Any]) -> Any:
    """An argument with ``change(node)`` in place of each node in it."""
    if isinstance(argument, Node):
        return change(argument)
    if type(argument) in (list, tuple):
        return type(argument)(map_nodes(each, change) for each in argument)
    if type(argument) is dict:
        return {name: map_nodes(each, change) for name, each in argument.items()}
    if type(argument) is slice:
        return slice(*(map_nodes(each, change) for each in (argument.start, argument.stop, argument.step)))
    return argument


def nodes_in(*arguments: Any) -> list[Node]:
    """The nodes in arguments, in their order, each once."""
    found: dict[Node, None] = {}
    map_nodes(arguments, lambda node: found.setdefault(node))
    return list(found)


class Node(code.Named):
    """A step: a placeholder, an attribute, a call or the output."""

    def __init__(self, graph: Graph, name: str, op: str, target: Any, args: Any, kwargs: Any, type_expr: Any) -> None:
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, type_expr
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self.stack_trace = None
        self._args: Any = ()
        self._kwargs: Any = {}
        self._use(args, kwargs)

    def _use(self, args: Any, kwargs: Any) -> None:
        for node in nodes_in(self._args, self._kwargs):
            node.users.pop(self, None)
        self._args, self._kwargs = tuple(args), dict(kwargs)
        for node in nodes_in(self._args, self._kwargs):
            node.users.setdefault(self)

    @property
    def args(self) -> Any:
        """What it is called with, by place."""
        return self._args

    @args.setter
    def args(self, new: Any) -> None:
        self._use(new, self._kwargs)

    @property
    def kwargs(self) -> Any:
        """What it is called with, by name."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, new: Any) -> None:
        self._use(self._args, new)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes that it reads."""
        return nodes_in(self._args, self._kwargs)

    @property
    def next(self) -> Any:
        """The node behind it."""
        return self.graph.neighbour(self, 1)

    @property
    def prev(self) -> Any:
        """The node before it."""
        return self.graph.neighbour(self, -1)

    def replace_all_uses_with(self, replace_with: Node, *_: object, **__: object) -> list[Node]:
        """Have its users read another node; gives these."""
        users = list(self.users)
        for user in users:
            user.replace_input_with(self, replace_with)
        return users

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Read another node in place of one."""

        def changed(node: Node) -> Node:
            return new_input if node is old_input else node

        self._use(map_nodes(self._args, changed), map_nodes(self._kwargs, changed))

    def update_arg(self, idx: int, arg: Any) -> None:
        """Put another argument at a place."""
        args = list(self._args)
        args[idx] = arg
        self._use(args, self._kwargs)

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Put another argument under a name."""
        self._use(self._args, {**self._kwargs, key: arg})

    def append(self, x: Node) -> None:
        """Move a node behind this one."""
        self.graph.move(x, self, 1)

    def prepend(self, x: Node) -> None:
        """Move a node before this one."""
        self.graph.move(x, self, 0)

    def is_impure(self) -> bool:
        """Whether it stays though nobody reads it."""
        return self.op in ("placeholder", "output")

    def format_node(self, *_: object, **__: object) -> str:
        """The line that a printed graph has for it."""
        return code.line_of(self)

    def __repr__(self) -> str:
        return self.name


class _Nodes:
    """The nodes of a graph, which may change while it is gone through."""

    def __init__(self, graph: Graph, step: int = 1) -> None:
        self._graph, self._step = graph, step

    def __len__(self) -> int:
        return len(self._graph.held)

    def __iter__(self) -> Iterator[Node]:
        for node in self._graph.held[:: self._step]:
            if node in self._graph.held:
                yield node

    def __reversed__(self) -> Iterator[Node]:
        return iter(_Nodes(self._graph, -self._step))


class _Insertion:
    """Where new nodes are put, at once and until its block ends."""

    def __init__(self, graph: Graph, place: tuple[Node, int] | None) -> None:
        self._graph, self._before = graph, graph.insertion
        graph.insertion = place

    def __enter__(self) -> None: ...

    def __exit__(self, *raised: object) -> None:
        self._graph.insertion = self._before


class Graph:
    """The steps of a module or a function, in the order in which they are made."""

    def __init__(self, owning_module: Any = None, *_: object, **__: object) -> None:
        self.held: list[Node] = []
        self.insertion: tuple[Node, int] | None = None
        self.owning_module = owning_module
        self._used: set[str] = set()
        self._counts: dict[str, int] = {}

    @property
    def nodes(self) -> _Nodes:
        """Its nodes."""
        return _Nodes(self)

    def neighbour(self, node: Node, step: int) -> Node | None:
        """The node behind (1) or before (-1) another."""
        place = self.held.index(node) + step
        return self.held[place] if 0 <= place < len(self.held) else None

    def move(self, node: Node, other: Node, step: int) -> None:
        """Put a node before (0) or behind (1) another."""
        self.held.remove(node)
        self.held.insert(self.held.index(other) + step, node)

    def unique_name(self, candidate: str) -> str:
        """A name that no node has, and nothing of Python's."""
        if _NUMBERED.match(candidate) is None:
            candidate = _ILLEGAL.sub("_", candidate) or "_unnamed"
            candidate = f"_{candidate}" if candidate[0].isdigit() else candidate
        match = _NUMBERED.match(candidate)
        base, number = match.group(1, 2) if match else (candidate, None)
        if number is None or candidate in self._used:
            count = self._counts.get(base, 0)
            if candidate in _TAKEN:
                count += 1
                candidate = f"{base}_{count}"
        else:
            count = int(number)
        while candidate in self._used:
            count += 1
            candidate = f"{base}_{count}"
        self._used.add(candidate)
        self._counts[base] = count
        return candidate

    def create_node(
        self, op: str, target: Any, args: Any = None, kwargs: Any = None, name: Any = None, type_expr: Any = None
    ) -> Node:
        """A new node at the place of insertion, else at the end."""
        called = code.spoken(target) if name is None else exact_name(name)
        node = Node(
            self,
            self.unique_name(_SNAKE.sub(r"_\1", called).lower() if name is None else called),
            op,
            target,
            args or (),
            kwargs or {},
            type_expr,
        )
        if self.insertion is None:
            self.held.append(node)
        else:
            other, step = self.insertion
            self.held.insert(self.held.index(other) + step, node)
            if step:
                self.insertion = node, 1
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = code.ABSENT) -> Node:
        """An input."""
        return self.create_node(
            "placeholder", name, () if default_value is code.ABSENT else (default_value,), type_expr=type_expr
        )

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """An attribute of the module."""
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(self, module_name: str, args: Any = None, kwargs: Any = None, type_expr: Any = None) -> Node:
        """A call of an inner module."""
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(self, method_name: str, args: Any = None, kwargs: Any = None, type_expr: Any = None) -> Node:
        """A call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self, the_function: Any, args: Any = None, kwargs: Any = None, type_expr: Any = None, name: Any = None
    ) -> Node:
        """A call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Any, type_expr: Any = None) -> Node:
        """The result."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def inserting_before(self, n: Node | None = None) -> _Insertion:
        """New nodes come before ``n``."""
        return _Insertion(self, (self.held[0] if n is None else n, 0) if self.held else None)

    def inserting_after(self, n: Node | None = None) -> _Insertion:
        """New nodes come behind ``n``."""
        return _Insertion(self, (self.held[-1] if n is None else n, 1) if self.held else None)

    def erase_node(self, to_erase: Node) -> None:
        """Take a node out that nobody reads."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: {to_erase.users}!"
            )
        to_erase.args, to_erase.kwargs = (), {}
        self.held.remove(to_erase)

    def eliminate_dead_code(self, *_: object) -> bool:
        """Take out what nobody reads; whether there was something."""
        before = len(self.held)
        for node in reversed(list(self.held)):
            if not node.users and not node.is_impure():
                self.erase_node(node)
        return len(self.held) < before

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """The nodes of a kind, and of a target where one is given."""
        return [node for node in self.held if node.op == op and (target is None or node.target == target)]

    def lint(self) -> None:
        """Raises RuntimeError where a node reads another one that comes later."""
        seen: set[Node] = set()
        for node in self.held:
            for each in node.all_input_nodes:
                if each not in seen:
                    raise RuntimeError(
                        f"Argument '{each}' of Node '{node}' was used before it has been defined! Please check that Nodes in"
                        f" the graph are topologically ordered\n{self}"
                    )
            seen.add(node)

    def print_tabular(self) -> None:
        """Print its nodes as a table."""
        code.print_tabular(self)

    def __str__(self) -> str:
        return "\n    ".join(["graph():", *(node.format_node() for node in self.held)])


Node.__module__ = "torch.fx.node"
Graph.__module__ = "torch.fx.graph"
_NODE: Final = (
    "all_input_nodes append args format_node graph is_impure kwargs meta name next op prepend prev replace_all_uses_with replace_input_with"
    " stack_trace target type update_arg update_kwarg users"
)
_GRAPH: Final = (
    "call_function call_method call_module create_node eliminate_dead_code erase_node find_nodes get_attr inserting_after"
    " inserting_before lint nodes output owning_module placeholder print_tabular"
)
allow(Node, _NODE.split(), writable=("args", "kwargs", "meta", "name", "op", "target", "type"), shown_as=Node)
allow(Graph, _GRAPH.split(), shown_as=Graph)
allow(_Nodes)
allow(_Insertion)
