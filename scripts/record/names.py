"""Record the public names of PyTorch, by which a program is told what exists but is not available here.

    python -m scripts.record.names

Writes engine/pytorch/names.txt: an owner in brackets, then its names, one a line. Needs PyTorch.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import torch

MODULES = (
    "torch",
    "torch.autograd",
    "torch.autograd.functional",
    "torch.func",
    "torch.linalg",
    "torch.fft",
    "torch.special",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.utils.data",
)
TARGET = Path("engine") / "pytorch" / "names.txt"
HEAD = "# PyTorch 2.13.0, scripts/record/names.py: the public names of each module and class\n"


def public_names(owner: object) -> list[str]:
    """The public names that are PyTorch's own, and not an import of something else."""
    return [name for name in sorted(dir(owner)) if not name.startswith("_") and is_own(getattr(owner, name))]


def is_own(value: object) -> bool:
    if isinstance(value, ModuleType):
        return value.__name__.startswith("torch.")
    return getattr(value, "__module__", None) not in ("typing", "collections.abc", "enum", "functools", "contextlib")


def main() -> None:
    owners: dict[str, object] = {name: importlib.import_module(name) for name in MODULES}
    owners["Tensor"] = torch.Tensor
    owners["Module"] = torch.nn.Module
    lines = [line for name, owner in owners.items() for line in (f"[{name}]", *public_names(owner))]
    TARGET.write_text(HEAD + "".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
