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

import sys

from gradflow.engine.errors.autograd.backward import *  # noqa: F403
from gradflow.engine.errors.autograd.functions import *  # noqa: F403
from gradflow.engine.errors.autograd.leaves import *  # noqa: F403
from gradflow.engine.errors.error_kind import ErrorKind as ErrorKind
from gradflow.engine.errors.error_kind import details_of as details_of
from gradflow.engine.errors.error_kind import is_own as is_own
from gradflow.engine.errors.error_kind import kind_of as kind_of
from gradflow.engine.errors.error_kind import mark_own as mark_own
from gradflow.engine.errors.language import python as python
from gradflow.engine.errors.language.arguments import *  # noqa: F403
from gradflow.engine.errors.language.einops import *  # noqa: F403
from gradflow.engine.errors.language.mistakes import recognise_mistake as recognise_mistake
from gradflow.engine.errors.language.operators import *  # noqa: F403
from gradflow.engine.errors.language.program import *  # noqa: F403
from gradflow.engine.errors.language.python import recognise as recognise
from gradflow.engine.errors.linalg.linear_algebra import *  # noqa: F403
from gradflow.engine.errors.linalg.products import *  # noqa: F403
from gradflow.engine.errors.nn.convolutions import *  # noqa: F403
from gradflow.engine.errors.nn.distributions import *  # noqa: F403
from gradflow.engine.errors.nn.functional import *  # noqa: F403
from gradflow.engine.errors.nn.layers import *  # noqa: F403
from gradflow.engine.errors.nn.losses import *  # noqa: F403
from gradflow.engine.errors.nn.modules import *  # noqa: F403
from gradflow.engine.errors.nn.random import *  # noqa: F403
from gradflow.engine.errors.nn.sampling import *  # noqa: F403
from gradflow.engine.errors.nn.vision import *  # noqa: F403
from gradflow.engine.errors.tensor.creation import *  # noqa: F403
from gradflow.engine.errors.tensor.data import *  # noqa: F403
from gradflow.engine.errors.tensor.devices import *  # noqa: F403
from gradflow.engine.errors.tensor.dtypes import *  # noqa: F403
from gradflow.engine.errors.tensor.elementwise import *  # noqa: F403
from gradflow.engine.errors.tensor.indexing import *  # noqa: F403
from gradflow.engine.errors.tensor.out_argument import *  # noqa: F403
from gradflow.engine.errors.tensor.rearranging import *  # noqa: F403
from gradflow.engine.errors.tensor.refusals import *  # noqa: F403
from gradflow.engine.errors.tensor.shapes import *  # noqa: F403
from gradflow.engine.errors.tensor.sparse import *  # noqa: F403

_PREFIX = f"{__name__}."
SECTIONS: dict[str, list[ErrorKind]] = {
    (module.__doc__ or "").split("\n")[0]: kinds
    for name, module in list(sys.modules.items())
    if name.startswith(_PREFIX) and (kinds := [kind for kind in vars(module).values() if isinstance(kind, ErrorKind)])
}
"""The entries that stand together, under what the first line of their module says of them."""

CATALOGUE: dict[str, ErrorKind] = {kind.code: kind for kinds in SECTIONS.values() for kind in kinds}
"""Every entry by its code, in the order of the reference."""
