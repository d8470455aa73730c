"""``torch.fx.GraphModule`` and ``Interpreter``: a graph, carried out step by step over the parts of a module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.fx import code
from gradflow.engine.namespace.fx.graph import Graph, Node, map_nodes
from gradflow.engine.namespace.fx.targets import GETATTR
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.module_attributes import table_of
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.sandbox.gate import exact_name, read_attribute, type_name
from gradflow.engine.sandbox.rules import exact_keywords
from gradflow.engine.tensor import Tensor

_TO_SEE: Final = "\n# To see more debug info, please use `graph_module.print_readable()`"


def _part(module: Any, path: str) -> Any:
    for name in exact_name(path).split("."):
        inner = module._modules.get(name) if isinstance(module, Module) else None
        module = _own_attribute(module, name) if inner is None else inner
    return module


def _own_attribute(module: Any, name: str) -> Any:
    held = vars(module).get(name) if isinstance(module, Module) else None
    return held if isinstance(held, Tensor) else read_attribute(module, name)


def _graph(given: Any) -> Graph:
    if not isinstance(given, Graph):
        raise errors.CALL_REFUSED(name=f"Interpreter() of {type_name(given)}")
    return given


class Interpreter:
    """Carries out a graph, node by node; a program may redefine what a kind of node does."""

    def __init__(self, module: Any, garbage_collect_values: bool = True, graph: Any = None) -> None:
        self.module = module
        self.graph = _graph(read_attribute(module, "graph") if graph is None else graph)
        self.env: dict[Node, Any] = {}
        self.args_iter: Any = iter(())

    def run(self, *args: Any, initial_env: Any = None, enable_io_processing: bool = True) -> Any:
        """The output for these inputs."""
        self.env = dict(initial_env or {})
        self.args_iter = iter(args)
        for node in list(_graph(self.graph).held):  # which the program may have set
            if node not in self.env:
                self.env[node] = self.run_node(node)
            if node.op == "output":
                return self.env[node]
        return None

    def run_node(self, n: Node) -> Any:
        """What a node gives."""
        if not isinstance(n, Node):
            raise TypeError(f"a Node is expected, not {type_name(n)}")
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        match n.op:
            case "placeholder":
                step = self.placeholder
            case "get_attr":
                step = self.get_attr
            case "call_function":
                step = self.call_function
            case "call_method":
                step = self.call_method
            case "call_module":
                step = self.call_module
            case _:
                step = self.output
        return step(n.target, args, kwargs)

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[Any, Any]:
        """The arguments of a node, with the values of the nodes in them."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """Arguments with the values of the nodes in them."""
        return map_nodes(args, lambda node: self.env[node])

    def fetch_attr(self, target: str) -> Any:
        """An attribute of the module, by its path."""
        return _part(self.module, target)

    def placeholder(self, target: Any, args: Any, kwargs: Any) -> Any:
        """The next input."""
        missing = object()
        found = next(self.args_iter, missing)
        if found is not missing:
            return found
        if args:
            return args[0]
        raise RuntimeError(f"Expected positional argument for parameter {target}, but one was not passed in!")

    def get_attr(self, target: Any, args: Any, kwargs: Any) -> Any:
        """An attribute of the module."""
        return self.fetch_attr(target)

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        """What a function gives."""
        if target is GETATTR:
            return read_attribute(args[0], exact_name(args[1]))
        return target(*args, **exact_keywords(kwargs))

    def call_method(self, target: Any, args: Any, kwargs: Any) -> Any:
        """What a method of the first argument gives."""
        own, *rest = args
        return read_attribute(own, exact_name(target))(*rest, **exact_keywords(kwargs))

    def call_module(self, target: Any, args: Any, kwargs: Any) -> Any:
        """What an inner module gives."""
        return self.fetch_attr(target)(*args, **exact_keywords(kwargs))

    def output(self, target: Any, args: Any, kwargs: Any) -> Any:
        """The result."""
        return args[0]


class GraphModule(Module):
    """A module that computes a graph, with those parts of ``root`` that the graph names."""

    def __init__(self, root: Any, graph: Any, class_name: str = "GraphModule") -> None:
        super().__init__()
        if not isinstance(graph, Graph):
            raise errors.CALL_REFUSED(name=f"GraphModule() of {type_name(graph)}")
        self.__dict__["_title"] = str(class_name)
        self.__dict__["_graph"] = graph
        graph.owning_module = self
        self.training = root.training if isinstance(root, Module) else True
        for node in graph.held:
            if node.op in ("get_attr", "call_module"):
                _take(self, root, exact_name(node.target))

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self.__dict__["_graph"]

    @property
    def code(self) -> str:
        """The code of its ``forward``."""
        return code.code_of(self.graph)

    def recompile(self) -> None:
        """Nothing to do: the graph is carried out as it stands."""

    def delete_all_unused_submodules(self) -> None:
        """Leave out the inner modules that no node names."""
        used = [node.target for node in self.graph.held if node.op in ("call_module", "get_attr")]
        for name in [name for name, _ in Module.named_modules(self) if name]:
            if not any(f"{path}.".startswith(f"{name}.") for path in used):
                package, _, last = name.rpartition(".")
                table_of(_part(self, package) if package else self, "_modules").pop(last, None)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The output of the graph."""
        names = [node.target for node in self.graph.held if node.op == "placeholder"]
        given = [*args]
        for place, node in enumerate(each for each in self.graph.held if each.op == "placeholder"):
            if place < len(args):
                continue
            if node.target in kwargs:
                given.append(kwargs[node.target])
            elif node.args:
                given.append(node.args[0])
            else:
                raise TypeError(f"forward() missing 1 required positional argument: '{node.target}'")
        if len(args) > len(names):
            raise TypeError(f"forward() takes {len(names) + 1} positional arguments but {len(args) + 1} were given")
        return Interpreter(self).run(*given)

    def _get_name(self) -> str:
        return self.__dict__["_title"]

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self.code}{_TO_SEE}"


def _take(module: GraphModule, root: Any, path: str) -> None:
    *packages, last = path.split(".")
    found = root[path] if type(root) is dict else _part(root, path)
    own: Any = module
    for name in packages:
        if name not in own._modules:
            own.add_module(name, Module())
        own = own._modules[name]
    if isinstance(found, Module):
        own.add_module(last, found)
    elif isinstance(found, Parameter):
        own.register_parameter(last, found)
    elif isinstance(found, Tensor):
        if last not in own._buffers:
            own.register_buffer(last, found)
    else:
        raise errors.CALL_REFUSED(name=f"an attribute of a graph that is a {type_name(found)}")


GraphModule.__module__ = "torch.fx.graph_module"
Interpreter.__module__ = "torch.fx.interpreter"
INTERPRETER: Final = (
    "args_iter call_function call_method call_module env fetch_args_kwargs_from_env fetch_attr get_attr graph map_nodes_to_values module output placeholder"
    " run run_node"
)


def members() -> Mapping[str, Any]:
    """What ``torch.fx`` has of it."""
    return {"GraphModule": GraphModule, "Interpreter": Interpreter, "Graph": Graph, "Node": Node}
