"""The names of Python's own, ``__x__``: which of them classes of a program may define."""

from __future__ import annotations

from typing import Final
from unicodedata import normalize

_METHODS = (
    "init call len getitem setitem delitem contains iter next reversed enter exit repr str format bytes hash bool"
    " int float complex index eq ne lt le gt ge neg pos abs invert round trunc floor ceil getattr get set delete"
    " add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor"
    " radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor"
    " iadd isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor"
)
_HOOKS = "setattr delattr new init_subclass set_name class_getitem post_init missing copy deepcopy torch_function"
HOOKS: Final = frozenset(f"__{name}__" for name in _HOOKS.split())
"""Special methods that a class may define, and that are read on classes of the program only."""
METHODS: Final = frozenset(f"__{name}__" for name in _METHODS.split()) | HOOKS
"""Special methods that a class may define."""


_METADATA = (
    "all author authors contact contributors constants copyright created credits date deprecated description email"
    " homepage jit_ignored_attributes jit_unused_properties keywords licence license maintainer maintainers match_args"
    " organization revision status summary test title"
    " url version version_info website"
)
METADATA: Final = frozenset(f"__{name}__" for name in _METADATA.split())
"""Names that programs and classes give themselves, and that mean nothing to Python, NumPy or the engine."""

IN_CLASSES: Final = (
    METHODS
    | METADATA
    | frozenset(
        [
            "__module__",
            "__doc__",
            "__dict__",
            "__weakref__",
            "__annotations__",
            "__slots__",
            "__orig_bases__",
            "__parameters__",
            "__firstlineno__",
            "__static_attributes__",
        ]
    )
)
"""Special names that Python and a program leave in a class of the program."""


_TABLES = (
    "_member_map_ _member_names_ _value2member_map_ _unhashable_values_ _hashable_values_ _unhashable_values_map_"
    " _member_type_ _new_member_ _value_repr_ _use_args_ _boundary_ _flag_mask_ _singles_mask_ _all_bits_ _inverted_"
    " _abc_impl _is_protocol _is_runtime_protocol"
)
TABLES: Final = frozenset(_TABLES.split())
"""What the metaclasses of the library keep in a class and rely upon: programs neither read nor write it."""


COMPILED: Final = frozenset(
    {"code", "code_with_constants", "graph", "graph_for", "inlined_graph", "print_readable", "save"}
)
"""What modules and functions have that PyTorch has compiled or traced."""


def is_special(name: str) -> bool:
    """Whether this is a name of Python's own, with two underscores on both sides of it, and not of underscores alone."""
    own = str.startswith(name, "__") and str.endswith(name, "__")  # in a subclass of str they could be the program's
    return own and str.strip(name, "_") != ""


def refused_in(cls: type) -> list[str]:
    """The special names in a class that programs may not define."""
    return [name for name in vars(cls) if is_special(name) and name not in IN_CLASSES]


def is_plain(name: str) -> bool:
    """Whether a name has nothing to do with Python's own: attributes of objects that hold what they are given."""
    return not is_special(name)


def is_bindable(name: object) -> bool:
    """Whether a program could have bound this name by an assignment."""
    if type(name) is not str or not name.isidentifier() or name in TABLES or name != normalize("NFKC", name):
        return False
    return not is_special(name) or name in METADATA
