"""Tests of the errors of the API: one shape, whatever went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gradflow.backend.http import api
from gradflow.backend.http.middleware import BodyLimit
from gradflow.backend.http.problem_kinds import KINDS, PAGE, type_of

MIB = 1024 * 1024
TRACE = "/api/v1/trace"


def check(response: httpx.Response, status: int) -> dict[str, Any]:
    """The problem, after its shape was checked."""
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    body: dict[str, Any] = response.json()
    assert body["type"] == type_of(status) != "about:blank"
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    assert set(body) == {"type", "title", "status", "detail"} | ({"errors"} if status == 422 else set())
    return body


def test_every_type_leads_to_a_section(client: httpx.Client) -> None:
    page = client.get(PAGE)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    for kind in KINDS:
        assert page.text.count(f'id="{kind.name}"') == 1
        assert page.url.join(kind.type).path == PAGE
    document = client.get("/openapi.json").json()
    answers = [answer for path in document["paths"].values() for way in path.values() for answer in way["responses"]]
    assert {int(status) for status in answers if status >= "400"} <= {kind.status for kind in KINDS}
    told = (Path(__file__).parents[3] / "docs" / "api.md").read_text()
    assert [kind.name for kind in KINDS if f"`{kind.name}`" not in told] == []


@pytest.mark.parametrize("path", ["/nothing", "/api/v1/nothing", "/docs/nothing", "/assets/nothing.js", "/%00"])
def test_404(client: httpx.Client, path: str) -> None:
    check(client.get(path), 404)


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("part", ["%00", "a%00b", "a" * 256, "a" * 5000, "%ff%fe", "..%2f..%2fetc", "a%20" * 90])
@pytest.mark.parametrize("folder", ["/", "/assets/", "/docs/", "/embed/", "/api/v1/"])
def test_404_for_what_no_file_can_be_called(client: httpx.Client, method: str, folder: str, part: str) -> None:
    check(client.request(method, folder + part), 404)
    link = client.request(method, "/l/" + part)
    check(link, link.status_code if link.status_code in (405, 422) else 404)


@pytest.mark.parametrize(("method", "path"), [("GET", TRACE), ("DELETE", TRACE), ("POST", "/healthz"), ("PUT", "/")])
def test_405_tells_what_is_allowed(client: httpx.Client, method: str, path: str) -> None:
    response = client.request(method, path)
    check(response, 405)
    assert response.headers["allow"]


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""])
def test_415(client: httpx.Client, content_type: str) -> None:
    check(client.post(TRACE, content=b"{}", headers={"Content-Type": content_type}), 415)


def test_a_charset_in_the_content_type_is_fine(client: httpx.Client) -> None:
    headers = {"Content-Type": "application/json; charset=utf-8"}
    assert client.post(TRACE, content=b'{"source": ""}', headers=headers).status_code == 200


def test_413_by_declared_length(client: httpx.Client) -> None:
    body = check(client.post(TRACE, json={"source": "x" * 2 * MIB}), 413)
    assert body["detail"] == f"The request body is longer than {MIB} bytes."


def test_413_by_chunks(client: httpx.Client) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(20):
            yield b" " * 100_000

    check(client.post(TRACE, content=chunks(), headers={"Content-Type": "application/json"}), 413)


def test_a_body_past_the_limit_is_not_read_to_its_end() -> None:
    read = 0

    async def receive() -> dict[str, object]:
        nonlocal read
        read += 1
        return {"type": "http.request", "body": b"x" * 10, "more_body": True}

    async def application(scope: object, receive: Callable[[], Any], send: object) -> None:
        while True:
            await receive()

    async def send(message: object) -> None:
        raise AssertionError("nothing is sent")

    scope = {"type": "http", "headers": []}
    with pytest.raises(Exception, match="longer than 35 bytes"):
        asyncio.run(BodyLimit(application, 35)(scope, receive, send))  # type: ignore[arg-type]
    assert read == 4


def test_413_for_a_program_past_64_kib(client: httpx.Client) -> None:
    assert client.post(TRACE, json={"source": "#" * 65_536}).status_code == 200
    body = check(client.post(TRACE, json={"source": "#" * 65_537}), 413)
    assert body["detail"] == "The program is longer than 65536 bytes."


@pytest.mark.parametrize(
    ("request_body", "location", "message"),
    [
        ({}, ["body", "source"], "Field required"),
        ([], ["body"], "Input should be a valid dictionary or object to extract fields from"),
        ({"source": 1}, ["body", "source"], "Input should be a valid string"),
        ({"source": "", "sauce": 1}, ["body", "sauce"], "Extra inputs are not permitted"),
        ({"source": "", "jacobian": 1}, ["body", "jacobian"], "Input should be a valid boolean"),
        ({"source": "", "max_elements": 0}, ["body", "max_elements"], "Input should be greater than or equal to 1"),
        ({"source": "", "max_elements": 10**6}, ["body", "max_elements"], "must be at most 4096 on this server"),
        ({"source": "", "gradient": ["one"]}, ["body", "gradient"], "Expected a number or nested lists of numbers"),
        ({"source": "", "gradient": {}}, ["body", "gradient"], "Expected a number or nested lists of numbers"),
        (
            {"source": "", "gradients": {"first": 1}},
            ["body", "gradients"],
            "Expected the number of a backward call as key: 0, 1, ...",
        ),
        ({"source": "", "inputs": {"a": {"dtype": "float32"}}}, ["body", "inputs", "a", "data"], "Field required"),
        (
            {"source": "", "inputs": {"a": {"data": 1, "device": "cuda"}}},
            ["body", "inputs", "a", "device"],
            "Extra inputs are not permitted",
        ),
    ],
)
def test_422_tells_where(client: httpx.Client, request_body: object, location: list[object], message: str) -> None:
    body = check(client.post(TRACE, json=request_body), 422)
    assert [(error["location"], error["message"]) for error in body["errors"]] == [(location, message)]
    assert body["detail"] == f"{'.'.join(map(str, location))}: {message}"


def test_422_lists_everything(client: httpx.Client) -> None:
    body = check(client.post(TRACE, json={"source": 1, "output": 2, "extra": 3}), 422)
    assert [error["location"][-1] for error in body["errors"]] == ["source", "output", "extra"]
    assert body["detail"] == "body.source: Input should be a valid string (and 2 more)"


@pytest.mark.parametrize(
    ("content", "position", "message"),
    [
        (b'{"source": }', 11, "unexpected character, expected a JSON value"),
        (b'{"source": "', 12, "unexpected end of data"),
        (b'{"source": "\\ud800"}', 12, "no low surrogate in string"),
        (b'{"source": "", "gradient": [1, NaN]}', 31, "it has no such number"),
        (b'{"source": "", "gradient": [-Infinity]}', 29, "it has no such number"),
        (b'{"source": "", "gradient": ' + b"[" * 5000 + b"]" * 5000 + b"}", 1051, "depth limit exceeded"),
    ],
)
def test_422_for_invalid_json_tells_the_position(
    client: httpx.Client, content: bytes, position: int, message: str
) -> None:
    body = check(client.post(TRACE, content=content, headers={"Content-Type": "application/json"}), 422)
    (error,) = body["errors"]
    assert error["code"] == "json_invalid"
    assert error["location"] == ["body", position]
    assert error["message"].startswith(f"Invalid JSON: {message}")


def test_422_for_an_array_too_deep(client: httpx.Client) -> None:
    gradient: object = 1
    for _ in range(65):
        gradient = [gradient]
    body = check(client.post(TRACE, json={"source": "", "gradient": gradient}), 422)
    assert body["errors"][0]["message"] == "An array has at most 64 dimensions"


@pytest.mark.parametrize(
    ("request_body", "location"),
    [
        ({"source": "c = a", "inputs": {"a": [[1, 2], [3]]}}, ["body", "inputs", "a"]),
        ({"source": "c = a", "inputs": {"a": {"data": [1], "dtype": "float3"}}}, ["body", "inputs", "a"]),
    ],
)
def test_422_from_the_engine_tells_where(client: httpx.Client, request_body: object, location: list[object]) -> None:
    body = check(client.post(TRACE, json=request_body), 422)
    assert body["errors"][0]["location"][: len(location)] == location


def test_422_for_a_query(client: httpx.Client) -> None:
    body = check(client.post("/api/v1/render?format=gif", json={"source": ""}), 422)
    assert body["errors"][0]["location"] == ["query", "format"]


def test_429_tells_when_to_come_again(play: Any) -> None:
    async def scene(client: httpx.AsyncClient) -> list[httpx.Response]:
        return [await client.post(TRACE, json={"source": ""}) for _ in range(3)]

    *fine, refused = play(scene, rate_limit=2)
    assert [response.status_code for response in fine] == [200, 200]
    check(refused, 429)
    assert 1 <= int(refused.headers["retry-after"]) <= 60


def test_500_for_what_nobody_foresaw(play_pages: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(client: httpx.AsyncClient) -> httpx.Response:
        return await client.get("/api/v1/examples")

    def fail(*_: object) -> httpx.Response:
        raise ValueError("secret")

    monkeypatch.setattr(api, "unchanging", fail)
    response = play_pages(scene)
    assert "secret" not in str(check(response, 500))
    assert response.headers["connection"] == "close"


def test_503_when_every_seat_is_taken(play: Any) -> None:
    async def scene(client: httpx.AsyncClient) -> list[httpx.Response]:
        requests = [client.post(TRACE, json={"source": f"while {k}: pass"}) for k in range(1, 5)]
        return list(await asyncio.gather(*requests))

    responses = play(scene, concurrency=1, queue=1, time_limit=0.2, grace=0.2)
    served = [response for response in responses if response.status_code == 200]
    refused = [response for response in responses if response.status_code != 200]
    assert len(served) == len(refused) == 2
    for response in refused:
        check(response, 503)
        assert int(response.headers["retry-after"]) >= 1


def test_503_when_there_is_no_fork_server(play: Any, capfd: pytest.CaptureFixture[str]) -> None:
    async def scene(client: httpx.AsyncClient) -> httpx.Response:
        app = client._transport.app  # type: ignore[attr-defined]
        service = app.state.service
        await service.jail.close()
        service.jail.configuration = service.jail.configuration.__class__("no_module:make", {}, 1, MIB)
        return await client.post(TRACE, json={"source": ""})

    check(play(scene), 503)
    assert "no_module" in capfd.readouterr().err


def test_a_slow_body_is_waited_for(play: Any) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for part in (b'{"sour', b'ce": ', b'""}'):
            yield part

    async def scene(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(TRACE, content=parts(), headers={"Content-Type": "application/json"})

    assert play(scene).status_code == 200
