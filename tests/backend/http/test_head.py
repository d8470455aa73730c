"""Tests of HEAD, which tells about a page what GET would."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

PATHS = (
    "/",
    "/assets/index-1a2b.js",
    "/api/v1/operations",
    "/api/v1/examples",
    "/healthz",
    "/docs",
    "/docs/start.js",
    "/docs/assets/swagger-ui.css",
    "/openapi.json",
    "/nothing",
    "/api/v1/trace",
)
VARYING = {"x-request-id", "date"}


def headers_of(response: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in response.headers.items() if name not in VARYING}


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_head_tells_what_get_would(play_pages: Any, tmp_path: Any, encoding: str) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>page</title>")
    (tmp_path / "assets" / "index-1a2b.js").write_text("// script\n" * 1000)

    async def scene(client: httpx.AsyncClient) -> None:
        for path in PATHS:
            got = await client.get(path, headers={"Accept-Encoding": encoding})
            head = await client.head(path, headers={"Accept-Encoding": encoding})
            assert (path, head.status_code, headers_of(head)) == (path, got.status_code, headers_of(got))
            assert head.content == b""

    play_pages(scene, static_dir=tmp_path)


def test_head_of_a_page_that_is_not_built(play_pages: Any, tmp_path: Any) -> None:
    async def scene(client: httpx.AsyncClient) -> httpx.Response:
        return await client.head("/")

    response = play_pages(scene, static_dir=tmp_path)
    assert (response.status_code, response.content) == (200, b"")
    assert int(response.headers["content-length"]) > 0


def test_head_over_the_network(client: httpx.Client) -> None:
    first = client.head("/api/v1/examples")
    assert (first.status_code, first.content) == (200, b"")
    again = client.head("/api/v1/examples", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert client.get("/healthz").json()["status"] == "ok"  # the connection is still in step


@pytest.mark.parametrize(
    ("path", "allowed"), [("/api/v1/trace", "POST"), ("/api/v1/examples", "GET, HEAD"), ("/healthz", "GET, HEAD")]
)
def test_what_is_allowed_is_told(client: httpx.Client, path: str, allowed: str) -> None:
    response = client.delete(path)
    assert (response.status_code, response.headers["allow"]) == (405, allowed)
    head = client.head("/api/v1/trace")
    assert (head.status_code, head.content, head.headers["allow"]) == (405, b"", "POST")
