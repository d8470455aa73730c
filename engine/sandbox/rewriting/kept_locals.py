"""What names the functions of a program had bound as they ended: most programs train in a function, and what is said of a run is
said of its models and optimizers by their names.

Only functions that train, and those that the program itself calls outside of its loops, are looked at, each in its last call.
A program that asks whether objects are still there, or does something as they go, is left alone, and generators, whose blocks
end as they go, are not kept.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from gradflow.engine.sandbox.loops import children
from gradflow.engine.sandbox.rewriting.results import statements
from gradflow.engine.sandbox.special_names import is_bindable

LOCALS: Final = "<locals>"
KEEP: Final = "<keep>"
TOO_DEEP: Final = "<too deep>"
_OF_TRAINING: Final = frozenset({"backward", "load_state_dict", "parameters", "state_dict", "step", "zero_grad"})
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class KeptLocals:
    """The names of the functions of one run, by the function and its line."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, int], dict[str, object]] = {}
        self._stays: dict[type, bool] = {}

    def keep(self, held: Mapping[str, object], name: str, line: int) -> None:
        """A call of a function is over, and these were its names."""
        stays = self._stays
        own = self._of[name, line] = {}
        for key, value in held.items():
            kind = type(value)
            if stays[kind] if kind in stays else stays.setdefault(kind, not _runs_as_it_goes(kind)):
                own[key] = value

    def of(self, name: str, line: int) -> Mapping[str, object]:
        """The names of one function; none where it was not looked at, or did not end."""
        return {key: value for key, value in self._of.get((name, line), {}).items() if is_bindable(key)}

    def names(self) -> dict[str, object]:
        """All of them together, without a name that means one thing here and another there."""
        found: dict[str, object] = {}
        apart: set[str] = set()
        for place in self._of:
            held = self.of(*place)
            apart |= {name for name, value in held.items() if name in found and found[name] is not value}
            found |= held
        return {name: value for name, value in found.items() if name not in apart}


def _runs_as_it_goes(kind: type) -> bool:
    """Whether the end of an object runs what the program wrote: a generator, and what goes by one."""
    return any(name in vars(each) for each in kind.__mro__ for name in ("__next__", "__exit__"))


def keep_locals(tree: ast.Module, text: str) -> None:
    """Have the functions of a module that train tell their names as they end, in place."""
    if "weakref" in text or "__del__" in text:
        return
    functions = [node for node in statements(tree) if isinstance(node, ast.FunctionDef)]
    started = _started(tree, {function.name for function in functions})
    for node in functions:
        if _is_kept(node, started):
            start = 1 if ast.get_docstring(node, clean=False) is not None else 0
            body = node.body[start:]
            if body:
                whole = ast.Try(body, [], [], [_told(node)])
                node.body[start:] = [ast.fix_missing_locations(ast.copy_location(whole, body[0]))]


def _told(node: ast.FunctionDef) -> ast.Try:
    """The call that tells the names. Where the program has gone too deep there is no room for one, and its own error is to stay."""
    held = ast.Call(ast.Name(LOCALS, ast.Load()), [], [])
    call = ast.Call(ast.Name(KEEP, ast.Load()), [held, ast.Constant(node.name), ast.Constant(node.lineno)], [])
    return ast.Try([ast.Expr(call)], [ast.ExceptHandler(ast.Name(TOO_DEEP, ast.Load()), None, [ast.Pass()])], [], [])


def _started(tree: ast.Module, names: set[str]) -> set[str]:
    """Of the names of functions those that the program calls outside of functions and loops, and names nowhere else: what functions
    call, they may call often."""
    calls = (node for node in _outside(tree.body, (*_SCOPES, ast.For, ast.While)) if isinstance(node, ast.Call))
    started = Counter(call.func.id for call in calls if isinstance(call.func, ast.Name) and call.func.id in names)
    if not started:
        return set()
    loads = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    return {name for name, count in started.items() if loads[name] == count}


def _is_kept(function: ast.FunctionDef, started: set[str]) -> bool:
    """Whether a function is started by the program, runs a pass or a step itself, or hands parameters on, and is no generator."""
    own = list(_outside(function.body, _SCOPES))
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own):
        return False
    called = (node.func for node in own if isinstance(node, ast.Call))
    return function.name in started or any(
        isinstance(each, ast.Attribute) and each.attr in _OF_TRAINING for each in called
    )


def _outside(body: list[ast.stmt], closed: tuple[type[ast.AST], ...]) -> Iterator[ast.AST]:
    """The nodes of a block, without what stands in nodes of some types."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, closed):
            waiting += children(node)
