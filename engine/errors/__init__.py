"""The catalogue of errors: what is raised, in PyTorch's own words, and what it means in English and Chinese.

    Exception
    ├── RuntimeError      backward pass, leaves, in-place writes, shapes, dtypes; limits on operations and output
    │   └── NotImplementedError   operations on a dtype that have no meaning there
    ├── TypeError         arguments
    ├── ValueError        data
    ├── IndexError        indices and dimensions
    ├── AttributeError    names on tensors and modules; what the gate refuses; what PyTorch has and Gradflow has not
    ├── ImportError       modules
    ├── SyntaxError       the text of the program: refused before it runs
    ├── MemoryError, OverflowError, TimeoutError    limits
    └── AssertionError    no graphics card

Programs catch what PyTorch would raise, so these are Python's own exceptions and not subclasses of them; the entry that
raised one is found again with ``kind_of``.
"""

from __future__ import annotations

from engine.errors import (
    arguments,
    autograd,
    beginnings,
    convolutions,
    drawing,
    elements,
    fourier,
    functional,
    functions,
    indexing,
    kinds,
    layers,
    leaves,
    linear_algebra,
    losses,
    matrices,
    mistakes,
    modules,
    operators,
    products,
    program,
    python,
    rearranging,
    refusals,
    sampling,
    shapes,
    syntax,
    vision,
    writing,
)
from engine.errors.arguments import *  # noqa: F403
from engine.errors.autograd import *  # noqa: F403
from engine.errors.beginnings import *  # noqa: F403
from engine.errors.convolutions import *  # noqa: F403
from engine.errors.drawing import *  # noqa: F403
from engine.errors.elements import *  # noqa: F403
from engine.errors.fourier import *  # noqa: F403
from engine.errors.functional import *  # noqa: F403
from engine.errors.functions import *  # noqa: F403
from engine.errors.indexing import *  # noqa: F403
from engine.errors.kind import ErrorKind as ErrorKind
from engine.errors.kind import details_of as details_of
from engine.errors.kind import kind_of as kind_of
from engine.errors.kinds import *  # noqa: F403
from engine.errors.layers import *  # noqa: F403
from engine.errors.leaves import *  # noqa: F403
from engine.errors.linear_algebra import *  # noqa: F403
from engine.errors.losses import *  # noqa: F403
from engine.errors.matrices import *  # noqa: F403
from engine.errors.mistakes import recognise_mistake as recognise_mistake
from engine.errors.modules import *  # noqa: F403
from engine.errors.operators import *  # noqa: F403
from engine.errors.products import *  # noqa: F403
from engine.errors.program import *  # noqa: F403
from engine.errors.python import recognise as recognise
from engine.errors.rearranging import *  # noqa: F403
from engine.errors.refusals import *  # noqa: F403
from engine.errors.sampling import *  # noqa: F403
from engine.errors.shapes import *  # noqa: F403
from engine.errors.vision import *  # noqa: F403
from engine.errors.writing import *  # noqa: F403

_MODULES = (
    autograd,
    functions,
    leaves,
    operators,
    products,
    linear_algebra,
    shapes,
    indexing,
    rearranging,
    writing,
    elements,
    kinds,
    fourier,
    functional,
    layers,
    vision,
    sampling,
    drawing,
    beginnings,
    convolutions,
    refusals,
    losses,
    matrices,
    modules,
    arguments,
    program,
    python,
    syntax,
    mistakes,
)

SECTIONS: dict[str, list[ErrorKind]] = {
    (module.__doc__ or "").split("\n")[0]: [kind for kind in vars(module).values() if isinstance(kind, ErrorKind)]
    for module in _MODULES
}
"""The entries that stand together, under what the first line of their module says of them."""

CATALOGUE: dict[str, ErrorKind] = {kind.code: kind for kinds in SECTIONS.values() for kind in kinds}
"""Every entry by its code, in the order of the reference."""
