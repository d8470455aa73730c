"""What Python a program may be written in: a RestrictedPython policy that refuses, or rewrites onto guarded functions.

Rewritten are attribute access, imports, classes, ``**`` and ``<<``; all else is compiled as it stands. The guarded
functions have names that cannot be spelled in source text (``<getattr>``), so a program cannot shadow them.
"""

from __future__ import annotations
import __future__

import ast
from collections.abc import Iterator
from typing import Final, NoReturn, TypeVar

from RestrictedPython.transformer import RestrictingNodeTransformer

from gradflow.engine.sandbox.loops import is_literal
from gradflow.engine.sandbox.policy_match import MatchPolicy
from gradflow.engine.sandbox.refusal import Refusal as Refusal
from gradflow.engine.sandbox.refusal import guarded_call, refuse
from gradflow.engine.sandbox.special_names import METADATA, METHODS, TABLES, is_special, is_unheard_of

GETATTR: Final = "<getattr>"
GETVALUE: Final = "<getvalue>"
WRITE: Final = "<write>"
IMPORT: Final = "<import>"
IMPORT_FROM: Final = "<import from>"
IMPORT_ALL: Final = "<import all>"
IMPORT_CALL: Final = "<import call>"
BASES: Final = "<bases>"
METACLASS: Final = "<metaclass>"
CLASS: Final = "<class>"
KEYWORDS: Final = "<keywords>"
SHIELD: Final = "<shield>"
POWER: Final = "<power>"
SHIFT: Final = "<shift>"
POWER_IN_PLACE: Final = "<power in place>"
SHIFT_IN_PLACE: Final = "<shift in place>"
ATTRIBUTES_IN_PLACE: Final = "<attributes in place>"
ITEMS_IN_PLACE: Final = "<items in place>"
LAST: Final = "<last>"
"""The name under which the value of the last statement is kept, where that is an expression."""

_SHIELDED = "__getattr__"
"""Defined by ``def`` or a plain assignment alone, for there a shield is put around it."""
_UNCALLED = ("__getstate__", "__setstate__", "__del__")
"""Methods that a class may define and that nothing calls: they are kept under names that nobody asks for, since ``copy``
would hand them the attributes of an object past the gate, and since objects end at times that no program chooses."""
_BOUND = METADATA | {"__doc__"}
"""Special names that a program may bind. Not ``__name__``, for every class statement takes its module from there."""
_BOUND_IN_CLASSES = _BOUND | (METHODS - {_SHIELDED}) | {"__slots__"}
_READ = frozenset({"__name__", "__file__", "__import__"})
"""Special names that it may only read."""

_PLAIN: Final = frozenset({ast.Constant, ast.Load, ast.Store, ast.Del, str, int, type(None)})
"""Classes of what stands in the fields of a node, has nothing below it and needs no look."""

Node = TypeVar("Node", bound=ast.AST)


class Policy(MatchPolicy, RestrictingNodeTransformer):
    """Rewrites a module in place. Raises `Refusal`. Node types that are unknown here are refused by the base class."""

    def __init__(self) -> None:
        super().__init__()
        self.classes: list[str] = []
        self.annotations_are_text = False
        self.called: ast.expr | None = None
        self.module = ast.Module([], [])

    def error(self, node: ast.AST, info: str) -> NoReturn:
        """Called by the base class for whatever it does not know."""
        refuse(node, _describe(node))

    def check_name(self, node: ast.AST, name: str | None, allow_magic_methods: bool = False) -> None:
        """Names that are bound may begin with underscores, but Python's own are out of reach."""
        allowed = _BOUND_IN_CLASSES if self._in_class_body else _BOUND
        if name in TABLES:
            refuse(node, f"the name `{name}`")
        if name is not None and is_special(name) and name not in allowed:
            refuse(node, f"another value for `{name}`" if name in _READ else f"the name `{name}`")

    @property
    def _in_class_body(self) -> bool:
        return bool(self.classes) and self.classes[-1] != ""

    # ---- names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if not (isinstance(node.ctx, ast.Load) and node.id in _READ):
            self.check_name(node, node.id)
        if node.id == "__import__":  # Python's own code looks for this name as well, and is to find another function
            node.id = IMPORT_CALL
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return node

    def visit_Global(self, node: ast.Global) -> ast.Global:
        for name in node.names:
            self.check_name(node, name)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.Nonlocal:
        for name in node.names:
            self.check_name(node, name)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        if is_special(node.arg):
            refuse(node, f"the name `{node.arg}`")
        return self._annotated(node, "annotation")

    def _annotated(self, node: Node, field: str) -> Node:
        """The contents of a node; with ``from __future__ import annotations`` an annotation is a text as it stands."""
        if not self.annotations_are_text:
            return self._contents(node)
        annotation = getattr(node, field)
        setattr(node, field, None)
        node = self._contents(node)
        setattr(node, field, annotation)
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.keyword:
        if node.arg is not None and is_special(node.arg):
            refuse(node, f"the name `{node.arg}`")
        return self._contents(node)

    # ---- attributes

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        name, reader = self._mangled(node.attr), GETATTR if node is self.called else GETVALUE
        node = self._contents(node)
        if isinstance(node.ctx, ast.Load):
            return guarded_call(reader, [node.value, ast.Constant(name)], node)
        node.value = guarded_call(WRITE, [node.value], node.value)
        return node

    def _mangled(self, name: str) -> str:
        """A private name ``__x`` as the compiler would write it inside a class."""
        owner = next((c for c in reversed(self.classes) if c), "").lstrip("_")
        return f"_{owner}{name}" if owner and name.startswith("__") and not name.endswith("__") else name

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        return self._contents(node)

    # ---- operators

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        node = self._contents(node)
        if isinstance(node.op, ast.Pow | ast.LShift):
            return guarded_call(POWER if isinstance(node.op, ast.Pow) else SHIFT, [node.left, node.right], node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.called = node.func
        node = self._contents(node)
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = guarded_call(KEYWORDS, [keyword.value], keyword.value)
        return node

    # ---- statements

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self.module = node
        return self._contents(node)

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        match node.targets:
            case [ast.Name(id=name)] if name == _SHIELDED and self._in_class_body:
                node.value = guarded_call(SHIELD, [self.visit(node.value)], node.value)
                return node
        return self._contents(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        return self._annotated(node, "annotation")

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        node = self._contents(node)
        if isinstance(node.op, ast.Pow | ast.LShift) and isinstance(node.target, ast.Name):
            function = POWER_IN_PLACE if isinstance(node.op, ast.Pow) else SHIFT_IN_PLACE
            left = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            return ast.copy_location(ast.Assign([node.target], guarded_call(function, [left, node.value], node)), node)
        if isinstance(node.op, ast.Pow | ast.LShift) and isinstance(node.target, ast.Attribute | ast.Subscript):
            function = ATTRIBUTES_IN_PLACE if isinstance(node.target, ast.Attribute) else ITEMS_IN_PLACE
            node.target.value = guarded_call(function, [node.target.value], node.target.value)
        return node

    def visit_With(self, node: ast.With) -> ast.With:
        return self._contents(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.NamedExpr:
        return self._contents(node)

    def guard_iter(self, node: Node) -> Node:
        """Iteration needs no guard: it reaches no attribute."""
        return self._contents(node)

    def node_contents_visit(self, node: Node) -> Node:
        """Visit what is below a node, but what has nothing below it and is always allowed: in half of the time of
        ``ast.NodeTransformer``."""
        for field in node._fields:
            value = getattr(node, field, None)
            if value.__class__ is list:
                value[:] = self._visited(value)
            elif value.__class__ not in _PLAIN and isinstance(value, ast.AST):
                visited = self.visit(value)
                if visited is None:
                    delattr(node, field)
                else:
                    setattr(node, field, visited)
        return node

    def _visited(self, values: list[object]) -> Iterator[object]:
        for value in values:
            if value.__class__ in _PLAIN or not isinstance(value, ast.AST) or is_literal(value):
                yield value
            elif isinstance(visited := self.visit(value), ast.AST):
                yield visited
            elif visited is not None:
                yield from visited

    def _contents(self, node: Node) -> Node:
        return self.node_contents_visit(node)

    # ---- functions and classes

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if self._in_class_body and (node.name in _UNCALLED or self._is_never_asked_for(node.name)):
            node.name = f"_<{node.name}>"
        shielded = self._in_class_body and node.name == _SHIELDED
        if not shielded:
            self.check_name(node, node.name)
        node = self._function(node, "returns")
        if shielded:
            node.decorator_list.insert(0, ast.copy_location(ast.Name(SHIELD, ast.Load()), node))
        return node

    def _is_never_asked_for(self, name: str) -> bool:
        """Whether a method has a name that means nothing to Python, and that the program nowhere reads either: ``__length__``."""
        return is_unheard_of(name) and not any(
            name in (getattr(node, "attr", None), getattr(node, "id", None))
            or (isinstance(value := getattr(node, "value", None), str) and name in value)
            for node in ast.walk(self.module)
        )

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return self._function(node)

    def _function(self, node: Node, annotation: str = "") -> Node:
        self.classes.append("")
        node = self._annotated(node, annotation) if annotation else self._contents(node)
        self.classes.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.check_name(node, node.name)
        node.keywords = [self._class_keyword(self.visit(keyword)) for keyword in node.keywords]
        node.bases = [self.visit(base) for base in node.bases]
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        self.classes.append(node.name)
        node.body = [replaced for statement in node.body for replaced in _as_list(self.visit(statement))]
        self.classes.pop()
        if node.bases:
            place = node.bases[0]
            node.bases = [ast.copy_location(ast.Starred(guarded_call(BASES, node.bases, place), ast.Load()), place)]
        node.decorator_list.append(ast.copy_location(ast.Name(CLASS, ast.Load()), node))
        return node

    def _class_keyword(self, keyword: ast.keyword) -> ast.keyword:
        if keyword.arg is None:
            refuse(keyword, "`**` in the head of a class")
        if keyword.arg == "metaclass":
            keyword.value = guarded_call(METACLASS, [keyword.value], keyword.value)
        return keyword

    # ---- imports

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        return [self._import(node, alias) for alias in node.names]

    def _import(self, node: ast.stmt, alias: ast.alias) -> ast.stmt:
        bound = alias.asname or alias.name.split(".")[0]
        self.check_name(node, bound)
        module = guarded_call(IMPORT, [ast.Constant(alias.name), ast.Constant(alias.asname is not None)], alias)
        return _assign(bound, module, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | list[ast.stmt]:
        if node.module == "__future__":
            return self._future(node)
        if node.level:
            refuse(node, "a relative import")
        return [self._import_from(node, alias) for alias in node.names]

    def _future(self, node: ast.ImportFrom) -> ast.ImportFrom:
        for alias in node.names:
            if alias.name not in __future__.all_feature_names:
                raise SyntaxError(
                    f"future feature {alias.name} is not defined",
                    ("", node.lineno, node.col_offset + 1, None, node.end_lineno, (node.end_col_offset or 0) + 1),
                )
            self.annotations_are_text |= alias.name == "annotations"
        return node

    def _import_from(self, node: ast.ImportFrom, alias: ast.alias) -> ast.stmt:
        module = ast.Constant(node.module)
        if alias.name == "*":
            return ast.copy_location(ast.Expr(guarded_call(IMPORT_ALL, [module], node)), node)
        bound = alias.asname or alias.name
        self.check_name(node, bound)
        return _assign(bound, guarded_call(IMPORT_FROM, [module, ast.Constant(alias.name)], alias), node)


def _assign(name: str, value: ast.expr, place: ast.stmt) -> ast.stmt:
    target = ast.copy_location(ast.Name(name, ast.Store()), place)
    return ast.copy_location(ast.Assign([target], value), place)


def _as_list(visited: ast.stmt | list[ast.stmt]) -> list[ast.stmt]:
    return visited if isinstance(visited, list) else [visited]


def _describe(node: ast.AST) -> str:
    match node:
        case ast.AsyncFunctionDef() | ast.AsyncFor() | ast.AsyncWith() | ast.Await():
            return "`async` and `await`"
        case ast.TryStar():
            return "`except*`"
        case _:
            return f"`{type(node).__name__}`"
