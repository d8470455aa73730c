"""Tests of who may have what in a frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from gradflow.backend.settings import Settings


@pytest.fixture
def headers(play_pages: Any, tmp_path: Path) -> Callable[..., httpx.Headers]:
    """The headers of an address, with the operator's setting."""
    for page in ("index.html", "embed.html", "embed.js"):
        (tmp_path / page).write_text(page)

    def headers_of(path: str, origins: str | None = None) -> httpx.Headers:
        async def scene(client: httpx.AsyncClient) -> httpx.Headers:
            response = await client.get(path)
            assert response.status_code == 200
            return response.headers

        found: httpx.Headers = play_pages(scene, static_dir=tmp_path, embed_origins=origins)
        return found

    return headers_of


def ancestors(headers: httpx.Headers) -> str:
    (found,) = [part for part in headers["content-security-policy"].split("; ") if part.startswith("frame-ancestors")]
    return found


@pytest.mark.parametrize("path", ["/", "/embed", "/embed.js", "/api/v1/examples"])
def test_by_itself_only_this_server_frames_its_pages(headers: Callable[..., httpx.Headers], path: str) -> None:
    found = headers(path)
    assert ancestors(found) == "frame-ancestors 'self'"
    assert found["x-frame-options"] == "SAMEORIGIN"
    assert found["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    ("origins", "policy"),
    [
        ("*", "frame-ancestors *"),
        ("https://school.example", "frame-ancestors 'self' https://school.example"),
        (
            "https://*.school.example http://127.0.0.1:8888",
            "frame-ancestors 'self' https://*.school.example http://127.0.0.1:8888",
        ),
    ],
)
def test_the_operator_lets_others_frame_the_page_that_plays_and_nothing_else(
    headers: Callable[..., httpx.Headers], origins: str, policy: str
) -> None:
    found = headers("/embed", origins)
    assert ancestors(found) == policy
    assert "x-frame-options" not in found
    assert found["cross-origin-resource-policy"] == "cross-origin"
    assert headers("/embed.js", origins)["cross-origin-resource-policy"] == "cross-origin"
    for path in ("/", "/embed.html", "/api/v1/examples"):
        assert ancestors(headers(path, origins)) == "frame-ancestors 'self'"
        assert headers(path, origins)["x-frame-options"] == "SAMEORIGIN"


@pytest.mark.parametrize(
    "origins", ["school.example", "https://a.example; script-src *", "* https://a.example", "'self'"]
)
def test_what_is_no_origin_is_refused(origins: str) -> None:
    with pytest.raises(ValidationError):
        Settings(embed_origins=origins)
