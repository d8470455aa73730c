"""Tests of the routes, against a real server."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from gradflow.backend.http.app import create_app
from gradflow.backend.jail.outcome import to_json
from gradflow.backend.settings import Settings
from gradflow.engine.examples import Example, load_examples
from gradflow.engine.run import run
from tests.support.first_example import FIRST_EXAMPLE

TRACE = "/api/v1/trace"
RENDER = "/api/v1/render"


def error_of(response: httpx.Response) -> dict[str, Any]:
    """The error of the program, told in both languages."""
    assert response.status_code == 200
    error: dict[str, Any] = response.json()["error"]
    assert error["message"]
    assert error["explanation"]["en"]
    assert error["explanation"]["zh"]
    return error


def gradients_by_name(trace: dict[str, Any]) -> dict[str, list[float]]:
    """The data of each gradient of the last pass, by the program's names."""
    names = {tensor["id"]: tensor["names"] for tensor in trace["tensors"]}
    gradients = trace["passes"][-1]["gradients"]
    return {name: value["data"] for id, value in gradients.items() for name in names[id]}


def test_the_first_example(client: httpx.Client) -> None:
    response = client.post(TRACE, json=FIRST_EXAMPLE)
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
    trace = response.json()
    assert trace["schema"] == 2
    assert trace["error"] is None
    assert gradients_by_name(trace) == {
        "a": [6, 15, 6, 15],
        "b": [4, 4, 4, 6, 6, 6],
        "c": [1, 1, 1, 1, 1, 1],
    }


def test_special_numbers_come_and_go_as_strings(client: httpx.Client) -> None:
    request = {"source": "y = x * 2", "inputs": {"x": [1, "NaN", "Infinity"]}, "gradient": ["-Infinity", 0, 1]}
    trace = client.post(TRACE, json=request).json()
    (x,) = [tensor for tensor in trace["tensors"] if tensor["names"] == ["x"]]
    assert x["value"]["data"] == [1, "NaN", "Infinity"]
    assert gradients_by_name(trace)["x"] == ["-Infinity", 0, 2]


def test_a_leaf_with_dtype_and_without_gradient(client: httpx.Client) -> None:
    leaf = {"data": [1, 2], "dtype": "float64", "requires_grad": False}
    trace = client.post(TRACE, json={"source": "y = x + 1", "inputs": {"x": leaf}}).json()
    (x,) = [tensor for tensor in trace["tensors"] if tensor["names"] == ["x"]]
    assert (x["dtype"], x["requires_grad"]) == ("float64", False)


def test_a_program_that_raises_is_answered_with_a_trace(client: httpx.Client) -> None:
    source = "import torch\nprint('before')\nx = torch.ones(2, requires_grad=True)\n(x * 2).backward()"
    response = client.post(TRACE, json={"source": source})
    error = error_of(response)
    assert error["type"] == "RuntimeError"
    assert error["message"] == "grad can be implicitly created only for scalar outputs"
    assert error["span"]["line"] == 4
    assert response.json()["stdout"] == "before\n"


@pytest.mark.parametrize("coding", ["zstd", "br", "gzip"])
def test_long_answers_are_compressed_as_the_client_takes_it(client: httpx.Client, coding: str) -> None:
    plain = client.post(TRACE, json=FIRST_EXAMPLE, headers={"accept-encoding": "identity"})
    packed = client.post(TRACE, json=FIRST_EXAMPLE, headers={"accept-encoding": coding})
    assert "content-encoding" not in plain.headers
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == (coding, "Accept-Encoding")
    assert packed.content == plain.content
    plain = client.post(TRACE, json=FIRST_EXAMPLE, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers


BOMBS = {
    "while True:\n    pass": {"time-limit"},
    "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass": {
        "time-limit"
    },
    "import torch\ntorch.zeros(10**6, 10**6)": {"memory-limit", "allocation"},
    "10**10**9": {"integer-limit", "time-limit", "memory-limit"},
    "import torch\nx = torch.ones(1, requires_grad=True)\nfor _ in range(10**6):\n    x = x * 1.0": {
        "operations-limit",
        "time-limit",
    },
    "'a' * 10**10": {"memory-limit"},
    "a = [0]\nwhile True:\n    a = a + a": {"memory-limit", "time-limit"},
    "def f():\n    return f()\nf()": {"recursion"},
    "while True:\n    print('x' * 10**6)": {"output-limit", "memory-limit", "time-limit"},
    "import torch\nx = torch.ones(3000, 3000)\nwhile True:\n    x = x @ x": {"time-limit", "memory-limit"},
    "print([[i] * 1000 for i in range(10**7)])": {"memory-limit", "time-limit"},
}
TYPES = {
    "time-limit": "TimeoutError",
    "memory-limit": "MemoryError",
    "allocation": "RuntimeError",
    "integer-limit": "OverflowError",
    "operations-limit": "RuntimeError",
    "recursion": "RecursionError",
    "output-limit": "RuntimeError",
}


def test_bombs_end_in_clear_errors_while_others_are_answered(server: str) -> None:
    async def scene() -> None:
        async with httpx.AsyncClient(base_url=server, timeout=120) as client:
            bombs = {source: asyncio.create_task(client.post(TRACE, json={"source": source})) for source in BOMBS}
            for _ in range(10):
                response = await client.post(TRACE, json=FIRST_EXAMPLE)
                assert response.json()["error"] is None
            for source, task in bombs.items():
                error = error_of(await task)
                assert error["code"] in BOMBS[source], source
                assert error["type"] == TYPES[error["code"]]

    asyncio.run(scene())


def test_programs_that_spin_do_not_keep_the_others_waiting(play: Any) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        spin = {"source": "while True: pass"}
        spinning = [asyncio.create_task(client.post(TRACE, json=spin)) for _ in range(4)]
        for _ in range(5):
            assert (await client.post(TRACE, json=FIRST_EXAMPLE)).json()["error"] is None
        assert not any(task.done() for task in spinning)
        for task in spinning:
            task.cancel()
        await asyncio.gather(*spinning, return_exceptions=True)

    play(scene, time_limit=600)


def test_the_limit_in_force_is_told(play: Any) -> None:
    async def scene(client: httpx.AsyncClient) -> list[httpx.Response]:
        sources = ["while True: pass", "'a' * 10**10"]
        return [await client.post(TRACE, json={"source": source}) for source in sources]

    slow, large = map(error_of, play(scene, time_limit=0.25, memory_limit=100 << 20))
    assert slow["message"] == "the program was stopped after 0.25 s"
    assert large["message"] == "the program used more than 100 MB of memory"


def test_what_happened_before_the_time_limit_is_kept(play: Any) -> None:
    async def scene(client: httpx.AsyncClient) -> httpx.Response:
        source = "import torch\nx = torch.ones(2)\nprint('started')\nwhile True:\n    pass"
        return await client.post(TRACE, json={"source": source})

    response = play(scene, time_limit=0.5)
    error = error_of(response)
    assert error["code"] == "time-limit"
    assert error["span"]["line"] >= 4
    assert response.json()["stdout"] == "started\n"
    assert [tensor["names"] for tensor in response.json()["tensors"]] == [["x"]]


def test_a_trace_too_long_is_told(play: Any) -> None:
    async def scene(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(TRACE, json={"source": "import torch\ny = torch.ones(100) + 1"})

    assert error_of(play(scene, max_response_bytes=1024))["code"] == "trace-limit"


@pytest.mark.parametrize("name", ["KeyboardInterrupt", "GeneratorExit", "BaseException"])
def test_whatever_a_program_raises_is_answered(client: httpx.Client, name: str) -> None:
    assert error_of(client.post(TRACE, json={"source": f"raise {name}('why')"}))["type"] == name


def test_more_inputs_than_operations_are_refused(play: Any) -> None:
    async def scene(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(TRACE, json={"source": "x0", "inputs": {f"x{i}": 1.0 for i in range(101)}})

    answer = play(scene, operation_limit=100)
    assert answer.status_code == 422
    assert answer.json()["detail"] == "body.inputs: a program has at most 100 tensors"


LOOP = """import torch
w = torch.zeros(3, requires_grad=True)
for step in range(400):
    loss = ((w * 2).sum() - 4) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad = None
"""


def test_an_answer_stays_within_its_budget(client: httpx.Client) -> None:
    answer = client.post(TRACE, json={"source": LOOP, "max_bytes": 500_000})
    assert len(answer.content) <= 500_000
    budget = answer.json()["budget"]
    assert budget["bytes"] == 500_000
    assert budget["turns_left_out"] == len(answer.json()["left_out"]) > 0


def test_values_are_told_in_full(client: httpx.Client) -> None:
    source = "import torch\nx = torch.arange(1000.)"
    assert client.post(TRACE, json={"source": source}).json()["tensors"][0]["value"]["data"] is None
    told = client.post(TRACE, json={"source": source, "values": ["t0"]}).json()["tensors"][0]["value"]
    assert told["data"] == [float(k) for k in range(1000)]
    refused = client.post(TRACE, json={"source": source, "values": ["t0", "t9"]})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["location"] == ["body", "values", 1]


def test_a_budget_past_that_of_the_server_is_refused(client: httpx.Client) -> None:
    refused = client.post(TRACE, json={"source": "1", "max_bytes": 16_000_001})
    assert refused.status_code == 422
    assert refused.json()["detail"] == "body.max_bytes: must be at most 16000000 on this server"


def test_a_picture_of_text_that_cannot_be_encoded(client: httpx.Client) -> None:
    source = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.add_module("\\ud800", nn.Linear(1, 1))
    def forward(self, x):
        return getattr(self, "\\ud800")(x)
y = Net()(torch.ones(1))
y.backward()
"""
    assert client.post(RENDER, json={"source": source}).status_code == 200
    assert client.post(TRACE, json={"source": source}).status_code == 200


@pytest.mark.parametrize("path", ["/api/v1/operations", "/api/v1/operations/mm", "/api/v1/examples", "/api/v1/lessons"])
def test_what_does_not_change_is_not_sent_twice(client: httpx.Client, path: str) -> None:
    first = client.get(path)
    again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (first.status_code, again.status_code) == (200, 304)
    assert again.content == b""


def test_examples(client: httpx.Client) -> None:
    told = client.get("/api/v1/examples").json()
    assert [(example["id"], example["source"]) for example in told] == [
        (example.id, example.source) for example in load_examples()
    ]


@pytest.mark.parametrize("example", load_examples(), ids=lambda example: example.id)
def test_confinement_changes_nothing(client: httpx.Client, example: Example) -> None:
    confined = client.post(TRACE, json={"source": example.source, "jacobian": True})
    assert confined.content == to_json(run(example.source, jacobian=True, max_bytes=4_000_000))


def test_health(client: httpx.Client) -> None:
    health = client.get("/healthz").json()
    assert health["status"] == "ok"
    assert health["limits"]["time_limit"] == 5.0
    assert set(health) == {"status", "version", "seccomp", "playground", "links", "limits"}


def test_a_client_that_goes_away_ends_its_run(play: Any) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        app = client._transport.app  # type: ignore[attr-defined]
        gone = asyncio.create_task(client.post(TRACE, json={"source": "while True: pass"}))
        room = app.state.service.jail.room
        while not room.busy:
            await asyncio.sleep(0)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        while room.busy:
            await asyncio.sleep(0)

    play(scene, time_limit=600)


DOCUMENTED = {
    ("post", TRACE): {"200", "413", "415", "422", "429", "500", "503"},
    ("post", RENDER): {"200", "413", "415", "422", "429", "500", "503"},
    ("get", RENDER): {"200", "413", "422", "429", "500", "503"},
    ("get", "/api/v1/operations"): {"200", "304", "422", "500"},
    ("get", "/api/v1/operations/{name}"): {"200", "304", "404", "422", "500"},
    ("get", "/api/v1/examples"): {"200", "304", "500"},
    ("post", "/api/v1/links"): {"200", "201", "413", "415", "422", "429", "500", "503"},
    ("get", "/l/{id}"): {"200", "302", "404", "422", "500", "503"},
    ("get", "/l/{id}/card.png"): {"200", "404", "422", "429", "500", "503"},
    ("get", "/card.png"): {"200", "500"},
    ("get", "/api/v1/lessons"): {"200", "500"},
    ("get", "/api/v1/lessons/{lesson_id}"): {"200", "404", "422", "500"},
    ("get", "/healthz"): {"200", "500", "503"},
    ("get", "/readyz"): {"200", "500", "503"},
    ("get", "/metrics"): {"200", "500"},
}


def test_every_route_and_every_error_is_documented() -> None:
    document = create_app(Settings()).openapi()
    told = {
        (method, path): set(operation["responses"])
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    assert told == DOCUMENTED
    for path, method in ((path, method) for method, path in DOCUMENTED):
        for status, response in document["paths"][path][method]["responses"].items():
            assert ("Retry-After" in response.get("headers", {})) == (status in ("429", "503"))
            assert ("ETag" in response.get("headers", {})) == (
                method == "get" and "304" in told[method, path] and status == "200"
            )
            assert status < "400" or list(response["content"]) == ["application/problem+json"]


def test_the_document_tells_the_contract(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    schemas = document["components"]["schemas"]
    assert {"Trace", "TensorRecord", "Pass", "Value", "TraceRequest", "Problem"} <= set(schemas)
    assert schemas["Value"]["required"] == ["shape", "dtype", "data", "summary"]
    assert schemas["TraceRequest"]["required"] == ["source"]


def test_the_page_of_the_document_needs_no_other_server(client: httpx.Client) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    assert "//" not in page.text.replace("<!doctype html>", "")
    for file in ("docs/assets/swagger-ui-bundle.js", "docs/assets/swagger-ui.css", "docs/start.js"):
        assert f'"{file}"' in page.text
        assert client.get(f"/{file}").status_code == 200


def test_every_answer_carries_the_security_headers(client: httpx.Client) -> None:
    for path in ("/", "/healthz", "/nothing", "/docs"):
        headers = client.get(path).headers
        assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert "unsafe-inline" not in policy["script-src"]
        assert "http" not in headers["content-security-policy"]
