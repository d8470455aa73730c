"""Objects of a class beside NumPy's numbers and arrays: what gives a number or one object, and comparisons."""
import numpy as np


class Value:
    def __init__(self, data):
        self.data = data

    def __add__(self, other):
        return Value(self.data + (other.data if isinstance(other, Value) else other))

    __radd__ = __add__

    def __lt__(self, other):
        return self.data < (other.data if isinstance(other, Value) else other)

    def __repr__(self):
        return f"Value({float(self.data)})"


print(Value(1) + np.float64(2), np.float64(2) + Value(1), sum([Value(1), Value(2)]), Value(1) + np.float32(0.5))
print(max([Value(1), Value(3)]), sorted([Value(2), Value(1)]), np.exp(1.0) + Value(0))
print(np.array([v.data for v in (Value(1), Value(2))]))


class Row(list):
    def __radd__(self, other):
        return "never"


total = np.ones(2)
total += Row([1, 2])
print(total, np.ones(2) + Row([1, 2]), np.add(np.ones(2), Row([3, 4])), [1] + Row([2]))
print(np.ones(2) == "a", np.array([1, 2]) == [1, 3], Value(1) < np.float64(2))
