"""What functions had bound as they ended is known, and they do what they did."""

from __future__ import annotations

from gradflow.engine.sandbox.program import check


def kept(source: str) -> dict[str, object]:
    """The names of the functions of a program that has run."""
    program = check(source)
    program.run(program.namespace((), lambda text: None))
    return program.kept_locals.names()


def printed(source: str) -> str:
    """What a program prints."""
    program, texts = check(source), list[str]()
    program.run(program.namespace((), texts.append))
    return "".join(texts)


def test_the_names_of_what_the_program_starts() -> None:
    assert kept("def main(n):\n    a = n + 1\n    b = [a]\nmain(1)") == {"n": 1, "a": 2, "b": [2]}


def test_the_last_call_counts() -> None:
    assert kept("def main(n):\n    a = n\nmain(1)\nmain(2)") == {"n": 2, "a": 2}


def test_a_function_that_trains_is_looked_at_wherever_it_is_called() -> None:
    source = """
class Model:
    def backward(self): pass
def fit(model, rate):
    for turn in range(2): model.backward()
class Trainer:
    def go(self): fit(Model(), 0.5)
Trainer().go()
"""
    names = kept(source)
    assert {"model", "rate", "turn"} <= set(names)
    assert names["rate"] == 0.5


def test_a_name_that_means_two_things_is_nobodys() -> None:
    assert kept("def one():\n    a, b = 1, 2\ndef two():\n    a, c = 3, 4\none()\ntwo()") == {"b": 2, "c": 4}


def test_a_function_that_fails_tells_its_names_and_its_error_stays() -> None:
    source = (
        "def main():\n    a = 1\n    return a / 0\ntry: main()\nexcept ZeroDivisionError as error: text = str(error)"
    )
    assert kept(source) == {"a": 1}


def test_functions_do_what_they_did() -> None:
    source = """
def count(n):
    "words"
    while n:
        yield n
        n -= 1
def main(n):
    "What it does."
    try:
        return [k for k in count(n)]
    finally:
        print(sorted(locals()))
print(main(2), main.__doc__, list(count(1)), count.__doc__)
"""
    assert printed(source) == "['n']\n[2, 1] What it does. [1] words\n"


def test_objects_end_where_the_program_asks_whether_they_did() -> None:
    source = """
import weakref
class Big: pass
def main():
    big = Big()
    return weakref.ref(big)
print(main()())
"""
    assert printed(source) == "None\n"
