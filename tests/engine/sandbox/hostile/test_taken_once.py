"""What a program gives in a list, a tuple or a dictionary is looked at as what is used: such an object could give other things the
next time.

``twice.txt`` hands lists that give spies from the first, the second, ... time on to whatever takes several things, and prints
what is read of the spies under names of the engine's own, and what is written into them.
"""

from __future__ import annotations

from pathlib import Path

from gradflow.engine.run import run

PROGRAM = Path(__file__).with_name("twice.txt").read_text(encoding="utf-8")


def test_nothing_of_the_engines_is_asked_of_what_comes_the_next_time() -> None:
    trace = run(PROGRAM)
    assert (trace.error, trace.stdout) == (None, "")


def test_the_spies_see() -> None:
    """Or nothing would be looked at."""
    trace = run(PROGRAM.split("for at in ")[0] + "spy = Spy()\nspy._a\nspy.grad = 1\n")
    assert (trace.error, trace.stdout) == (None, " reads _a\n writes grad\n")
