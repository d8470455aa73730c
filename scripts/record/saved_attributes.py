"""Record which saved variables PyTorch's functions of the graph show: `_saved_self` and its like.

    python -m scripts.record.saved_attributes

Writes engine/pytorch/saved_attributes.txt: a function a line, then the names without their prefix; a star marks tensors, which also
have a `_raw_saved_` form.
"""

from __future__ import annotations

from pathlib import Path

import torch

TARGET = Path("engine") / "pytorch" / "saved_attributes.txt"
HEAD = "# PyTorch 2.13.0, scripts/record/saved_attributes.py: for each function of the graph its _saved_ attributes\n"


def line(title: str, kind: type) -> str:
    """What one class of nodes shows; nothing for those without saved variables."""
    names = set(dir(kind))
    saved = sorted(name.removeprefix("_saved_") for name in names if name.startswith("_saved_"))
    return " ".join([title, *(f"{name}*" if f"_raw_saved_{name}" in names else name for name in saved)])


def main() -> None:
    known = vars(torch._C._functions).items()
    lines = [line(title, kind) for title, kind in sorted(known) if isinstance(kind, type)]
    TARGET.write_text(HEAD + "".join(f"{each}\n" for each in lines if " " in each), encoding="utf-8")


if __name__ == "__main__":
    main()
