"""Powers and shifts in place, whose integers are limited, are those of Python otherwise."""

from __future__ import annotations

from gradflow.engine.run import run


def test_powers_and_shifts_in_place_are_those_of_python() -> None:
    source = """
asked = []
class Row:
    def __init__(self): self.held = [2, 3, 2.0]
    def __getitem__(self, key):
        asked.append(("get", key))
        return self.held[key]
    def __setitem__(self, key, value):
        asked.append(("set", key))
        self.held[key] = value
class Own:
    def __init__(self): self.n, self.t = 3, True
    def __ipow__(self, other): return ("own", other)
def two(): asked.append("right"); return 2
def one(): asked.append("key"); return 1
row, own, items = Row(), Own(), [Own(), 1, [5, 6]]
row[one()] **= two()
row[0:2], row[2]
row[2] **= 2
own.n **= 3
own.n <<= 1
own.t <<= 2
items[0] **= 7
items[2][0] <<= 2
print(row.held, own.n, own.t, items, asked)
for wrong in ("items[1] **= 'a'", "items[9] **= 2", "items[1] <<= -1", "own.missing **= 2", "(1, 2)[0] **= 2"):
    try: exec(wrong)
    except Exception as error: print(type(error).__name__, error)
"""
    expected = (
        "[2, 9, 4.0] 54 4 [('own', 7), 1, [20, 6]] ['key', ('get', 1), 'right', ('set', 1), ('get', slice(0, 2, None)), ('get', 2),"
        " ('get', 2), ('set', 2)]\n"
        "TypeError unsupported operand type(s) for **=: 'int' and 'str'\n"
        "IndexError list index out of range\nValueError negative shift count\n"
        "AttributeError 'Own' object has no attribute 'missing'\n"
        "TypeError 'tuple' object does not support item assignment\n"
    )
    trace = run(source)
    assert (trace.stdout, trace.error) == (expected, None)
