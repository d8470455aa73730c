"""The special methods by which Python computes with a tensor, and under which names ``__torch_function__`` knows them."""

from __future__ import annotations

from typing import Final

OPERATORS: Final = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add_", "__sub__": "sub", "__rsub__": "__rsub__", "__isub__": "sub_",
    "__mul__": "mul", "__rmul__": "mul", "__imul__": "mul_", "__truediv__": "div", "__rtruediv__": "__rdiv__",
    "__itruediv__": "div_", "__floordiv__": "__floordiv__", "__rfloordiv__": "__rfloordiv__",
    "__ifloordiv__": "floor_divide_", "__mod__": "remainder", "__rmod__": "__rmod__", "__imod__": "remainder_",
    "__pow__": "pow", "__rpow__": "__rpow__", "__ipow__": "pow_", "__matmul__": "matmul", "__rmatmul__": "__rmatmul__",
    "__eq__": "__eq__", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
    "__and__": "__and__", "__or__": "__or__", "__xor__": "__xor__", "__rand__": "bitwise_and", "__ror__": "bitwise_or",
    "__rxor__": "bitwise_xor", "__iand__": "__iand__", "__ior__": "__ior__", "__ixor__": "__ixor__",
    "__lshift__": "__lshift__", "__rshift__": "__rshift__", "__rlshift__": "__rlshift__", "__rrshift__": "__rrshift__",
    "__neg__": "neg", "__pos__": "positive", "__abs__": "abs", "__invert__": "__invert__", "__getitem__": "__getitem__",
    "__setitem__": "__setitem__", "__contains__": "__contains__",
}  # fmt: skip
REFLECTED: Final = {
    f"__r{name}__": f"__{name}__"
    for name in [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "matmul",
        "and",
        "or",
        "xor",
        "lshift",
        "rshift",
    ]
}
"""What Python would have called of the operand on the left."""
READ: Final = ("__bool__", "__float__", "__int__", "__index__", "__complex__", "__len__", "__repr__", "__format__")
"""Special methods whose results Python itself checks."""
