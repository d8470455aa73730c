"""`gradflow run` gives the answer of the service, whatever the surroundings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from gradflow.backend.jail import unconfined
from gradflow.backend.jail.outcome import to_json
from gradflow.engine.run import InvalidRequest

PROGRAMS = {
    "what it prints": """import torch, warnings
print({"leaf", "grad", "node", "edge"}, hash("a"))
def f(n):
    global deepest
    deepest = n
    f(n + 1)
try:
    f(1)
except RecursionError:
    print(deepest)
warnings.warn("mine")
(torch.ones(2, requires_grad=True) * 2).grad
torch.manual_seed(0)
print((torch.rand(300, 300) @ torch.rand(300, 300)).sum(), torch.randn(1000).sum())
print(10**5000)
""",
    "an assertion": "import torch\nassert torch.ones(2).sum() == 3, '梯度'",
    "a fix": ("import torch\nx = torch.ones(3, requires_grad=True)\ndef f(): (x * 2).backward()\nf()\nf()"),
    "a text that is no program": "print('a\nx = )",
}
SURROUNDINGS = {
    "PYTHONHASHSEED": "7",
    "PYTHONOPTIMIZE": "2",
    "PYTHONINTMAXSTRDIGITS": "0",
    "PYTHONNODEBUGRANGES": "1",
    "PYTHONWARNINGS": "ignore",
    "OPENBLAS_NUM_THREADS": "4",
    "NPY_DISABLE_CPU_FEATURES": "AVX2 AVX512F",
    "LC_ALL": "C",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_command_line_answers_as_the_service(name: str, client: httpx.Client, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAMS[name], encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "gradflow", "run", "--json", str(file)],
        capture_output=True,
        env={**os.environ, **SURROUNDINGS},
        check=False,
    )
    response = client.post("/api/v1/trace", json={"source": PROGRAMS[name]})
    assert (response.status_code, run.stderr) == (200, b"")
    assert run.stdout == response.content + b"\n"


def test_arguments_are_those_of_the_engine(client: httpx.Client) -> None:
    request = {"source": "c = a.mm(b)", "inputs": {"a": [["NaN", 2.0]], "b": [[1.0], [2.0]]}, "gradient": [[1]]}
    trace = unconfined.run(**request)  # type: ignore[arg-type]  # mixed values
    assert to_json(trace) == client.post("/api/v1/trace", json=request).content


def test_a_request_without_sense_is_refused() -> None:
    with pytest.raises(InvalidRequest, match=r"^the program has no tensor named 'd'$") as refused:
        unconfined.run("c = 1", output="d")
    assert refused.value.location == ("output",)


def test_a_process_that_dies_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unconfined.helper_process, "command", lambda *_: [sys.executable, "-c", "exit(3)"])
    with pytest.raises(unconfined.Died, match=r"^the process of the program ended with status 3$"):
        unconfined.run("")
