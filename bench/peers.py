"""How fast the engine is: ratios to PyTorch, HIPS autograd and NumPy by hand, measured in one run on one thread.

`make bench` sets the environment that keeps the linear algebra of NumPy to one thread.

Prints the table of docs/performance.md and exits with status 1 where a limit is broken. Of each measurement the fastest
repetition counts; the contestants take turns, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import functools
import gc
import itertools
import math
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import autograd
import autograd.numpy as hips
import numpy as np
import torch

from gradflow.engine.namespace.torch import modules
from gradflow.engine.run import run

Work = Callable[[], object]
OPERATIONS: Final = 901
GROWTH: Final = (1_000, 10_000, 100_000)
LAYERS: Final = (784, 512, 10)
BATCH, STEPS, RATE = 256, 10, 0.1
CONTESTANTS: Final = ("Gradflow", "PyTorch", "autograd", "NumPy")

torch.set_num_threads(1)
OURS: Final = modules()["torch"]
RNG: Final = np.random.default_rng(0)
W, B, X = (RNG.normal(size=(4, 4)).astype(np.float32) for _ in range(3))
IMAGES: Final = RNG.normal(size=(BATCH, LAYERS[0])).astype(np.float32)
LABELS: Final = RNG.integers(0, LAYERS[-1], BATCH)
WEIGHTS: Final = [(RNG.normal(size=(n, m)) * 0.05).astype(np.float32) for m, n in itertools.pairwise(LAYERS)]
BIASES: Final = [np.zeros(n, np.float32) for n in LAYERS[1:]]


# -- a chain of small operations ---------------------------------------------------------------------------------------


def chain(library: Any) -> object:
    """``y = (y * w + b).tanh()`` 300 times, the sum, and the gradients, under PyTorch or what looks like it."""
    w, b, y = (library.tensor(a.tolist(), requires_grad=True) for a in (W, B, X))
    for _ in range(300):
        y = (y * w + b).tanh()
    y.sum().backward()
    return w.grad


def chain_hips() -> object:
    """The same under HIPS autograd."""

    def total(w: Any, b: Any, y: Any) -> Any:
        for _ in range(300):
            y = hips.tanh(y * w + b)
        return hips.sum(y)

    return autograd.grad(total, (0, 1, 2))(W, B, X)


def chain_by_hand() -> object:
    """The same with the derivatives written out."""
    y, kept = X, []
    for _ in range(300):
        before, y = y, np.tanh(y * W + B)
        kept.append((before, y))
    g, of_w, of_b = np.ones_like(y), np.zeros_like(W), np.zeros_like(B)
    for before, after in reversed(kept):
        g = g * (1 - after * after)
        of_b += g
        of_w += g * before
        g = g * W
    return of_w, of_b, g


@functools.cache
def chain_source(times: int) -> str:
    """The chain as a program, put together once: its numbers as text are not what is measured."""
    return (
        "import torch\n"
        f"w, b, y = (torch.tensor(a, requires_grad=True) for a in {[a.tolist() for a in (W, B, X)]})\n"
        f"for i in range({times}):\n    y = (y * w + b).tanh()\n"
        "y.sum().backward()\n"
    )


def traced(times: int = 300) -> object:
    """The chain through `run`: every value and gradient is recorded."""
    trace = run(chain_source(times), operations=1_000_000)
    assert trace.error is None
    return trace


# -- a network ---------------------------------------------------------------------------------------------------------


def network(library: Any) -> object:
    """Ten steps of SGD on a network with one hidden layer."""
    weights = [library.tensor(a, requires_grad=True) for a in WEIGHTS]
    biases = [library.tensor(a, requires_grad=True) for a in BIASES]
    images, labels = library.tensor(IMAGES), library.tensor(LABELS)
    optimizer = library.optim.SGD([*weights, *biases], lr=RATE)
    functional = library.nn.functional
    for _ in range(STEPS):
        optimizer.zero_grad()
        hidden = functional.relu(functional.linear(images, weights[0], biases[0]))
        loss = functional.cross_entropy(functional.linear(hidden, weights[1], biases[1]), labels)
        loss.backward()
        optimizer.step()
    return loss.item()


def network_hips() -> object:
    """The same under HIPS autograd."""

    def loss(parameters: Any) -> Any:
        (first, second), (one, two) = parameters
        hidden = hips.maximum(hips.dot(IMAGES, first.T) + one, 0)
        scores = hips.dot(hidden, second.T) + two
        top = hips.max(scores, axis=1, keepdims=True)
        logs = scores - top - hips.log(hips.sum(hips.exp(scores - top), axis=1, keepdims=True))
        return -hips.mean(logs[np.arange(BATCH), LABELS])

    weights, biases = list(WEIGHTS), list(BIASES)
    gradient = autograd.grad(loss)
    for _ in range(STEPS):
        of_weights, of_biases = gradient((weights, biases))
        weights = [w - RATE * g for w, g in zip(weights, of_weights, strict=True)]
        biases = [b - RATE * g for b, g in zip(biases, of_biases, strict=True)]
    return weights


def network_by_hand() -> object:
    """The same with the derivatives written out."""
    (first, second), (one, two) = [w.copy() for w in WEIGHTS], [b.copy() for b in BIASES]
    rows, rate = np.arange(BATCH), np.float32(RATE)
    for _ in range(STEPS):
        before = IMAGES @ first.T + one
        hidden = np.maximum(before, 0)
        scores = hidden @ second.T + two
        powers = np.exp(scores - scores.max(1, keepdims=True))
        g = powers / powers.sum(1, keepdims=True)
        g[rows, LABELS] -= 1
        g /= np.float32(BATCH)
        back = (g @ second) * (before > 0)
        second -= rate * (g.T @ hidden)
        two -= rate * g.sum(0)
        first -= rate * (back.T @ IMAGES)
        one -= rate * back.sum(0)
    return first


# -- measuring ---------------------------------------------------------------------------------------------------------


def fastest(works: Mapping[str, Work], repetitions: int) -> dict[str, float]:
    """Seconds of the fastest repetition of each, taking turns. As with `timeit`, garbage is collected in between."""
    best = dict.fromkeys(works, math.inf)
    gc.disable()
    for _ in range(repetitions):
        for name, work in works.items():
            gc.collect()
            start = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - start)
    gc.enable()
    return best


def imported() -> float:
    """Milliseconds that importing the engine's entry point takes in a fresh Python."""
    code = "import time; t = time.perf_counter(); import gradflow.engine.run; print(time.perf_counter() - t)"
    taken = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(10)]
    return min(taken) * 1000


def exponent(seconds: list[float]) -> float:
    """The slope of time over size, both as logarithms."""
    return float(np.polyfit(np.log(GROWTH), np.log(seconds), 1)[0])


def line(name: str, unit: str, values: Mapping[str, float], ratio: str, limit: str) -> str:
    """One row of the table."""
    cells = [f"{values[c]:.2f}" if c in values else "" for c in CONTESTANTS]
    return f"| {name} | {unit} | {' | '.join(cells)} | {ratio} | {limit} |"


def main() -> int:
    """Measure and tell."""
    chains = fastest(
        {
            "Gradflow": lambda: chain(OURS),
            "PyTorch": lambda: chain(torch),
            "traced": traced,
            "autograd": chain_hips,
            "NumPy": chain_by_hand,
        },
        40,
    )
    networks = fastest(
        {
            "Gradflow": lambda: network(OURS),
            "PyTorch": lambda: network(torch),
            "autograd": network_hips,
            "NumPy": network_by_hand,
        },
        8,
    )
    growth = [fastest({"traced": lambda n=size: traced(n // 3)}, 3)["traced"] for size in GROWTH]  # type: ignore[misc]
    each = {name: seconds / OPERATIONS * 1e6 for name, seconds in chains.items()}
    steps = {name: seconds / STEPS * 1e3 for name, seconds in networks.items()}
    slope, loading = exponent(growth), imported()
    alone, recorded = each["Gradflow"] / each["PyTorch"], each["traced"] / each["PyTorch"]
    network_ratio = steps["Gradflow"] / steps["PyTorch"]
    print(f"| work | unit | {' | '.join(CONTESTANTS)} | Gradflow / PyTorch | limit (goal) |")
    print("|---|---" + "|---:" * len(CONTESTANTS) + "|---:|---|")
    print(line("901 operations on 4x4, engine alone", "µs/operation", each, f"{alone:.2f}", "1.2 (0.8)"))
    traces = each | {"Gradflow": each["traced"]}
    print(line("the same through `run()`, traced", "µs/operation", traces, f"{recorded:.2f}", "1.6 (1.2)"))
    print(line("784-512-10, batch 256, SGD", "ms/step", steps, f"{network_ratio:.2f}", "1.5 (1.1)"))
    for size, seconds in zip(GROWTH, growth, strict=True):
        print(line(f"{size} operations, traced", "µs/operation", {"Gradflow": seconds / size * 1e6}, "", ""))
    print(line("growth of these: exponent", "", {"Gradflow": slope}, "", "1.1"))
    print(line("`import gradflow.engine.run`, NumPy included", "ms", {"Gradflow": loading}, "", "300 (150)"))
    kept = alone <= 1.2 and recorded <= 1.6 and network_ratio <= 1.5 and slope < 1.1 and loading <= 300
    print("all limits kept" if kept else "a limit is BROKEN")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
