"""Tests of the playground's files, on a small page of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from gradflow.backend.playground_folder import find_playground


@pytest.fixture
def get(play_pages: Any, tmp_path: Path) -> Callable[..., httpx.Response]:
    """Get one path from a server with a page."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>page</title>")
    (tmp_path / "assets" / "index-1a2b.js").write_text("// script\n" * 1000)
    (tmp_path / "assets" / "font-1a2b.woff2").write_bytes(b"font" * 1000)

    def get_path(path: str, **options: Any) -> httpx.Response:
        async def scene(client: httpx.AsyncClient) -> httpx.Response:
            return await client.get(path, **options)

        response: httpx.Response = play_pages(scene, static_dir=tmp_path)
        return response

    return get_path


def test_the_page_is_asked_for_again(get: Callable[..., httpx.Response]) -> None:
    response = get("/")
    assert response.text == "<!doctype html><title>page</title>"
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["etag"]


def test_files_with_a_hash_stay(get: Callable[..., httpx.Response]) -> None:
    response = get("/assets/index-1a2b.js")
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_text_is_compressed_and_fonts_are_not(get: Callable[..., httpx.Response]) -> None:
    script = get("/assets/index-1a2b.js")
    assert script.headers["content-encoding"] == "gzip"
    assert script.headers["vary"] == "Accept-Encoding"
    assert script.text == "// script\n" * 1000
    assert "content-encoding" not in get("/assets/font-1a2b.woff2").headers


def test_plain_text_for_who_wants_it(get: Callable[..., httpx.Response]) -> None:
    response = get("/assets/index-1a2b.js", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in response.headers
    assert len(response.content) == 10_000


@pytest.mark.parametrize(
    "asked", ["bytes=0-9", "bytes=5-2", "bytes=999999999999999999999-", "bytes=a-b", "bytes=" + "0-," * 500]
)
def test_files_are_sent_whole_whatever_range_is_asked(get: Callable[..., httpx.Response], asked: str) -> None:
    response = get("/assets/font-1a2b.woff2", headers={"Range": asked})
    assert (response.status_code, len(response.content)) == (200, 4000)
    assert "accept-ranges" not in response.headers


def test_a_file_that_did_not_change_is_not_sent_again(get: Callable[..., httpx.Response]) -> None:
    tag = get("/assets/index-1a2b.js").headers["etag"]
    assert get("/assets/index-1a2b.js", headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize("path", ["/../conftest.py", "/%2e%2e/conftest.py", "/assets/../../x", "//etc/passwd"])
def test_nothing_outside_the_folder_is_served(get: Callable[..., httpx.Response], path: str) -> None:
    assert get(path).status_code == 404


def test_without_a_page_the_way_to_one_is_told(play_pages: Any, tmp_path: Path) -> None:
    async def scene(client: httpx.AsyncClient) -> httpx.Response:
        return await client.get("/")

    response = play_pages(scene, static_dir=tmp_path)
    assert response.status_code == 200
    assert "npm run build" in response.text


def test_a_configured_folder_is_the_only_one_looked_at(tmp_path: Path) -> None:
    assert find_playground(tmp_path) is None
    (tmp_path / "index.html").touch()
    assert find_playground(tmp_path) == tmp_path
