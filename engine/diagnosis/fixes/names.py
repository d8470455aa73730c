"""Fixes of names: "did you mean", missing imports, and what was written in Python 2."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cache
from importlib import import_module
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.bindings import registered_name
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.diagnosis.fixes.plots import without_module
from gradflow.engine.errors.language import python
from gradflow.engine.pytorch import exists
from gradflow.engine.sandbox import gate
from gradflow.engine.tensor.dtypes import BY_NAME
from gradflow.engine.trace import Edit, Fix, Text

IMPORTS: Final[dict[str, str]] = {
    "torch": "import torch",
    "t": "import torch as t",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "nn": "import torch.nn as nn",
    "F": "import torch.nn.functional as F",
    "optim": "import torch.optim as optim",
    "autograd": "from torch import autograd",
    "Variable": "from torch.autograd import Variable",
    "Parameter": "from torch.nn import Parameter",
    "Function": "from torch.autograd import Function",
    "DataLoader": "from torch.utils.data import DataLoader",
    "TensorDataset": "from torch.utils.data import TensorDataset",
    "Dataset": "from torch.utils.data import Dataset",
    "deepcopy": "from copy import deepcopy",
    "OrderedDict": "from collections import OrderedDict",
    "defaultdict": "from collections import defaultdict",
    "Counter": "from collections import Counter",
    "namedtuple": "from collections import namedtuple",
    "partial": "from functools import partial",
    "dataclass": "from dataclasses import dataclass",
    **{
        module: f"import {module}"
        for module in ("math", "random", "time", "itertools", "functools", "collections", "copy", "re", "json", "sys")
    },
}
_PYTHON_2: Final = {
    "xrange": "range", "unicode": "str", "long": "int", "unichr": "chr", "raw_input": "input", "basestring": "str",
    "true": "True", "false": "False", "TRUE": "True", "FALSE": "False", "none": "None", "null": "None", "NULL": "None",
    "nil": "None", "nullptr": "None", "this": "self",
}  # fmt: skip
_FULL: Final = {
    "torch.grad": "autograd.grad",
    "torch.backward": "autograd.backward",
    "torch.Variable": "autograd.Variable",
    "torch.Function": "autograd.Function",
    "torch.mse_loss": "nn.functional.mse_loss",
    "torch.cross_entropy": "nn.functional.cross_entropy",
    "torch.one_hot": "nn.functional.one_hot",
    "torch.Linear": "nn.Linear",
    "torch.Module": "nn.Module",
    "torch.Parameter": "nn.Parameter",
    "torch.SGD": "optim.SGD",
    "torch.Adam": "optim.Adam",
    "torch.array": "tensor",
    "torch.concatenate": "cat",
    "torch.normal_": "normal",
}
"""What stands deeper in PyTorch than where it is looked for."""


def closest(wrong: str, names: Iterable[str], least: float = 0.72) -> str | None:
    """The name that was probably meant: the same but for capitals and underscores, or one with nearly the same letters."""
    bare = _bare(wrong)
    candidates = sorted(set(names) - {wrong})
    for name in candidates:
        if _bare(name) == bare and len(bare) > 1:
            return name
    numbered = [name for name in candidates if name.rstrip("0123456789") == wrong.rstrip("0123456789") != ""]
    if len(numbered) == 1 and len(wrong) > 2:
        return numbered[0]
    rated = [
        (_likeness(wrong, name) + (name[:1] == wrong[:1]) / 100, name)
        for name in candidates
        if len(name) > 2 < len(wrong)
    ]
    best, found = max(rated, key=lambda pair: pair[0], default=(0.0, ""))
    begins = found[:1].lower() == wrong[:1].lower()
    return found if best >= (least if begins else 0.85) else None


def is_one_letter_apart(a: str, b: str) -> bool:
    """Whether one letter more, less, other or two swapped ones make one word of the other."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    same = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest, other = a[same:], b[same:]
    if rest and other and rest[1:] == other[1:]:
        return len(a) > 1 and len(b) > 1
    return rest[1:] == other or rest == other[1:] or (rest[:2] == other[1::-1] and rest[2:] == other[2:])


def _bare(name: str) -> str:
    return name.replace("_", "").lower()


def _likeness(wrong: str, name: str) -> float:
    if abs(len(wrong) - len(name)) > 3 + len(wrong) // 4:
        return 0.0
    # Letters that are swapped count as one mistake, and a name that goes on counts for more than a shorter one.
    swapped = sorted(wrong) == sorted(name) and len(wrong) > 3
    shorter = 0.1 if len(name) < len(wrong) < 5 else 0.0
    return 0.95 if swapped else SequenceMatcher(None, wrong.lower(), name.lower()).ratio() - shorter


# -- names -------------------------------------------------------------------------------------------------------------


@fixes(python.NAME)
def _missing_name(case: Case) -> Fix | None:
    node = case.find(ast.Name)
    if node is None:
        return None
    name = node.id
    if name in _PYTHON_2:
        return _rename(case, node, _PYTHON_2[name])
    return (
        member(case, node)
        or local_layer(case, node)
        or (imported(case, name) if name in IMPORTS else None)
        or (_of_torch(case, node) if _is_used_so(case, node) else None)
        or (None if name in IMPORTS else _spelled(case, node))
        or _of_torch(case, node)
        or imported(case, name)
    )


_PYTHON: Final = (
    "collections",
    "itertools",
    "functools",
    "math",
    "random",
    "copy",
    "time",
    "dataclasses",
    "typing",
    "contextlib",
    "operator",
)
_TORCH: Final = (
    "torch.utils.data", "torch.distributions", "torch.optim.lr_scheduler", "torch.nn.utils.rnn", "torch.nn.utils", "torch.func",
    "torch.nn.init", "torch.nn.utils.parametrizations", "torch.nn", "torch.optim", "torch.autograd", "torch.nn.functional",
)  # fmt: skip


def import_of(name: str) -> str | None:
    """The line that imports a name, of PyTorch's or of Python's library."""
    if name in IMPORTS:
        return IMPORTS[name]
    if len(name) < 3 or name[:1] == "_" or name in dir(builtins):
        return None
    for module in _PYTHON:
        if name in _public(module):
            return f"from {module} import {name}"
    return next((f"from {module} import {name}" for module in _TORCH if exists(module, name)), None)


@cache
def _public(module: str) -> frozenset[str]:
    held = import_module(module)
    return frozenset(getattr(held, "__all__", None) or (one for one in dir(held) if one[:1] != "_"))


def imported(case: Case, name: str) -> Fix | None:
    """All imports that are missing, at once."""
    if name not in IMPORTS:
        return _all_imported(case, name)
    bound = bound_names(case.program.tree) | set(dir(builtins))
    used = {node.id for node in case.nodes(ast.Name) if isinstance(node.ctx, ast.Load)}
    missing = [one for one in IMPORTS if one == name or (one in used - bound and one != "t")]
    lines = [IMPORTS[one] for one in missing]
    shown = f"`{lines[0]}`" if len(lines) == 1 else ", ".join(f"`{one}`" for one in missing)
    words = Text(shown, shown) if len(lines) == 1 else Text(f"Import {shown}", f"导入 {shown}")
    return case.fix(case.import_line("\n".join(lines)), words=words)


def _all_imported(case: Case, name: str) -> Fix | None:
    """The imports of a name and of what else nothing defines."""
    bound = bound_names(case.program.tree) | set(dir(builtins))
    used = {node.id for node in case.nodes(ast.Name) if isinstance(node.ctx, ast.Load)} - bound
    lines = [line for one in (name, *sorted(used - {name})) if (line := import_of(one)) is not None]
    if not lines or import_of(name) is None:
        return None
    shown = ", ".join(f"`{one}`" for one in lines)
    return case.fix(case.import_line("\n".join(lines)), words=Text(shown, shown.replace(", ", "、")))


def _spelled(case: Case, node: ast.Name) -> Fix | None:
    """A name of the program, or one of Python's, that is written nearly the same."""
    known = bound_names(case.program.tree)
    capital = [name for name in known if name.lower() == node.id.lower() and name != node.id]
    if len(capital) == 1:
        return _rename(case, node, capital[0])
    builtin = closest(node.id, [name for name in dir(builtins) if name[:1] != "_"], 0.76)
    alike = closest(node.id, known)
    if builtin and (not alike or _likeness(node.id, builtin) > _likeness(node.id, alike) + 0.1):
        alike = builtin
    return _rename(case, node, alike) if alike else None


def _is_used_so(case: Case, node: ast.Name) -> bool:
    """Whether a name is called or given as a dtype, and so can be one of torch's."""
    parent = case.parents.get(node)
    return (
        node.id in BY_NAME
        or (isinstance(parent, ast.Call) and parent.func is node)
        or (isinstance(parent, ast.keyword) and parent.arg == "dtype")
    )


def _of_torch(case: Case, node: ast.Name) -> Fix | None:
    """A function that is used without its module."""
    torch = case.module_alias("torch")
    parent = case.parents.get(node)
    if torch is None or isinstance(parent, ast.Attribute):
        return None
    if node.id == "backward" and isinstance(parent, ast.Call) and len(parent.args) == 1:
        output = case.text(parent.args[0])
        output = output if isinstance(parent.args[0], ast.Name | ast.Call | ast.Attribute) else f"({output})"
        return case.fix(case.replace(parent, f"{output}.backward()"), parent)
    for module in ("", "autograd", "nn", "optim", "nn.functional"):
        full = f"torch.{module}".rstrip(".")
        if node.id != "backward" and exists(full, node.id):
            return _rename(case, node, f"{torch}.{f'{module}.' if module else ''}{node.id}")
    return None


def member(case: Case, node: ast.Name) -> Fix | None:
    """A method or an attribute of the class, used without ``self.``."""
    function, owner = case.enclosing(node, ast.FunctionDef), case.enclosing(node, ast.ClassDef)
    if function is None or owner is None or not function.args.args or function.args.args[0].arg != "self":
        return None
    members = {part.name for part in owner.body if isinstance(part, ast.FunctionDef)}
    members |= {
        part.attr
        for part in ast.walk(owner)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and ast.unparse(part.value) == "self"
    }
    members |= {name for part in ast.walk(owner) if (name := registered_name(part)) is not None}
    return _rename(case, node, f"self.{node.id}") if node.id in members else None


def local_layer(case: Case, node: ast.Name) -> Fix | None:
    """``fc = nn.Linear(...)`` in ``__init__`` lacks ``self.``, and so does its use."""
    owner, function = case.enclosing(node, ast.ClassDef), case.enclosing(node, ast.FunctionDef)
    if owner is None or function is None or not function.args.args or function.args.args[0].arg != "self":
        return None
    makers = [part for part in owner.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
    if not makers or function is makers[0]:
        return None
    lost = {
        part.id
        for part in ast.walk(makers[0])
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id != "self"
    }
    if node.id not in lost:
        return None
    uses = [
        part
        for place in owner.body
        if isinstance(place, ast.FunctionDef) and (place is makers[0] or not _binds(place, node.id))
        for part in ast.walk(place)
        if isinstance(part, ast.Name) and part.id == node.id
    ]
    edits = [edit for part in uses for edit in case.before(part, "self.")]
    return case.fix(edits, words=Text(f"`self.{node.id}`", f"`self.{node.id}`"))


def _binds(function: ast.FunctionDef, name: str) -> bool:
    parameters = {argument.arg for argument in ast.walk(function) if isinstance(argument, ast.arg)}
    stored = {part.id for part in ast.walk(function) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    return name in parameters | stored


def _rename(case: Case, node: ast.AST, name: str) -> Fix | None:
    statement = case.statement(node)
    shown = statement if isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign | ast.Return) else None
    return case.fix(case.replace(node, name), shown)


def bound_names(tree: ast.AST) -> set[str]:
    """Every name that the program binds anywhere."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=asname):
                names.add(asname or name.split(".")[0])
    return names


# -- attributes --------------------------------------------------------------------------------------------------------


@fixes(errors.NO_MODULE_ATTRIBUTE)
def _module_attribute(case: Case) -> Fix | None:
    wrong = str(case.details.get("name"))
    node = case.find(ast.Attribute)
    if node is None or node.attr != wrong:
        return None
    full = _FULL.get(f"{case.details.get('module')}.{wrong}")
    if full:
        return case.fix(case.rename_end(node, wrong, full), _whole(case, node))
    return closest_attribute(case, node, wrong, gate.readable_names(case.details.get("value")))


@fixes(errors.NO_TYPE_ATTRIBUTE)
def _type_attribute(case: Case) -> Fix | None:
    wrong = str(case.details.get("name"))
    node = case.find(ast.Attribute)
    if node is None or node.attr != wrong:
        return None
    return closest_attribute(case, node, wrong, gate.readable_names(case.details.get("value")))


def closest_attribute(case: Case, node: ast.Attribute, wrong: str, names: Iterable[str]) -> Fix | None:
    """The attribute that was probably meant; a function where it is called."""
    value = case.details.get("value", UNKNOWN)
    parent = case.parents.get(node)
    is_called = isinstance(parent, ast.Call) and parent.func is node
    found = closest(wrong, [name for name in names if _suits(value, name, is_called=is_called)])
    return case.fix(case.rename_end(node, wrong, found), _whole(case, node)) if found else None


def _suits(value: object, name: str, *, is_called: bool) -> bool:
    """Whether what is called is a function: known for modules, and for the methods of a class."""
    held = getattr(value, name, None) if isinstance(value, gate.Module) else getattr(type(value), name, None)
    return not is_called or held is None or callable(held)


def _whole(case: Case, node: ast.Attribute) -> ast.AST:
    """The call of an attribute, or the attribute."""
    parent = case.parents.get(node)
    return parent if isinstance(parent, ast.Call) and parent.func is node else node


# -- imports -----------------------------------------------------------------------------------------------------------


@fixes(errors.NO_IMPORT_NAME)
def _import_name(case: Case) -> Fix | None:
    wrong = str(case.details.get("name"))
    found = closest(wrong, gate.readable_names(case.details.get("value")))
    alias = case.find(ast.alias)
    return _rename_alias(case, alias, found) if alias and found else None


@fixes(errors.NO_MODULE)
def _module_name(case: Case) -> Fix | None:
    known = case.details.get("modules")
    alias = case.find(ast.alias)
    statement = case.statement(alias) if alias else None
    wanted = (statement.module or "") if isinstance(statement, ast.ImportFrom) else alias.name if alias else ""
    if alias is None or statement is None:
        return None
    found = closest(wanted, list(known) if isinstance(known, list) else [], 0.8)
    if not found or wanted in _NOT_HERE:
        return without_module(case, statement)
    if not isinstance(statement, ast.ImportFrom):
        return _rename_alias(case, alias, found)
    text, wrong = case.text(statement), statement.module or ""
    return case.fix(case.replace(statement, text.replace(wrong, found, 1)), statement)


_NOT_HERE: Final = frozenset({"torchvision", "torchaudio", "torchtext", "torchviz", "torchsummary"})


def _rename_alias(case: Case, alias: ast.alias, name: str) -> Fix | None:
    text = name if alias.asname is None else f"{name} as {alias.asname}"
    edits: list[Edit] = case.replace(alias, text)
    return case.fix(edits, case.statement(alias))
