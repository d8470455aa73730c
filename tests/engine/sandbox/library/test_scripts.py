"""What scripts and notebooks carry along, with the outputs of Python and of the packages themselves."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run


def printed(program: str) -> str:
    trace = run(program)
    assert trace.error is None, trace.error
    return trace.stdout


@pytest.mark.parametrize(("module", "drawn"), [("tqdm", False), ("tqdm.notebook", False), ("tqdm.auto", True)])
def test_the_bar_of_tqdm_auto_asks_for_one_more_iterator(module: str, drawn: bool) -> None:
    program = f"""
import torch
from {module} import tqdm
loader = torch.utils.data.DataLoader(torch.arange(4), shuffle=True)
torch.manual_seed(0)
tqdm(loader)
number = torch.rand(1)
torch.manual_seed(0)
if {drawn}: iter(loader)
print(torch.equal(number, torch.rand(1)), list(tqdm(x for x in [1, 2])), tqdm(total=3).total)
"""
    assert printed(program) == "True [1, 2] 3\n"


def test_markers_of_dataclasses_are_found_in_annotations_that_are_texts() -> None:
    program = """
from __future__ import annotations
import dataclasses, typing as t
from dataclasses import KW_ONLY, InitVar, dataclass
from typing import ClassVar
@dataclass
class A:
    n: ClassVar[int] = 3
    q: t.ClassVar = 4
    a: int = 1
    i: InitVar[int] = 5
    _: KW_ONLY
    k: int = 2
    def __post_init__(self, i): self.s = i
print(A(), A(3, 4, k=5).s, [f.name for f in dataclasses.fields(A)], A.__annotations__["n"])
"""
    assert printed(program) == "A(a=1, k=2) 4 ['a', 'k'] ClassVar[int]\n"


def test_paths_and_loggers_print_as_in_python() -> None:
    program = """
import logging
from pathlib import Path
p = Path("a") / "b.pt"
print(type(p).__name__, isinstance(p, Path), Path.__name__, type(p.parent).__name__)
print(logging.getLogger("a.b"), logging.getLogger())
"""
    assert printed(program) == "PosixPath True Path PosixPath\n<Logger a.b (WARNING)> <RootLogger root (WARNING)>\n"


def test_bytes_have_their_methods() -> None:
    program = """
b = b"ab"
print(b.ljust(4, b"."), b.rjust(3), b.center(5, b"-"), b.zfill(4), b.title(), b.isalnum(), b.removeprefix(b"a"))
print(b.translate(bytes.maketrans(b"a", b"z")), bytes.ljust(b"a", 2), b.rindex(b"b"), b.expandtabs(), b.swapcase())
"""
    assert printed(program) == ("b'ab..' b' ab' b'--ab-' b'00ab' b'Ab' True b'b'\nb'zb' b'a ' 1 b'ab' b'AB'\n")


def test_filters_and_adapters_of_loggers() -> None:
    program = """
import logging, sys
class Rank(logging.Filter):
    def filter(self, record):
        record.rank = 3
        return "skip" not in record.getMessage()
log, handler = logging.getLogger("a"), logging.StreamHandler(sys.stdout)
log.setLevel(10)
log.addHandler(handler)
handler.setFormatter(logging.Formatter("%(rank)d %(levelname)s %(message)s"))
handler.addFilter(Rank())
log.info("hello %s %d", "x", 3)
log.info("skip")
log.addFilter(lambda record: record.levelno > 10)
log.debug("no")
log.warning("a %(k)s", {"k": 5})
handler.setFormatter(logging.Formatter("[%(who)s] %(message)s"))
log.info("with", extra={"who": "me"})
class Adapter(logging.LoggerAdapter):
    def process(self, msg, kwargs): return f"{self.extra['who']}: {msg}", {**kwargs, "extra": self.extra}
Adapter(log, {"who": "you"}).error("adapted %d", 1)
logging.LoggerAdapter(log, {"who": "us"}).info("plain")
try: log.info("x", extra={"message": 1})
except KeyError as error: print(error)
"""
    assert printed(program) == (
        "3 INFO hello x 3\n3 WARNING a 5\n[me] with\n[you] you: adapted 1\n[us] plain\n"
        "\"Attempt to overwrite 'message' in LogRecord\"\n"
    )


def test_small_names_of_the_library_answer_as_in_python(capsys: pytest.CaptureFixture[str]) -> None:
    program = """
import dataclasses, datetime, functools, gc, importlib, inspect, os, re, string, sys, textwrap, traceback, types
from collections.abc import Awaitable, ItemsView, KeysView
from typing import Optional
try: 1 / 0
except ZeroDivisionError as e:
    kind, value, tb = sys.exc_info()
    print(kind, value, traceback.format_exception_only(e), traceback.format_exception_only(kind, e))
print(sys.exc_info(), isinstance({}.keys(), KeysView), Awaitable[int])
def leave(tb: Optional[types.TracebackType]) -> None: pass
print(string.Template("$a and ${b}").substitute(a=1, b="x"), string.Template("$a $c").safe_substitute({"a": 2}))
lines = textwrap.TextWrapper(width=12, initial_indent="* ")
print(lines.wrap("the quick brown fox jumps"))
lines.width = 30
print(lines.fill("the quick brown fox jumps"))
C = dataclasses.make_dataclass("C", [("x", int), ("y", float, 2.0), ("z", list, dataclasses.field(default_factory=list))], frozen=True)
print(C(1), [f.name for f in dataclasses.fields(C)], isinstance(dataclasses.fields(C)[0], dataclasses.Field))
E = dataclasses.make_dataclass("E", ["p", "q"], namespace={"s": lambda self: self.p + self.q})
print(E(1, 2).s(), E(3, 4), gc.disable(), gc.isenabled(), gc.enable(), gc.isenabled())
print(functools.WRAPPER_ASSIGNMENTS[0], re.findall("A", "aA", re.I | re.U), datetime.UTC)
def decorated(f):
    @functools.wraps(f)
    def g(*a): return f(*a)
    return g
@decorated
def h(a, b=1): "doc"
print(inspect.unwrap(h) is h.__wrapped__, [c.__name__ for c in inspect.getmro(C)], inspect.ismodule(os), inspect.unwrap(h).__name__)
print(len(os.sched_getaffinity(0)) > 0, len(os.urandom(4)), os.access("/nothing", os.R_OK), importlib.invalidate_caches())
"""
    exec(program, {"__name__": "__main__"})
    assert printed(program) == capsys.readouterr().out


def test_what_was_wrapped_in_the_engine_is_not_shown() -> None:
    assert (
        printed("import inspect, torch\nprint(inspect.unwrap(torch.nn.functional.relu) is torch.nn.functional.relu)")
        == "True\n"
    )


def test_a_function_is_bound_as_a_method() -> None:
    program = """
import torch, types
model = torch.nn.Linear(1, 1)
model.forward = types.MethodType(lambda self, x: x * self.in_features * 2, model)
print(model(torch.ones(1)), isinstance(model.forward, types.MethodType), type(model.forward) == types.MethodType)
for function in (len, torch.relu, model.forward):
    try: types.MethodType(function, model)
    except RuntimeError as error: print(error)
"""
    assert printed(program).startswith("tensor([2.]) True True\nMethodType() of ")
