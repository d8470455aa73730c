"""Bodies that nobody meant: mutated, cut, nested, of every type. No answer is a failure of the server."""

from __future__ import annotations

import asyncio
import json
import os
import random
from typing import Any, Final

import httpx

from tests.support.server import serving_with_log

ROUNDS: Final = int(os.environ.get("GRADFLOW_MUTATIONS", "2000"))
"""How many bodies are sent; `make bench-bodies` sends 10000."""
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
LINK_SEEDS: Final[list[dict[str, Any]]] = [
    {"fragment": "example=sum&step=3"},
    {"fragment": "code=S0ktLgEA&view=jacobian"},
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


def mutated(chance: random.Random, seeds: list[dict[str, Any]]) -> bytes:
    """A body: values replaced, added or removed, and then perhaps bytes."""
    body = json.loads(json.dumps(chance.choice(seeds)))
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
        place[chance.choice(["source", "inputs", "output", "gradients", "fragment", "x" * 200, "", "values"])] = _value(
            chance
        )


LINKS: Final = "/api/v1/links"
ADDRESSES: Final = ["/api/v1/trace"] * 5 + ["/api/v1/render?format=dot", "/api/v1/render?format=svg", LINKS]
TYPES: Final = ["application/json"] * 12 + ["application/json; charset=utf-8", "text/plain", "application/json\xff", ""]
ANSWERS: Final = {200, 201, 413, 415, 422, 429, 503}
"""Everything but a failure: 503 and 429 say that a client has to wait."""


def sent(chance: random.Random) -> tuple[str, bytes, str]:
    """An address, a body and its type."""
    address = chance.choice(ADDRESSES)
    return address, mutated(chance, LINK_SEEDS if address == LINKS else SEEDS), chance.choice(TYPES)


def check(address: str, body: bytes, answer: httpx.Response) -> None:
    assert answer.status_code in ANSWERS, (address, body, answer.text[:500])
    assert len(answer.content) < 1_000_000
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert json.loads(answer.content)["status"] == answer.status_code
    elif address == "/api/v1/trace":
        error = json.loads(answer.content)["error"]
        assert error is None or error["code"] not in ("engine-failed", "killed", "untold"), (body, error)


def test_no_body_makes_the_server_fail() -> None:
    chance = random.Random(12)

    async def one(client: httpx.AsyncClient) -> None:
        address, body, kind = sent(chance)
        headers = {b"content-type": kind.encode("latin-1")}
        check(address, body, await client.post(address, content=body, headers=headers))

    async def scene(address: str) -> None:
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            for _ in range(ROUNDS // AT_ONCE):
                await asyncio.gather(*(one(client) for _ in range(AT_ONCE)))
            assert (await client.get("/readyz")).status_code == 200

    with serving_with_log() as (address, log):
        asyncio.run(scene(address))
    assert [line for line in log if "Traceback" in line or "Error" in line] == []
