"""The operation registry: one declaration for each operation, everything else derived from it.

    @op(gradients={"input": "g @ mat2.mT", "mat2": "input.mT @ g"}, latex=r"⟨0⟩\\,⟨1⟩")
    def mm(input: Array, mat2: Array):
        \"\"\"Matrix product of two matrices: (n, m), (m, p) -> (n, p).\"\"\"
        return input @ mat2

The body computes on NumPy arrays. Parameters annotated ``Array`` are tensors, ``Operand`` tensors or Python numbers,
``Arrays`` sequences of tensors; all others are settings. From the declaration come the function that programs call and
its in-place form (`gradflow.engine.dispatch.compile`), saved variables, the vector-Jacobian product, grad_fn, LaTeX, the reference.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias, TypeVar

from gradflow.engine.formula import ATTRIBUTES, RESULT, UPSTREAM, Formula, FormulaError, names_in, parse
from gradflow.engine.formula import Helper as Helper
from gradflow.engine.out_rules import RULES, OutRule
from gradflow.engine.parameters import Array as Array
from gradflow.engine.parameters import Arrays as Arrays
from gradflow.engine.parameters import Dims as Dims
from gradflow.engine.parameters import Operand as Operand
from gradflow.engine.parameters import Param as Param
from gradflow.engine.parameters import Spread as Spread
from gradflow.engine.parameters import names_of, params_of, pytorch_name

F = TypeVar("F", bound=Callable[..., Any])
Sample: TypeAlias = tuple[Any, ...]
Promotion = Literal["none", "common", "float", "difference"]
Overlap = Literal["full", "none", "any"]
Gradient: TypeAlias = str | tuple[str, str]
Form = Literal["function", "in place", "operator"]
"""A function, its form that writes into its first argument, and what stands behind a binary operator."""


@dataclass(eq=False)
class Op:
    """One operation, see `op`. What follows from the declaration is worked out when it is first asked for."""

    name: str
    body: Callable[..., Any]
    texts: Mapping[str, str]
    grad_fn: str
    latex: str
    symbol: str
    promote: Promotion
    elementwise: bool
    view: bool
    inplace: bool
    may_be_integer: bool
    outputs: tuple[str, ...]
    many: bool
    functions: tuple[str, ...]
    methods: tuple[str, ...]
    samples: Sequence[Sample]
    errors: Sequence[Sample]
    edges: Sequence[Sample]
    torch: str | None
    adapt: Callable[..., Any] | None
    keeps: frozenset[str]
    refuses: Mapping[str, str | Callable[..., Exception]]
    refuses_lazy: Callable[..., Exception] | None = None
    swapped: bool = False
    wraps_numbers: bool = False
    overlap: Overlap = "full"
    misfit: Callable[[list[int], list[int]], Exception] | None = None
    uniform: bool = False
    check_write: Callable[..., None] | None = None
    out: OutRule | None = None
    saves: frozenset[str] = frozenset()
    undefined: bool = False
    pieces: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def doc(self) -> str:
        """The docstring of the body."""
        return inspect.getdoc(self.body) or ""

    @cached_property
    def params(self) -> tuple[Param, ...]:
        """The parameters, in order."""
        return tuple(params_of(self.body))

    @cached_property
    def gradients(self) -> dict[str, Formula]:
        """The gradient formulas, parsed."""
        return {key: self._formula(key, self.texts) for key in self.texts}

    @cached_property
    def recorded(self) -> dict[str, Formula]:
        """The formulas of gradients that record themselves."""
        return self.gradients | {key: self._formula(key, self.pieces) for key in self.pieces}

    def _formula(self, key: str, texts: Mapping[str, str]) -> Formula:
        return parse(texts[key], self.names, f"gradient of {self.name} for {key}")

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """The names of what is saved for the backward pass."""
        named = {s for f in (*self.gradients.values(), *self.recorded.values()) for s in f.slots}
        return tuple(sorted(named | self.saves, key=pytorch_name))

    @cached_property
    def standing_in(self) -> tuple[int, ...]:
        """The saved slots in which something else can stand for a tensor: a Python number, or a setting with index arrays."""
        others = {p.name for p in self.params if p.kind == "operand"} | self.keeps
        return tuple(i for i, slot in enumerate(self.slots) if slot in others)

    # -- generated functions --

    @cached_property
    def call(self) -> Callable[..., Any]:
        """What programs call."""
        return REGISTRY.compiler.wrapper(self, "function")

    @cached_property
    def operator(self) -> Callable[..., Any]:
        """What stands behind a binary operator: NotImplemented where the other operand is no tensor and no number."""
        return REGISTRY.compiler.wrapper(self, "operator")

    @cached_property
    def call_inplace(self) -> Callable[..., Any] | None:
        """The form that writes into its first argument."""
        return REGISTRY.compiler.wrapper(self, "in place") if self.inplace else None

    @cached_property
    def vjp(self) -> Callable[..., tuple[Any, ...]]:
        """The vector-Jacobian product on arrays."""
        return REGISTRY.compiler.vjp(self, of_complex=False, of_tensors=False)

    @cached_property
    def vjp_tensors(self) -> Callable[..., tuple[Any, ...]]:
        """The vector-Jacobian product on Tensors, which records itself."""
        return REGISTRY.compiler.vjp(self, of_complex=False, of_tensors=True)

    @cached_property
    def vjp_complex(self) -> Callable[..., tuple[Any, ...]]:
        """The vector-Jacobian product on complex arrays."""
        return REGISTRY.compiler.vjp(self, of_complex=True, of_tensors=False)

    @cached_property
    def vjp_complex_tensors(self) -> Callable[..., tuple[Any, ...]]:
        """The same on complex Tensors."""
        return REGISTRY.compiler.vjp(self, of_complex=True, of_tensors=True)

    @cached_property
    def vjp_reduced(self) -> Callable[..., tuple[Any, ...]]:
        """The same on arrays of bfloat16."""
        return REGISTRY.compiler.vjp_reduced(self) if REGISTRY.declares(self) else self.vjp

    @property
    def public(self) -> str:
        """The name programs use, as it stands in error messages."""
        return (self.functions or self.methods or (self.name,))[0]

    @cached_property
    def tensors(self) -> tuple[Param, ...]:
        """The tensor parameters, in order."""
        return tuple(p for p in self.params if p.kind != "setting")

    @cached_property
    def differentiable(self) -> tuple[Param, ...]:
        """The tensor parameters that have a gradient, in order: a grad_fn has one edge for each."""
        return tuple(p for p in self.params if p.name in self.texts)

    @property
    def names(self) -> frozenset[str]:
        """What a gradient formula of this operation may name."""
        own = {p.name for p in self.params} | {UPSTREAM, RESULT}
        if self.outputs:
            own |= set(self.outputs) | {f"{UPSTREAM}_{name}" for name in self.outputs[1:]}
        return frozenset(own)

    def users(self, slot: str) -> frozenset[str]:
        """The parameters for whose gradient this slot is saved: as PyTorch generates it, for any where several name it."""
        named = [k for k, f in self.gradients.items() if slot in f.slots | self.recorded[k].slots]
        always = slot in self.saves or len(named) > 1 or self.grad_fn.count("Backward") > 1
        return frozenset(self.texts if always else named)


@dataclass(frozen=True)
class Compiler:
    """What makes functions of declarations: `gradflow.engine.dispatch.compile`, which says so to the registry."""

    wrapper: Callable[[Op, Form], Callable[..., Any]]
    vjp: Callable[..., Callable[..., tuple[Any, ...]]]
    vjp_reduced: Callable[[Op], Callable[..., tuple[Any, ...]]]
    complete: Callable[[Callable[..., Any]], Callable[..., Any]]


class Registry:
    """All operations, by name, and the helpers of their formulas."""

    compiler: Compiler

    def __init__(self) -> None:
        self.ops: dict[str, Op] = {}
        self.helpers: dict[str, Helper] = {}
        self.composed: dict[str, Callable[..., Any]] = {}

    def __getitem__(self, name: str) -> Op:
        return self.ops[name]

    def __iter__(self) -> Iterator[Op]:
        return iter(self.ops.values())

    def __contains__(self, name: object) -> bool:
        return name in self.ops

    def declares(self, operation: Op) -> bool:
        """Whether it is one of these, and not made by a run for a function of the program's."""
        return self.ops.get(operation.name) is operation

    def add(self, operation: Op) -> None:
        """Enter an operation. Raises ValueError where the name is taken."""
        if operation.name in self.ops:
            raise ValueError(f"operation {operation.name} is declared twice")
        self.ops[operation.name] = operation

    def finish(self) -> None:
        """Check every formula. Raises FormulaError for one that cannot be read or has a name that does not exist."""
        known = frozenset((*self.ops, *self.helpers, *ATTRIBUTES, UPSTREAM, RESULT))
        for operation in self.ops.values():
            upstream = [f"{UPSTREAM}_{name}" for name in operation.outputs]
            names = known.union(names_of(operation.body), operation.outputs, upstream)
            for key, text in (*operation.texts.items(), *operation.pieces.items()):
                if not names_in(text) <= names:
                    self._refuse(operation, key)

    def _refuse(self, operation: Op, key: str) -> None:
        """Raises FormulaError that says what is wrong with a formula."""
        for name in operation.gradients[key].calls | operation.recorded[key].calls:
            if name not in self.ops and name not in self.helpers:
                raise FormulaError(f"gradient of {operation.name} for {key}: unknown operation {name!r}")

    def building(self) -> Iterator[None]:
        """Build the functions of real numbers, of one operation at each step; those of complex ones are rare."""
        for operation in [*self.ops.values()]:
            self.compiler.complete(operation.call)
            if "operator" in vars(operation):
                self.compiler.complete(operation.operator)
            if operation.call_inplace is not None:
                self.compiler.complete(operation.call_inplace)
            if operation.texts:
                _ = operation.vjp, operation.vjp_tensors
            yield

    def templates(self) -> dict[str, str]:
        """The LaTeX template of every operation."""
        own = {o.name: o.latex for o in self.ops.values() if o.latex}
        return own | {h.name: h.latex for h in self.helpers.values() if h.latex}


REGISTRY: Final = Registry()


def op(
    *,
    gradients: Mapping[str, Gradient] | None = None,
    name: str | None = None,
    grad_fn: str | None = None,
    latex: str = "",
    symbol: str | None = None,
    promote: Promotion = "none",
    elementwise: bool | None = None,
    view: bool = False,
    inplace: bool | None = None,
    may_be_integer: bool = False,
    outputs: tuple[str, ...] = (),
    many: bool = False,
    functions: tuple[str, ...] | None = None,
    methods: tuple[str, ...] | None = None,
    samples: Sequence[Sample] = (),
    errors: Sequence[Sample] = (),
    edges: Sequence[Sample] = (),
    torch: str | None = "",
    adapt: Callable[..., Any] | None = None,
    keeps: Sequence[str] = (),
    refuses: Mapping[str, str | Callable[..., Exception]] | None = None,
    refuses_lazy: Callable[..., Exception] | None = None,
    swapped: bool = False,
    wraps_numbers: bool = False,
    overlap: Overlap = "full",
    misfit: Callable[[list[int], list[int]], Exception] | None = None,
    uniform: bool = False,
    check_write: Callable[..., None] | None = None,
    out: OutRule | None = None,
    saves: Sequence[str] = (),
    undefined: bool = False,
) -> Callable[[F], F]:
    """Declare an operation.

    gradients: for each differentiable parameter, the vector-Jacobian product as text (`gradflow.engine.formula`);
    two texts where PyTorch puts it together otherwise when it records it (``create_graph``).
    grad_fn: the name PyTorch prints; by default the name in capitals with ``Backward0``.
    latex: the forward rule, ``⟨0⟩`` for the first parameter. symbol: what the picture shows.
    promote: ``common`` brings operands to their common dtype, ``float`` also turns integers into the default float,
    ``difference`` refuses truth values beside other numbers.
    elementwise: operands broadcast. view: the result shares the input's storage. inplace: there is a ``name_`` form.
    may_be_integer: the result can be of a dtype that has no gradient. many: the result is a list of tensors.
    outputs: names of the fields of a named tuple; ``result0``, ``result1``, ... where PyTorch returns a plain tuple.
    functions, methods: names under ``torch`` and on Tensor; by default the name itself, () for none.
    samples: argument tuples for the tests. errors: ``(arguments..., message)``.
    edges: samples where a finite difference says nothing: ties, kinks, NaN, infinities, integers.
    torch: the dotted name in PyTorch where it is not the public name, such as ``sum`` for `sum_dim`; None for what
    only formulas call. adapt: called with PyTorch's function and a sample's arguments where it takes them otherwise.
    keeps: settings that hold arrays: saving them counts as saving tensors.
    saves: operands and results that PyTorch saves although no formula here reads their elements.
    undefined: formulas take None for a result that has no gradient; else they take zeros.
    refuses: for kinds of elements that PyTorch does not take, the name of its kernel or an error of its own. Letters:
    ``b`` bool, ``l`` int64, ``i`` smaller integers, ``e`` float16 and bfloat16, ``w`` bfloat16 alone, ``f`` float32 and float64, ``c`` complex.
    refuses_lazy: for a view, the error of tensors that show conjugates or negatives, where it does not take them.
    swapped: PyTorch has the operands in the other order when it compares their shapes. wraps_numbers: PyTorch makes a tensor of a number that it saves.

    Of the form in place. overlap: which memory it may share with what it reads: ``full`` the very same or none, ``none``
    none, ``any`` whatever, for it reads one number before it writes. misfit: the error for a result that the tensor
    cannot hold, given the shapes of both. uniform: all elements get one value, so that repeated ones may be written.
    check_write: called with all arguments before anything is computed; raises what PyTorch refuses so early.

    out: the rule of ``out=``, where it is not the usual one (`gradflow.engine.out_rules`).
    """

    def declare(body: F) -> F:
        own = name or body.__name__.strip("_")
        broadcast = promote != "none" if elementwise is None else elementwise
        public = (own,) if not body.__name__.startswith("_") else ()
        named = public if functions is None else functions
        if out is not None:
            RULES.update(dict.fromkeys(named, out))
        REGISTRY.add(
            Op(
                name=own,
                body=body,
                texts={key: text if isinstance(text, str) else text[0] for key, text in (gradients or {}).items()},
                pieces={key: text[1] for key, text in (gradients or {}).items() if not isinstance(text, str)},
                grad_fn=grad_fn or _camel(own) + "Backward0",
                latex=latex,
                symbol=symbol or own,
                promote=promote,
                elementwise=broadcast,
                view=view,
                inplace=broadcast and bool(gradients) if inplace is None else inplace,
                may_be_integer=may_be_integer,
                outputs=outputs,
                many=many,
                functions=named,
                methods=public if methods is None else methods,
                samples=samples,
                errors=errors,
                edges=edges,
                torch=torch,
                adapt=adapt,
                keeps=frozenset(keeps),
                refuses=refuses or {},
                refuses_lazy=refuses_lazy,
                swapped=swapped,
                wraps_numbers=wraps_numbers,
                overlap=overlap,
                misfit=misfit,
                uniform=uniform,
                check_write=check_write,
                out=out,
                saves=frozenset(saves),
                undefined=undefined,
            )
        )
        return body

    return declare


def helper(*, latex: str = "", tensors: Callable[..., Any] | None = None) -> Callable[[F], F]:
    """Declare a helper of gradient formulas. ``tensors`` is the differentiable form; without it the two are the same."""

    def declare(body: F) -> F:
        REGISTRY.helpers[body.__name__] = Helper(body.__name__, body, tensors or body, latex)
        return body

    return declare


def composed(name: str) -> Callable[[F], F]:
    """Declare what PyTorch composes for an operation of formulas: the form on Tensors, where gradients are recorded."""

    def declare(body: F) -> F:
        REGISTRY.composed[name] = body
        return body

    return declare


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
