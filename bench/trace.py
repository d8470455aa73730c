"""How long a trace of the first example takes, as an HTTP client sees it, process of its own included.

Prints a table, in milliseconds, and exits with status 1 when the median is over the limit. No program of the first two rows
was ever seen by the service: each ends in another comment. The rows below them, measured in the same run, tell what the
time goes to: the same program again, which is answered from the cache, the engine alone, the service without a program,
and what starting an unprepared Python with NumPy for each program would cost.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from typing import Any

import httpx

from gradflow.backend.jail.outcome import to_json
from gradflow.engine.run import run
from tests.support.server import serving

LIMIT = 9.2
PAUSE = 0.1
"""Seconds between the requests of a reader who edits: time for the service to make ready."""
LOOP = """import torch
y = x = torch.tensor([1., 2.], requires_grad=True)
for i in range(9998):
    y = y * 1.0001
y.sum().backward()
"""
TRAINING = """import torch
import torch.nn as nn
torch.manual_seed(0)
x = torch.randn(16, 4)
t = (x.sum(1, keepdim=True) > 0).float()
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(300):
    opt.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(model(x), t)
    loss.backward()
    opt.step()
    print(epoch, loss.item())
"""
REGRESSION = """import torch
x = torch.linspace(-1, 1, 20)
t = 3 * x + 1
w, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
for step in range(5000):
    loss = ((w * x + b - t) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
    w.grad.zero_()
    b.grad.zero_()
print(w.item(), b.item())
"""
LONG = {"loop of 10000 operations": LOOP, "300 steps of training": TRAINING, "5000 steps of regression": REGRESSION}
REQUEST: dict[str, Any] = {
    "source": "c = a.mm(b)",
    "inputs": {"a": [[1, 2], [3, 4]], "b": [[1, 2, 3], [4, 5, 6]]},
    "gradient": [[1, 1, 1], [1, 1, 1]],
}


def measure(action: Callable[[], object], *, times: int, warm_up: int, pause: float = 0.0) -> list[float]:
    """Milliseconds of each call, with so many seconds before it."""
    for _ in range(warm_up):
        action()
    taken = []
    for _ in range(times):
        time.sleep(pause)
        start = time.perf_counter()
        action()
        taken.append((time.perf_counter() - start) * 1000)
    return sorted(taken)


def row(name: str, taken: list[float], reference: float) -> str:
    """One line of the table."""
    median = statistics.median(taken)
    high = taken[int(len(taken) * 0.95)]
    return f"{name:<44}{median:>9.2f}{high:>9.2f}{taken[-1]:>9.2f}{median / reference:>9.2f}"


def long_runs(client: httpx.Client) -> None:
    """Time, size and size on the wire of traces that do not fit into their budget whole."""
    print(f"{'long programs':<44}{'seconds':>9}{'kB':>9}{'on wire':>9}")
    for name, source in LONG.items():
        start = time.perf_counter()
        with client.stream("POST", "/api/v1/trace", json={"source": source}) as response:
            sent = sum(map(len, response.iter_raw()))
        seconds = time.perf_counter() - start
        length = len(to_json(run(source, max_bytes=4_000_000)))
        print(f"  {name:<42}{seconds:>9.2f}{length / 1000:>9.0f}{sent / 1000:>9.0f}")


def main() -> int:
    """Measure and tell."""
    with serving() as address, httpx.Client(base_url=address, timeout=60) as client:

        def trace(program: str) -> None:
            response = client.post("/api/v1/trace", json={**REQUEST, "source": program})
            response.raise_for_status()
            assert response.json()["error"] is None

        unseen = (f"{REQUEST['source']}  # {number}" for number in count())
        traced = measure(lambda: trace(next(unseen)), times=300, warm_up=20)
        edited = measure(lambda: trace(next(unseen)), times=60, warm_up=3, pause=PAUSE)
        known = measure(lambda: trace(REQUEST["source"]), times=300, warm_up=20)
        long_runs(client)
        healthy = measure(lambda: client.get("/healthz").raise_for_status(), times=300, warm_up=20)
    alone = measure(lambda: run(**REQUEST), times=300, warm_up=20)
    cold = measure(lambda: subprocess.run([sys.executable, "-c", "import numpy"], check=True), times=10, warm_up=1)
    median = statistics.median(traced)
    print(f"{'milliseconds':<44}{'median':>9}{'p95':>9}{'max':>9}{'ratio':>9}")
    print(row("POST /api/v1/trace, first example", traced, median))
    print(row(f"  the same, one every {PAUSE:g} s", edited, median))
    print(row("  the same program again", known, median))
    print(row("  engine alone, in this process", alone, median))
    print(row("  GET /healthz, no program", healthy, median))
    print(row("  a fresh Python that imports NumPy", cold, median))
    print(f"limit for the first row: {LIMIT:g} at the median: {'kept' if median <= LIMIT else 'BROKEN'}")
    return 0 if median <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
