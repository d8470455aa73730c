"""The names that tensors, layers, optimizers and functions have for themselves: backend/jail/taken_names.txt.

``python -m scripts.generate.taken_names [--check]``

A plain program may call the attributes of its layers as it likes, but not so. Names of other versions of Python and NumPy
stay in the file; ``--check`` asks whether those of this one are in it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FunctionType, GeneratorType, MethodType

import numpy as np

from gradflow.backend.jail.plain import WORDS
from gradflow.engine.autograd.hooks import RemovableHandle
from gradflow.engine.autograd.node import Node
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.namespace.torch import modules
from gradflow.engine.tensor import Storage, Tensor

FILE = Path(__file__).resolve().parents[2] / "backend/jail/taken_names.txt"


def taken() -> set[str]:
    """What may stand after a dot for what is no attribute of a program's layer, and is not listed as harmless."""
    shown = modules()["torch"]
    engine = (Tensor, Parameter, Module, Optimizer, Node, RemovableHandle, Storage, np.ndarray, np.generic)
    python = (type, BaseException, FunctionType, MethodType, GeneratorType)
    of_torch = (shown.device, shown.dtype, shown.Size, shown.Generator)
    names = {name for kind in (*engine, *python, *of_torch) for name in dir(kind)}
    names |= {*vars(RemovableHandle({})), "format", "format_map"}  # texts and lists have little else that matters
    return {name for name in names if not name.startswith("_")} - WORDS


def main() -> None:
    """Write the file, or see that it has all."""
    known = set(FILE.read_text().split()) if FILE.exists() else set()
    if "--check" not in sys.argv:
        FILE.write_text("\n".join(sorted(known | taken())) + "\n")
    elif missing := taken() - known:
        sys.exit(f"{FILE.name} lacks {' '.join(sorted(missing))}: run python -m scripts.generate.taken_names")


if __name__ == "__main__":
    main()
