"""Where a value came from, as the text of the program tells: assignments, arguments, what functions return."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

from gradflow.engine.diagnosis.bindings import ADDERS, bindings
from gradflow.engine.diagnosis.case import UNKNOWN, Case, start_of
from gradflow.engine.diagnosis.value_pairs import gives_pair
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.stand_ins import Module
from gradflow.engine.tensor import Tensor

_MOST: Final = 400
Function = ast.FunctionDef | ast.Lambda
_SEVERAL = (ast.Tuple, ast.List, ast.Dict)


class Flow:
    """The expressions that the value of another one was computed from."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self._looked_up: set[str] = set()

    def behind(self, node: ast.expr) -> Iterator[ast.expr]:
        """An expression, and those that its value was computed from, nearest first."""
        seen: set[ast.AST] = {node}
        waiting: deque[ast.expr] = deque([node])
        while waiting and len(seen) < _MOST:
            current = waiting.popleft()
            yield current
            for one in self._before(current):
                if one not in seen:
                    seen.add(one)
                    waiting.append(one)

    def _before(self, node: ast.expr) -> Iterator[ast.expr]:
        match node:
            case ast.Name(id=name):
                yield from self.assigned(node, name)
            case ast.Attribute(value=value, attr=attr):
                yield value
                yield from self._attributes(node, attr)
            case ast.Call():
                yield from self._of_call(node)
            case ast.IfExp(body=body, orelse=orelse):
                yield from (body, orelse)
            case ast.ListComp(elt=elt, generators=generators) | ast.GeneratorExp(elt=elt, generators=generators):
                yield elt
                yield from (one.iter for one in generators)
            case ast.Lambda():
                return
            case _:
                yield from (one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr))

    def _of_call(self, call: ast.Call) -> Iterator[ast.expr]:
        for function in self.called(call):
            yield from returned(function)
        if isinstance(call.func, ast.Attribute):
            yield call.func.value
        elif isinstance(self.case.value(call.func), Layer):
            yield call.func
        yield from call.args
        yield from (keyword.value for keyword in call.keywords)

    def called(self, call: ast.Call) -> list[Function]:
        """The functions of the program that a call can run: by their name, or the ``forward`` of what is called."""
        value = self.case.value(call.func)
        if isinstance(value, Layer):
            methods = self.methods(type(value).__name__)
            return [methods["forward"]] if "forward" in methods else []
        if isinstance(call.func, ast.Name) and "__call__" in (methods := self.methods(type(value).__name__)):
            return [methods["__call__"]]
        if isinstance(call.func, ast.Attribute) and isinstance(self.case.value(call.func.value), Module):
            return []  # ``torch.autograd.grad``, whatever the program calls ``grad``
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
        if isinstance(call.func, ast.Attribute) and name == "apply" and isinstance(call.func.value, ast.Name):
            methods = self.methods(call.func.value.id)
            return [methods["forward"]] if "forward" in methods else []
        defined: list[Function] = [one for one in self.case.nodes(ast.FunctionDef) if one.name == name]
        if not defined and isinstance(call.func, ast.Name):
            return self._lambdas(call.func)
        return defined[-1:]

    def layers(self, name: ast.Name) -> list[Layer]:
        """The models that a parameter was given, by what the calls of its function give for it."""
        if name.id in self._looked_up or self.case.value(name) is not UNKNOWN:
            return []
        self._looked_up.add(name.id)
        try:
            given = [self.case.value(one) for one in self.assigned(name, name.id)]
            return [one for one in given if isinstance(one, Layer)]
        finally:
            self._looked_up.discard(name.id)

    def _lambdas(self, name: ast.Name) -> list[Function]:
        """The functions without a name that a name may stand for. What is given for a parameter is looked for among all calls, and so once."""
        if name.id in self._looked_up:
            return []
        self._looked_up.add(name.id)
        try:
            return [one for one in self.assigned(name, name.id) if isinstance(one, ast.Lambda)]
        finally:
            self._looked_up.discard(name.id)

    def methods(self, name: str) -> dict[str, ast.FunctionDef]:
        """The methods of a class of the program."""
        owners = [node for node in self.case.nodes(ast.ClassDef) if node.name == name]
        return {one.name: one for owner in owners[-1:] for one in owner.body if isinstance(one, ast.FunctionDef)}

    def scope(self, node: ast.AST) -> ast.AST:
        """The function or the program whose variables a node uses."""
        current = self.case.parents.get(node)
        while current is not None and not isinstance(current, ast.FunctionDef | ast.Lambda | ast.Module):
            current = self.case.parents.get(current)
        return current or self.case.program.tree

    def assigned(self, use: ast.AST, name: str) -> Iterator[ast.expr]:
        """What a name may stand for where it is used: the values given to it, those before the use first, the last of them first."""
        scope = self.scope(use)
        while True:
            found = sorted(self._bound_in(scope, name), key=start_of, reverse=True)
            line = getattr(use, "lineno", 0)
            before = [one for one in found if one.lineno <= line and not self._stands_in(use, one)]
            yield from before
            yield from (one for one in found if one not in before)
            yield from self._arguments(scope, name)
            if found or isinstance(scope, ast.Module):
                return
            scope = self.scope(scope)

    def _stands_in(self, node: ast.AST, outer: ast.AST) -> bool:
        """Whether a node is a part of another one: ``x = f(x)`` uses the value before."""
        current: ast.AST | None = node
        while current is not None and current is not outer:
            current = self.case.parents.get(current)
        return current is outer

    def _bound_in(self, scope: ast.AST, name: str) -> Iterator[ast.expr]:
        for node in bindings(self.case.program.tree).of(scope, name):
            match node:
                case ast.Assign(targets=targets, value=value) if any(_binds(target, name) for target in targets):
                    yield _part(targets, value, name)
                case ast.AugAssign(target=target, value=value) if _binds(target, name):
                    yield value
                case ast.AnnAssign(target=target, value=ast.expr() as value) if _binds(target, name):
                    yield value
                case ast.NamedExpr(target=ast.Name(id=target_name), value=value) if target_name == name:
                    yield value
                case ast.For(target=target, iter=source) | ast.comprehension(target=target, iter=source) if _binds(
                    target, name
                ):
                    yield source
                case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attr), args=args) if (
                    owner == name and attr in ADDERS
                ):
                    yield from args[-1:]

    def _arguments(self, scope: ast.AST, name: str) -> Iterator[ast.expr]:
        """What the calls of a function give for one of its parameters."""
        if not isinstance(scope, ast.FunctionDef):
            return
        names = [argument.arg for argument in (*scope.args.posonlyargs, *scope.args.args)]
        if name not in names:
            return
        for call in self.case.nodes(ast.Call):
            if scope in self.called(call) or self._makes(call, scope):
                for keyword in call.keywords:
                    if keyword.arg == name:
                        yield keyword.value
                position = names.index(name) - (names[:1] in (["self"], ["ctx"]))
                if 0 <= position < len(call.args):
                    yield call.args[position]
                elif name not in [keyword.arg for keyword in call.keywords]:
                    yield from default_of(scope, name)

    def _makes(self, call: ast.Call, scope: ast.FunctionDef) -> bool:
        """Whether a call makes an object of the class whose ``__init__`` this is."""
        owner = self.case.parents.get(scope)
        named = isinstance(owner, ast.ClassDef) and isinstance(call.func, ast.Name) and call.func.id == owner.name
        return named and scope.name == "__init__"

    def _attributes(self, node: ast.Attribute, attr: str) -> Iterator[ast.expr]:
        """What ``self.x`` is given anywhere in the class."""
        if not isinstance(node.value, ast.Name) or node.value.id != "self":
            return
        for other in self.case.nodes(ast.Assign):
            for target in other.targets:
                if _is_own(target, attr):
                    yield other.value
                elif isinstance(target, ast.Tuple) and isinstance(other.value, ast.Tuple):
                    pairs = zip(target.elts, other.value.elts, strict=False)
                    yield from (value for one, value in pairs if _is_own(one, attr))

    def kept(self, node: ast.Attribute) -> list[ast.expr]:
        """What is kept in ``self.x``; of ``trainer.x`` that of an object's own class is not looked for."""
        return list(self._attributes(node, node.attr))

    # ---- values

    def tensor(self, node: ast.expr) -> Tensor | None:
        """The tensor that an expression gave, where that is known; of a name in another function, what it was given."""
        if isinstance(node, ast.Call) and isinstance(self.case.value(node.func), type):
            return None  # what a constructor made last is not what it gives
        value = self.case.value(node)
        if isinstance(node, ast.Name) and isinstance(value, Tensor) and self._bound_again(node):
            before = next((one for one in self.assigned(node, node.id)), None)
            made = self.case.value(before) if before is not None and not isinstance(before, ast.Name) else UNKNOWN
            return made if isinstance(made, Tensor) else value
        if isinstance(value, Tensor):
            return value
        if isinstance(node, ast.Name) and value is UNKNOWN:
            for given in self.assigned(node, node.id):
                made = self.case.value(given) if not isinstance(given, ast.Name) else UNKNOWN
                if made is UNKNOWN and isinstance(given, ast.Call):
                    made = self._given_back(given)
                if isinstance(made, Tensor):
                    return made
        if not isinstance(node, ast.Call):
            return None
        back = self._given_back(node)
        return back if back is not None else self._handed_through(node)

    def _handed_through(self, call: ast.Call) -> Tensor | None:
        """The tensor that a function of the program was given and gives back as it is."""
        for function in self.called(call):
            results = returned(function)
            names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
            if len(results) != 1 or not isinstance(results[0], ast.Name) or results[0].id not in names:
                return None
            name = results[0].id
            if isinstance(function, ast.FunctionDef) and any(True for _ in self._bound_in(function, name)):
                return None
            at = names.index(name) - (names[:1] == ["self"])
            return self.tensor(call.args[at]) if 0 <= at < len(call.args) else None
        return None

    def _bound_again(self, node: ast.Name) -> bool:
        """Whether a name that was used in a line was given another value since, up to the line of the error."""
        if node.lineno >= self.case.span.line:
            return False
        scope = self.scope(node)
        return any(
            isinstance(one, ast.Name)
            and one.id == node.id
            and isinstance(one.ctx, ast.Store)
            and node.lineno <= one.lineno < self.case.span.line
            and self.scope(one) is scope
            for one in ast.walk(scope)
        )

    def _given_back(self, call: ast.Call) -> Tensor | None:
        """The tensor that a function of the program returned, or a layer gave, when the call ran last."""
        span = self.case.program.span_of(call)
        made = self.case.context.within_call(span) if span is not None else ()
        if not made:
            return None
        for function in self.called(call):
            results = returned(function)
            if not results or any(isinstance(one, _SEVERAL) for one in results):
                return None
            ends = [one for each in results for one in self._ends(each)]
            if any(gives_pair(self.case, one) for one in ends):
                return None
            spans = [self.case.program.span_of(one) for one in ends]
            known = [one for one in made if self.case.context.span_at(one.place) in spans]
            return known[-1].tensor if known else None
        return None

    def _ends(self, result: ast.expr) -> Iterator[ast.expr]:
        """A returned expression; of a name what was assigned to it."""
        if isinstance(result, ast.Name):
            yield from (one for one in self.assigned(result, result.id) if not isinstance(one, _SEVERAL))
        elif isinstance(result, ast.IfExp):
            yield from (result.body, result.orelse)
        else:
            yield result

    def requires_grad(self, node: ast.expr) -> bool:
        """Whether something that an expression was computed from requires a gradient."""
        for one in self.behind(node):
            tensor = self.tensor(one)
            if tensor is not None and tensor.requires_grad:
                return True
            if isinstance(value := self.case.value(one), Layer) and any(p.requires_grad for p in value.parameters()):
                return True
            if isinstance(one, ast.Call) and _makes_parameter(self.case.value(one.func), one):
                return True
        return False


def _makes_parameter(made: object, call: ast.Call) -> bool:
    """``nn.Parameter(...)``, unless it is said that it needs no gradient."""
    return isinstance(made, type) and made.__name__ == "Parameter" and not call.keywords and len(call.args) < 2


def _is_own(target: ast.expr, attr: str) -> bool:
    """Whether a target is an attribute of ``self``."""
    return isinstance(target, ast.Attribute) and target.attr == attr and ast.unparse(target.value) == "self"


def default_of(function: ast.FunctionDef, name: str) -> list[ast.expr]:
    """The default of a parameter, if it has one."""
    given = [*function.args.posonlyargs, *function.args.args][::-1]
    pairs = [*zip(given, function.args.defaults[::-1], strict=False)]
    pairs += [
        (one, value)
        for one, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
        if value is not None
    ]
    return [value for parameter, value in pairs if parameter.arg == name]


def loops_of(case: Case) -> list[ast.For | ast.comprehension]:
    """The loops of the program, with those of its comprehensions."""
    return [one for one in case.program.nodes if isinstance(one, ast.For | ast.comprehension)]


def _binds(target: ast.AST, name: str) -> bool:
    match target:
        case ast.Name(id=bound):
            return bound == name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_binds(part, name) for part in parts)
        case ast.Starred(value=value):
            return _binds(value, name)
        case ast.Subscript(value=value):
            return _binds(value, name)
    return False


def _part(targets: Iterable[ast.expr], value: ast.expr, name: str) -> ast.expr:
    """``a, b = 1, 2``: of the two values the one of this name."""
    for target in targets:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, given in zip(target.elts, value.elts, strict=True):
                if _binds(one, name):
                    return given
    return value


def returned(function: Function) -> list[ast.expr]:
    """What a function gives back."""
    if isinstance(function, ast.Lambda):
        return [function.body]
    return [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
