"""``register`` of abstract classes: of the program's own, for the program's own."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

SHAPE = """
import abc, collections.abc
import torch
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
"""


def test_a_class_of_the_program_is_registered() -> None:
    trace = run(
        SHAPE + "@Shape.register\nclass Square:\n    def area(self): return 4\n"
        "print(isinstance(Square(), Shape), issubclass(Square, Shape), Square().area())"
    )
    assert (trace.error, trace.stdout) == (None, "True True 4\n")


def test_a_name_of_the_program_goes_before() -> None:
    trace = run(
        SHAPE + "class Kept(Shape):\n    def register(self): return 5\n    def area(self): return 1\n"
        "print(Kept().register(), Kept.register(Kept()))"
    )
    assert (trace.error, trace.stdout) == (None, "5 5\n")


@pytest.mark.parametrize(
    "line",
    [
        "Shape.register(int)",
        "Shape.register(torch.Tensor)",
        "Shape.register(torch.nn.Linear)",
        "Shape.register(3)",
        "collections.abc.Mapping.register(Shape)",
        "class Own(collections.abc.Mapping): pass\nOwn.register(Shape)",
        "class Plain: pass\nPlain.register(Shape)",
        "torch.nn.Module.register(Shape)",
    ],
)
def test_no_other_class_is(line: str) -> None:
    trace = run(SHAPE + line)
    assert trace.error is not None
    assert trace.error.code != "internal"
