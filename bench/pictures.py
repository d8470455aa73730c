"""How long a picture on the server takes, from program to SVG: `render` beside PyTorch with torchviz, taking turns, in one run.

Prints the table of docs/performance.md and exits with status 1 where a limit is broken. The fastest repetition counts.
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final

warnings.simplefilter("ignore")

import torch  # noqa: E402
import torchviz  # noqa: E402

from gradflow import render, run  # noqa: E402

sys.setrecursionlimit(100_000)  # torchviz follows the graph by calling itself
SIZES: Final = (10, 100, 1000, 3000)
PATIENCE: Final = 60.0
"""Seconds after which Graphviz is given up with torchviz's graph."""
LARGEST: Final = 10_000
LIMIT: Final = 1.0
LONGEST: Final = 5.0
"""Seconds for the largest."""


def program(operations: int) -> str:
    """A straight program: ``y=y*w+b`` again and again, the sum, and the pass. Short lines: a program has 64 KiB at the most."""
    steps = "y=y*w+b\n" * (operations // 2)
    return (
        "import torch\nw = torch.tensor([0.5, 1.0], requires_grad=True)\nb = torch.ones(2)\ny = w.exp()\n"
        f"{steps}out = y.sum()\nout.backward()\n"
    )


def ours(source: str) -> object:
    """Program to SVG."""
    trace = run(source)
    assert trace.error is None, trace.error
    return render(trace, "svg")


def theirs(source: str) -> object:
    """The same with PyTorch and torchviz, which draws the functions and the shapes of leaves."""
    names: dict[str, Any] = {"torch": torch}
    exec(source, names)
    drawing = torchviz.make_dot(names["out"], params={"w": names["w"]}).source.encode()
    return subprocess.run(["dot", "-Tsvg"], input=drawing, capture_output=True, check=True, timeout=PATIENCE)


def fastest(works: Mapping[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """Seconds of the fastest repetition of each, taking turns."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(repetitions):
        for name, work in works.items():
            start = time.perf_counter()
            try:
                work()
            except subprocess.TimeoutExpired:
                continue
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def main() -> int:
    """Measure and tell."""
    kept = True
    print("| program to SVG | Gradflow, s | PyTorch and torchviz, s | ratio | limit |")
    print("|---|---:|---:|---:|---:|")
    for size in SIZES:
        source = program(size)
        best = fastest(
            {"ours": lambda s=source: ours(s), "theirs": lambda s=source: theirs(s)}, 1 if size > 100 else 12
        )
        ratio = best["ours"] / best["theirs"]
        kept &= ratio <= LIMIT
        peer = f"{best['theirs']:.3f}" if best["theirs"] < PATIENCE else f"over {PATIENCE:g}"
        print(f"| {size} operations | {best['ours']:.3f} | {peer} | {ratio:.2f} | {LIMIT:g} |", flush=True)
    longest = fastest({"ours": lambda: ours(program(LARGEST))}, 2)["ours"]
    kept &= longest <= LONGEST
    print(f"| {LARGEST} operations | {longest:.3f} | | | {LONGEST:g} s |")
    print("all limits kept" if kept else "a limit is BROKEN")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
