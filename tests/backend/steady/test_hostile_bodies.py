"""Bodies that nobody meant: mutated, cut, nested, of every type. No answer is a failure of the server."""

from __future__ import annotations

import asyncio
import json
import os
import random
from typing import Any, Final

import httpx

ROUNDS: Final = int(os.environ.get("GRADFLOW_MUTATIONS", "600"))
"""How many bodies are sent; for a thorough look 10000."""
AT_ONCE: Final = 8
SEEDS: Final[list[dict[str, Any]]] = [
    {"source": "c = a.mm(b)", "inputs": {"a": [[1, 2], [3, 4]], "b": {"data": [[1], [2]], "dtype": "float64"}}},
    {"source": "x * 2", "inputs": {"x": [1, "NaN"]}, "gradient": [1, 1], "retain_graph": True},
    {
        "source": "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()",
        "gradients": {"0": 1},
        "jacobian": True,
        "values": ["t0"],
        "max_elements": 4,
        "max_bytes": 500_000,
    },
    {"source": "变量 = 数 + 1", "inputs": {"数": 1}, "output": "变量"},
]
VALUES: Final[list[Any]] = [
    None,
    True,
    0,
    -1,
    1e308,
    2**53,
    2**63,
    2**64,
    10**19,
    "",
    "NaN",
    "-Infinity",
    "x" * 300,
    "\u0000",
    "é",
    "９",
    [],
    {},
    [[]],
    [[], [1]],
    [1, [2]],
    ["NaN", True],
    {"data": 1},
    {"data": [], "dtype": "int8"},
    {"data": [1e300], "dtype": "float16"},
    {"data": ["NaN"], "dtype": "int64"},
    {"data": -1, "dtype": "uint8", "requires_grad": False},
    {"0": [1]},
    {"9" * 5000: 1},
    {"²": 1},
    {"class": 1},
    {"x": 1, "ｘ": 2},
    {"__builtins__": 1},
    ["t0", "t0"],
    ["t" + "9" * 90],
]
PIECES: Final = [
    b"",
    b"\x00",
    b"\xff",
    b'"',
    b"{",
    b"[" * 2000,
    b"1e999",
    b"-",
    b"\\ud800",
    b"NaN",
    b"9" * 5000,
    b"\xef\xbb\xbf",
]


def mutated(chance: random.Random) -> bytes:
    """A body: values replaced, added or removed, and then perhaps bytes."""
    body = json.loads(json.dumps(chance.choice(SEEDS)))
    for _ in range(chance.randrange(3)):
        _change(body, chance)
    content = json.dumps(body, ensure_ascii=chance.random() < 0.5).encode(errors="surrogatepass")
    for _ in range(chance.choice([0, 0, 0, 1, 3])):
        at = chance.randrange(len(content) + 1)
        content = content[:at] + chance.choice(PIECES) + content[at + chance.randrange(3) :]
    return content


def _value(chance: random.Random) -> Any:
    return json.loads(json.dumps(chance.choice(VALUES)))


def _change(body: Any, chance: random.Random) -> None:
    place = body
    while isinstance(place, dict | list) and place and chance.random() < 0.6:
        key = chance.choice(list(place)) if isinstance(place, dict) else chance.randrange(len(place))
        if not isinstance(place[key], dict | list) or chance.random() < 0.4:
            if chance.random() < 0.2:
                del place[key]
            else:
                place[key] = _value(chance)
            return
        place = place[key]
    if isinstance(place, dict):
        place[chance.choice(["source", "inputs", "output", "gradients", "x" * 200, "", "values"])] = _value(chance)


def test_no_body_makes_the_server_fail(play: Any) -> None:
    chance = random.Random(12)

    async def scene(client: httpx.AsyncClient) -> None:
        for _ in range(ROUNDS // AT_ONCE):
            bodies = [mutated(chance) for _ in range(AT_ONCE)]
            address = chance.choice(["/api/v1/trace"] * 3 + ["/api/v1/render?format=dot"])
            headers = {"content-type": "application/json"}
            answers = await asyncio.gather(*(client.post(address, content=body, headers=headers) for body in bodies))
            for body, answer in zip(bodies, answers, strict=True):
                assert answer.status_code in (200, 413, 422), (body, answer.text[:500])
                assert len(answer.content) < 1_000_000
                if answer.status_code != 200:
                    assert answer.headers["content-type"] == "application/problem+json"
                    assert json.loads(answer.content)["status"] == answer.status_code
                elif address == "/api/v1/trace":
                    error = json.loads(answer.content)["error"]
                    assert error is None or error["code"] not in ("engine-failed", "killed", "untold"), (body, error)

    play(scene)
