"""The house rules that a tool can check: which room imports which, no circles, sizes of folders and files.

A room is a package or a single file of `gradflow.engine` or `gradflow.backend`. `docs/architecture.md` draws them.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = {
    "engine": (
        ("trace", "formula", "state", "out_rules", "ordered_dict", "collector"),
        ("visibility",),
        ("parameters",),
        ("registry",),
        ("pytorch",),
        ("errors",),
        ("numerics",),
        ("sandbox",),
        ("tensor",),
        ("autograd",),
        ("dispatch",),
        ("ops",),
        ("namespace",),
        ("recording",),
        ("diagnosis",),
        ("run", "reference", "preload", "examples"),
        ("picture",),
    ),
    "backend": (
        (
            "settings",
            "helper_process",
            "arguments",
            "answer_cache",
            "metrics",
            "playground_folder",
            "lessons",
            "packed",
            "confinement",
        ),
        ("jail", "pictures", "storage"),
        ("service",),
        ("http",),
        ("notebook",),
        ("cli_request", "cli_lessons"),
        ("cli",),
    ),
}
"""The rooms of each house, the lowest first. A room imports what is in a row above its own, and of its own row itself."""

CORE = ("formula", "state", "out_rules", "registry", "errors", "numerics", "tensor", "autograd", "dispatch", "ops")
"""The rooms of the engine that know nothing of the sandbox: the engine computes without it."""

FIRST_RUN = "only a run needs it: what imports the engine starts sooner"
WHOLE_ENGINE = "the process that asks for a run needs no engine, only the one that it starts does"
PASSES = "a pass runs the nodes, and this one is run by a node"
TESTS = "only programs with tests need `unittest`, which takes long to import"
AT_RUN_TIME = {
    ("gradflow.engine.autograd.function.transposed", "gradflow.engine.autograd.backward"): PASSES,
    ("gradflow.engine.sandbox.library.scripts", "gradflow.engine.sandbox.library.scripts.dates"): FIRST_RUN,
    ("gradflow.engine.sandbox.library.scripts", "gradflow.engine.sandbox.library.scripts.unit_tests"): TESTS,
    ("gradflow.engine.sandbox.library.scripts", "gradflow.engine.sandbox.library.scripts.names_of_checks"): TESTS,
    ("gradflow.engine.run", "gradflow.engine.diagnosis"): FIRST_RUN,
    ("gradflow.engine.diagnosis.run_context", "gradflow.engine.diagnosis.traps.proven.trails"): FIRST_RUN,
    ("gradflow.engine.diagnosis.run_context", "gradflow.engine.diagnosis.traps.proven.undefined"): FIRST_RUN,
    ("gradflow.engine.run", "gradflow.engine.diagnosis.run_context"): FIRST_RUN,
    ("gradflow.engine.run", "gradflow.engine.diagnosis.traps"): FIRST_RUN,
    ("gradflow.engine.run", "gradflow.engine.namespace.torch"): FIRST_RUN,
    ("gradflow.engine.run", "gradflow.engine.recording.recorded_trace"): FIRST_RUN,
    ("gradflow.engine.run", "gradflow.engine.recording.trace_builder"): FIRST_RUN,
    ("gradflow.engine.run", "gradflow.engine.sandbox.library.numpy_module"): FIRST_RUN,
    ("gradflow.engine.recording.optimizer_steps", "gradflow.engine.namespace.optim.rules"): FIRST_RUN,
    (
        "gradflow.engine.namespace.distributions.torch_distributions",
        "gradflow.engine.namespace.distributions.members",
    ): "few programs need them: the engine starts sooner",
    ("gradflow.backend.cli", "gradflow.backend.http.app"): "only `serve` needs it: `run` starts sooner",
    ("gradflow.backend.cli", "gradflow.backend.http.connection"): "only `serve` needs it: `run` starts sooner",
    ("gradflow.backend.cli", "gradflow.backend.jail.outcome"): "only `run --json` needs it: `run` starts sooner",
    ("gradflow.backend.jail.unconfined", "gradflow.backend.jail.outcome"): WHOLE_ENGINE,
    ("gradflow.backend.jail.unconfined", "gradflow.backend.jail.worker"): WHOLE_ENGINE,
    ("gradflow.backend.jail.unconfined", "gradflow.engine.collector"): WHOLE_ENGINE,
    ("gradflow.backend.jail.unconfined", "gradflow.engine.run"): WHOLE_ENGINE,
}
"""The imports inside functions, each with its reason."""

FILES_IN_A_FOLDER = 20
LINES_IN_A_FILE = 400


def modules() -> dict[str, Path]:
    """The modules of engine and backend by full name."""
    found = {}
    for house in ROOMS:
        for path in sorted((ROOT / house).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(("gradflow", *parts)).removesuffix(".__init__")] = path
    return found


MODULES = modules()


def imports(module: str) -> Iterator[tuple[str, bool]]:
    """The modules that a module imports when it runs, each with whether it does so inside of a function."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    for node, inside in _running(tree, inside=False):
        if isinstance(node, ast.Import):
            yield from ((alias.name, inside) for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            if not names <= MODULES.keys():
                yield node.module, inside
            yield from ((name, inside) for name in names & MODULES.keys())


def _running(node: ast.AST, *, inside: bool) -> Iterator[tuple[ast.AST, bool]]:
    """The nodes of a tree that are no mere annotations for a type checker."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield child, inside
        yield from _running(child, inside=inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))


def place(module: str) -> tuple[str, int, str]:
    """The house, the row and the room of a module."""
    _, house, *rest = module.split(".")
    room = rest[0] if rest else "__init__"
    for row, rooms in enumerate(ROOMS[house]):
        if room in rooms:
            return house, row, room
    raise AssertionError(f"{module} is in no room")


def is_face(module: str) -> bool:
    return module.count(".") == 1


IMPORTS = {module: list(imports(module)) for module in MODULES}


def test_every_room_imports_only_what_stands_above_it() -> None:
    wrong = []
    for module, imported in IMPORTS.items():
        for other, _ in imported:
            if is_face(module) or is_face(other):
                continue
            (house, row, room), (its_house, its_row, its_room) = place(module), place(other)
            own = its_house == house
            if not (its_row < row or its_room == room if own else house == "backend"):
                wrong.append(f"{module} imports {other}")
    assert wrong == []


def drawn(house: str) -> list[str]:
    """The rooms in the picture of a house, the highest first."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    picture = page.split(f"## The rooms of the {house}\n")[1].split("```")[1]
    known = {room for rooms in ROOMS[house] for room in rooms}
    # a room stands at the beginning of its line, or behind others; what is said of it follows two blanks
    lines = [[part for part in re.split(r"\s{2,}|·", line.strip()) if part] for line in picture.splitlines()]
    return [part for line in lines for part in line if part in known]


@pytest.mark.parametrize("house", ROOMS)
def test_the_picture_has_the_rooms_in_their_order(house: str) -> None:
    rooms = drawn(house)
    assert sorted(rooms) == sorted(room for row in ROOMS[house] for room in row)
    height = {room: row for row, members in enumerate(ROOMS[house]) for room in members}
    assert [height[room] for room in rooms] == sorted((height[room] for room in rooms), reverse=True)


def test_the_core_knows_nothing_of_the_sandbox() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, imported in IMPORTS.items()
        for other, _ in imported
        if not is_face(module) and place(module)[::2] in {("engine", room) for room in CORE}
        if other.startswith("gradflow.engine.sandbox")
    ]
    assert wrong == []


def test_no_files_import_each_other_in_a_circle() -> None:
    graph = {module: {other for other, _ in imported if other != module} for module, imported in IMPORTS.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_imports_inside_of_functions_have_a_reason() -> None:
    found = {(module, other) for module, imported in IMPORTS.items() for other, inside in imported if inside}
    assert found - {pair for pair in found if is_face(pair[0])} == AT_RUN_TIME.keys()


def tracked() -> list[Path]:
    """The files of the repository, by the index of git."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


SOURCES = [path for path in tracked() if path.suffix in (".py", ".sh", "") and not path.is_symlink()]
PYTHON = [path for path in SOURCES if path.suffix == ".py" and not path.is_relative_to(ROOT / "examples")]
WRITTEN = [path for path in PYTHON if not path.is_relative_to(ROOT / "tests" / "golden" / "programs")]


def test_no_folder_holds_more_than_twenty_files() -> None:
    folders = Counter(path.parent.relative_to(ROOT) for path in WRITTEN if path.name != "__init__.py")
    assert [f"{folder}: {count}" for folder, count in folders.items() if count > FILES_IN_A_FOLDER] == []


def test_no_file_is_longer_than_four_hundred_lines() -> None:
    lengths = {path.relative_to(ROOT): path.read_text(encoding="utf-8").count("\n") for path in WRITTEN}
    assert [f"{path}: {lines}" for path, lines in lengths.items() if lines > LINES_IN_A_FILE] == []


def test_only_tables_of_data_keep_their_layout() -> None:
    """``# fmt: skip`` stands behind assignments of literals to names of a module or a class, and nowhere else."""
    wrong = []
    for path in WRITTEN:
        lines = path.read_text(encoding="utf-8").split("\n")
        marked = {number for number, line in enumerate(lines, 1) if re.search(r"#\s*fmt:", line)}
        if marked and path != Path(__file__):
            tables = set(_ends_of_tables(ast.parse("\n".join(lines))))
            wrong += [f"{path.relative_to(ROOT)}:{number}" for number in sorted(marked - tables)]
    assert wrong == []


def _ends_of_tables(tree: ast.Module) -> Iterator[int]:
    for holder in (tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))):
        for node in holder.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and _is_table(node.value):
                assert node.end_lineno is not None
                yield node.end_lineno


def _is_table(value: ast.expr) -> bool:
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "frozenset" and len(value.args) == 1:
        value = value.args[0]
    parts = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Name, ast.Attribute, ast.Load, ast.UnaryOp)
    return isinstance(value, ast.Tuple | ast.List | ast.Dict | ast.Set) and all(
        isinstance(part, (*parts, ast.USub, ast.Starred)) for part in ast.walk(value)
    )


def test_a_tensor_is_whole_after_the_import_of_its_room_alone() -> None:
    code = """
import numpy
from gradflow.engine.tensor import Tensor

a = Tensor(numpy.array([1.0, 2.0]), requires_grad=True)
(a + a * a).sum().backward()
print(a.grad.tolist(), repr(a.detach()[0] - 1))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[3.0, 5.0] tensor(0., dtype=torch.float64)\n"


def test_names_of_operations_stand_in_their_declarations_only() -> None:
    """Elsewhere an operation may be called by its name, but nothing is decided by comparing one with a text."""
    wrong = []
    for module, path in MODULES.items():
        if not module.startswith(("gradflow.engine.ops", "gradflow.backend")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Compare) and re.search(r"\bop\.name\b", ast.unparse(node)):
                    wrong.append(f"{module}:{node.lineno}: {ast.unparse(node)}")
    assert wrong == []
