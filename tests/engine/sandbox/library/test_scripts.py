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
