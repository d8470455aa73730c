"""The collector never runs over objects of a program that could run code."""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from gradflow.engine import collector
from gradflow.engine.run import run

ROOT: Final = Path(__file__).parents[3]

# each leaves a cycle that goes with a class of the program, and has something that asks the program as it ends
LEFT: Final = {
    "the generator of a text": """
exec("def g(me):\\n    try: yi" + "eld\\n    finally: told(me)")
def told(me): print("code")
class A: pass
A.held = g(A)
next(A.held)
del A
""",
    "what a generator of the library waits in": """
import heapq
class It:
    def __iter__(self): return self
    def __next__(self): return 1
    def close(self): print("code")
class A: pass
A.held = heapq.merge(It())
next(A.held), next(A.held)
del A
""",
    "what a data set waits in": """
from torch.utils.data import ChainDataset, IterableDataset
class It:
    def __iter__(self): return self
    def __next__(self): return 1
    def close(self): print("code")
class D(IterableDataset):
    def __iter__(self): return It()
class A: pass
A.held = iter(ChainDataset([D()]))
next(A.held)
del A
""",
    "a buffer that is written into": """
import io
class S(io.StringIO):
    def __setattr__(self, name, value): print("code")
S.held = S("x")
del S
""",
    "a descriptor in a buffer": """
import io
class Told:
    def __get__(self, obj, cls): return False
    def __set__(self, obj, value): print("code")
class S(io.BytesIO):
    _finalizing = Told()
S.held = S()
del S
""",
    "the level of an archive": """
import gzip, io
class Level:
    def __index__(self):
        print("code")
        return 1
class A: pass
A.held = gzip.GzipFile(fileobj=io.BytesIO(), mode="wb", compresslevel=Level())
A.held.write(b"x")
del A
""",
    "the key of a weak value": """
import weakref
class Key:
    def __hash__(self):
        print("code")
        return 1
class A: pass
kept = weakref.WeakValueDictionary()
a = A()
kept[Key()] = a
a.me = a
del a
""",
}


def _printed(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def test_what_could_run_code_is_frozen() -> None:
    script = f"""
import gc, sys
from gradflow.engine.run import run
ran, over, kept = [], [], {{}}
def watch(frame, event, argument):
    if event == "call" and frame.f_code.co_filename == "<program>" and over: ran.append((name, frame.f_code.co_name))
sys.setprofile(watch)
for name, source in {LEFT!r}.items():
    before = gc.get_freeze_count()
    trace = run(source, ended=lambda: over.append(1))
    trace.json()
    del trace
    gc.collect()
    over.clear()
    kept[name] = gc.get_freeze_count() > before
sys.setprofile(None)
from gradflow.engine.collector import leave
leave(lambda: print(ran, [name for name in kept if not kept[name]]))
"""
    assert _printed(script) == "[] []\n"


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x): return x * 2\nprint(Net()(torch.ones(2)))",
        "import io, contextlib\ns = io.StringIO()\nwith contextlib.redirect_stdout(s): print(1)\nprint(s.getvalue())",
        "from collections.abc import Sized\nclass A:\n    def __len__(self): return 1\nprint(isinstance(A(), Sized))",
        "def g():\n    try: yield 1\n    finally: print(2)\na = g()\nnext(a)",
        "import weakref\nclass A: pass\na = A()\nprint(weakref.ref(a)() is a)",
    ],
)
def test_what_runs_no_code_is_not_kept(source: str) -> None:
    before = gc.get_freeze_count()
    trace = run(source)
    assert trace.error is None
    assert trace.tensors is not None
    assert gc.get_freeze_count() <= before  # what was frozen earlier may go
    assert gc.isenabled()


def test_trials_collect_what_runs_no_code_and_nothing_else() -> None:
    harmless = "pad = [[] for i in range(3000)]\nclass A: pass\nA.held = A()"
    script = f"""
import gc
from gradflow.engine import collector
from gradflow.engine.run import run
sources = {[harmless, harmless + LEFT["a buffer that is written into"]]!r}
for source in sources: run(source).json()
collector.stop()
for source in sources:
    run(source).json()
    many = len(gc.get_objects())
    collector.collect_harmless(1000)
    print(len(gc.get_objects()) < many, gc.isenabled())
collector.leave(lambda: None)
"""
    assert _printed(script) == "True False\nFalse False\n"


def test_a_process_ends_without_python_s_end() -> None:
    script = "from gradflow.engine.collector import leave\nleave(lambda: {}['none'])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, "KeyError" in done.stderr) == (1, True)


def test_nobody_else_turns_the_collector_on() -> None:
    asked = {"enable", "disable", "collect", "freeze", "unfreeze", "set_threshold"}
    found = set()
    for house in ("engine", "backend", "src"):
        for path in sorted((ROOT / house).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "gc":
                    found |= {(path.relative_to(ROOT).as_posix(), node.attr)} if node.attr in asked else set()
                if isinstance(node, ast.ImportFrom) and node.module == "gc":
                    found.add((path.relative_to(ROOT).as_posix(), "from gc import"))
    others = {each for each in found if each[0] != Path(collector.__file__).resolve().relative_to(ROOT).as_posix()}
    assert others == {("backend/jail/forkserver.py", "set_threshold")}
