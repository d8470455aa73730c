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

_TAKEN = (
    "NUMPY_SETUP abc_tpflags about abstractmethods aenter aexit aiter alloc anext annotate annotate_func"
    " annotations args array array_api_version array_finalize array_function array_interface array_namespace"
    " array_namespace_info array_priority array_struct array_ufunc array_wrap arrow_array arrow_c_array"
    " arrow_c_schema arrow_c_stream attrs attrs_attrs attrs_init attrs_post_init attrs_pre_init await base bases"
    " basicsize bound breakpointhook buffer build_class builtin builtins cached callable_proto_members_only"
    " callback cause class classcell classdict classdictcell clause_element closed closure cmp code coerce"
    " column_consortium_standard compile_source concat conditional_annotations config constant constants"
    " constraints context contravariant copy covariant cpu_baseline cpu_dispatch cpu_features cuda_array_interface"
    " dataclass_fields dataclass_params dataclass_transform dataframe dataframe_consortium_standard debug deepcopy"
    " default defaults del delslice dict dictoffset dir displayhook div dlpack dlpack_c_exchange_api dlpack_device"
    " enum eval excepthook exception expired_attributes extra extra_items file final firstlineno flags float_pow"
    " float_truediv format former_attrs forward_arg forward_code forward_evaluated forward_is_argument"
    " forward_is_class forward_module forward_value fspath func future future_scalars geo_interface"
    " get_pydantic_core_schema get_pydantic_json_schema get_validators getattribute getformat getinitargs"
    " getitem_inner getitems getnewargs getnewargs_ex getslice getstate globals hex html iconcat id idiv idivmod"
    " ignore import infer_variance info instancecheck instancehook int_floordiv int_truediv interactivehook"
    " interface inv invariant iop isabstractmethod itemsize jit_unused_properties key_type kwdefaults legacy"
    " length_hint loader long main mapper_args members metaclass metadata metadata_guard methods modify_schema"
    " module_type mro mro_entries mutable_keys name new_member newobj newobj_ex no_type_check nonzero not notes"
    " numba numpy_dtype numpy_submodules obj_flatten obj_unflatten objclass object oct op optional_keys order"
    " orig_class origin package partialmethod path pow_by_natural prepare proto protocol_attrs"
    " pydantic_init_subclass pypy qtensor qualname rcmp rdiv readonly_keys reduce reduce_cython reduce_ex"
    " release_buffer replace repr_html required_keys requires restrict return rfloat_pow rfloat_truediv rich"
    " rich_console rich_measure rich_rep rich_repr rint_floordiv rint_truediv rmatmul rop rpow3 rpow_by_natural"
    " safe_for_unpickling self self_class serializer setslice setstate setstate_cython shared signature sizeof"
    " sklearn_clone sklearn_is_fitted sklearn_tags slotnames spec static_attributes stderr stdin stdout"
    " subclasscheck subclasses subclasshook supertype suppress_context switch sym_acos sym_asin sym_atan sym_cos"
    " sym_cosh sym_float sym_int sym_ite sym_log2 sym_max sym_min sym_not sym_sin sym_sinh sym_sqrt sym_tan"
    " sym_tanh table_args tablename tensor_flatten tensor_unflatten tensor_v2 test_result text_signature thisclass"
    " torch torch_dispatch torch_function torch_unserializable total traceback tracebackhide type type_class"
    " type_params typing_is_unpacked_typevartuple typing_prepare_subst typing_subst typing_unpacked_tuple_args"
    " unicode unpacked unraisablehook validate_parameters value_type vectorcalloffset warningregistry weakref"
    " weakrefoffset wrapped"
)
_KNOWN: Final = IN_CLASSES | frozenset(f"__{name}__" for name in _TAKEN.split())


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


def is_unheard_of(name: str) -> bool:
    """Whether this looks like a name of Python's own and is none, nor one of NumPy's or the engine's: ``__length__``."""
    return is_special(name) and name not in _KNOWN


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
