"""How nodes of ``torch.fx`` are written: lines of a printed graph, the code of a ``forward``, qualified names, the table."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.fx.targets import GETATTR, name_of, operator_named
from gradflow.engine.pytorch import FILLED_KEYWORDS
from gradflow.engine.sandbox.gate import is_program_function
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, dtypes

ABSENT: Final = object()


class Named:
    """What is written by its name: a node, of which another one is an argument."""

    name: str


_SIGNS: Final = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "truediv": "/", "mod": "%", "pow": "**", "lshift": "<<", "rshift": ">>",
    "and_": "&", "or_": "|", "xor": "^", "matmul": "@", "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=",
}  # fmt: skip
_PREFIXES: Final = {"pos": "+", "neg": "-", "invert": "~"}


@cache
def recorded() -> dict[str, list[str]]:
    """What PyTorch's functions of ``torch.nn.functional`` hand on: the qualified name, parameters, those by place, those by name."""
    lines = (line.split(" ", 1) for line in FILLED_KEYWORDS)
    return {name: [part.strip() for part in told.split("|")] for name, told in lines}


@cache
def _functional() -> dict[int, str]:
    return {id(function): name for name, function in torch_nn_functional.functions().items()}


def functional_name(function: Any) -> str | None:
    """The name of a function of ``torch.nn.functional`` alone."""
    return _functional().get(id(function))


def qualified_name(function: Any) -> str:
    """``torch.nn.functional.relu``."""
    name = name_of(function)
    if function is GETATTR:
        return name
    if operator_named(name) is function:
        return f"_operator.{name}"
    own = functional_name(function)
    if own is not None:
        told = recorded().get(own)
        return f"torch.nn.functional.{own}" if told is None else told[0]
    home = function.__module__ if is_program_function(function) else "torch"
    return f"{home}.{name}"


def spoken(target: Any) -> str:
    """What a node is named after."""
    name: str = target.__name__ if callable(target) else str(target)
    return name[2:-2] if not callable(target) and name.startswith("__") and name.endswith("__") else name


def type_text(kind: Any) -> str:
    """An annotation as code has it."""
    if kind is Tensor or getattr(kind, "__name__", "") == "Tensor":
        return "torch.Tensor"
    return kind if isinstance(kind, str) else getattr(kind, "__name__", None) or repr(kind)


def _formatted(argument: Any) -> str:
    if type(argument) is list:
        return f"[{', '.join(map(_formatted, argument))}]"
    if type(argument) is tuple:
        return f"({', '.join(map(_formatted, argument))}{',' if len(argument) == 1 else ''})"
    if type(argument) is dict:
        return f"{{{', '.join(f'{name}: {_formatted(each)}' for name, each in argument.items())}}}"
    return f"%{argument}" if isinstance(argument, Named) else str(argument)


def line_of(node: Any) -> str:
    """The line of a node in a printed graph."""
    users = f"[num_users={len(node.users)}]"
    kind = f"{type_text(node.type)} " if node.type is not None else ""
    if node.op == "placeholder":
        default = f"(default={node.args[0]})" if node.args else ""
        return f"%{node.name} : {kind}{users} = placeholder[target={node.target}]{default}"
    if node.op == "output":
        return f"return {node.args[0]}"
    head = f"%{node.name} : {kind}{users} = {node.op}[target={_shown_target(node.target)}]"
    if node.op == "get_attr":
        return head
    return f"{head}(args = {_formatted(node.args)}, kwargs = {_formatted(node.kwargs)})"


def _shown_target(target: Any) -> str:
    if isinstance(target, str):
        return target
    name = qualified_name(target)
    return "builtins.getattr" if name == "getattr" else name.replace("_operator.", "operator.")


# ---- the code of a forward


def _written(argument: Any) -> str:
    if type(argument) is tuple and not hasattr(argument, "_fields"):
        return f"({', '.join(map(_written, argument))}{',' if len(argument) == 1 else ''})"
    if type(argument) is list:
        return f"[{', '.join(map(_written, argument))}]"
    if type(argument) is dict:
        return f"{{{', '.join(f'{name!r}: {_written(each)}' for name, each in argument.items())}}}"
    if type(argument) is slice:
        return f"slice({_written(argument.start)}, {_written(argument.stop)}, {_written(argument.step)})"
    if isinstance(argument, dtypes.dtype):
        return repr(argument)
    return repr(argument)


def _path(base: str, target: str) -> str:
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


def _arguments(args: Any, kwargs: Any) -> str:
    return ", ".join([*map(_written, args), *(f"{name} = {_written(each)}" for name, each in kwargs.items())])


def _function_call(node: Any) -> str:
    name, args = qualified_name(node.target), node.args
    if name.startswith("_operator."):
        plain = name.removeprefix("_operator.")
        if plain in _SIGNS and len(args) == 2:
            return f"{_written(args[0])} {_SIGNS[plain]} {_written(args[1])}"
        if plain in _PREFIXES:
            return f"{_PREFIXES[plain]}{_written(args[0])}"
        if plain == "getitem":
            return f"{_written(args[0])}[{_written(args[1])}]"
    if name == "getattr" and len(args) == 2 and str(args[1]).isidentifier():
        return f"{_written(args[0])}.{args[1]}"
    return f"{name.replace('.', '_') if not name.startswith('torch.') and '.' in name else name}({_arguments(args, node.kwargs)})"


def _statement(node: Any) -> str:
    if node.op == "call_method":
        value = f"{_path(_written(node.args[0]), node.target)}({_arguments(node.args[1:], node.kwargs)})"
    elif node.op == "call_function":
        value = _function_call(node)
    elif node.op == "call_module":
        value = f"{_path('self', node.target)}({_arguments(node.args, node.kwargs)})"
    else:
        value = _path("self", node.target)
    kind = f" : {type_text(node.type)}" if node.type is not None else ""
    return f"{node.name}{kind} = {value}"


def _last_uses(nodes: list[Any]) -> dict[Any, list[Any]]:
    last: dict[Any, list[Any]] = {}
    seen: set[Any] = set()
    for node in reversed(nodes):
        for each in node.all_input_nodes:
            if each not in seen:
                seen.add(each)
                last.setdefault(node, []).append(each)
    return last


def code_of(graph: Any) -> str:
    """The code of the ``forward`` that computes a graph, as ``GraphModule.code`` has it."""
    nodes = graph.held
    last = _last_uses(nodes)
    inputs, lines, returned = ["self"], [], ""
    for node in nodes:
        if node.op == "placeholder":
            kind = f" : {type_text(node.type)}" if node.type is not None else ""
            inputs.append(f"{node.target}{kind}" + (f" = {_written(node.args[0])}" if node.args else ""))
            if node.target != node.name:
                lines.append(f"{node.name} = {node.target}")
        elif node.op == "output":
            returned = f" -> {type_text(node.type)}" if node.type is not None else ""
            lines.append(f"return {_written(node.args[0])}")
        else:
            done = [*last.get(node, ()), *([] if node.users else [node])]
            ending = f";  {' = '.join(each.name for each in done)} = None" if done else ""
            lines.append(_statement(node) + ending)
    body = "\n".join(f"    {line}" for line in lines or ["pass"])
    return f"\n\n\ndef forward({', '.join(inputs)}){returned}:\n{body}\n    "


def print_tabular(graph: Any) -> None:
    """Print the nodes of a graph as the package ``tabulate`` does."""
    heads = ["opcode", "name", "target", "args", "kwargs"]
    rows = [[str(each) for each in (node.op, node.name, node.target, node.args, node.kwargs)] for node in graph.held]
    widths = [max(len(head) + 2, *map(len, column)) for head, *column in zip(heads, *rows, strict=True)]
    lines = [heads, ["-" * width for width in widths], *rows]
    text = "\n".join(
        "  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
    STATE.show(f"{text}\n")
