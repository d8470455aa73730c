"""Record how PyTorch refuses to write values that `vmap` maps over into a tensor that it does not.

    python -m scripts.record.unbatched_writes

Writes engine/pytorch/unbatched_writes.txt: an operation of the registry a line, and ``shape`` where its form in place complains of the
shape of the batch, ``arithmetic`` where PyTorch has one rule for many, or the name that the message has. Operations that are not there
are refused by the general rule, under their own names.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch
from torch.func import vmap

from gradflow.engine.autograd.transforms.unbatched_write import written_as
from gradflow.engine.namespace.torch import modules
from gradflow.engine.preload import load_everything
from gradflow.engine.registry import REGISTRY, Op

TARGET: Final = Path("engine") / "pytorch" / "unbatched_writes.txt"
HEAD: Final = (
    "# PyTorch 2.13.0, scripts/record/unbatched_writes.py: how vmap refuses a write into a tensor that has no batch\n"
)
NAMED: Final = re.compile(r"vmap: (inplace arithmetic|aten::\w+|\w+)\(self, \*extra_args\) is not possible")
PLACE: Final = torch.tensor([0])
WRITES: Final[tuple[Callable[..., Any], ...]] = (
    lambda write, x: write(x),
    lambda write, x: write(x, x),
    lambda write, x: write(x[0]),
    lambda write, x: write(0, PLACE, x[:1]),
    lambda write, x: write(0, PLACE, x[:1], "sum"),
    lambda write, x: write(0, PLACE, x[0]),
    lambda write, x: write((PLACE,), x[:1]),
)
"""How a form in place may be called with an example."""
MASKED: Final[tuple[Callable[..., Any], Callable[..., Any]]] = (
    lambda write, x: write(x > 0, 1.0),
    lambda write, x: write(x > 0, x[0]),
)
"""The same with a number, and with a tensor, which are two operations."""


def rule_of(op: Op) -> str | None:
    """What the file says of an operation; None where nothing is to be said."""
    for dtype in (torch.float32, torch.bool, torch.int64):
        batch = (torch.arange(6.0).reshape(3, 2) + 1).to(dtype)
        for call in (*WRITES[:2], MASKED[op.name.endswith("_tensor")], *WRITES[2:]):

            def written(x: torch.Tensor, call: Callable[..., Any] = call) -> torch.Tensor:
                out = torch.ones(2, dtype=x.dtype)
                call(getattr(out, f"{written_as(op)}_"), x)
                return out

            try:
                written(batch[0])
            except Exception:
                continue
            try:
                vmap(written)(batch)
            except RuntimeError as error:
                if str(error).startswith("output with shape"):
                    return "shape"
                if named := NAMED.match(str(error)):
                    name = "arithmetic" if " " in named[1] else named[1]
                    return None if name.startswith("aten::") else name
    return None


def main() -> None:
    """Ask PyTorch about every form in place that reads another tensor."""
    warnings.simplefilter("ignore")
    modules()
    load_everything()
    wanted = [op for op in REGISTRY if op.inplace and op.tensors[1:] and hasattr(torch.Tensor, f"{written_as(op)}_")]
    rules = {op.name: rule_of(op) for op in wanted}
    TARGET.write_text(HEAD + "".join(f"{name} {rule}\n" for name, rule in sorted(rules.items()) if rule))


if __name__ == "__main__":
    main()
