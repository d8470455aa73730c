"""What links look like where they are posted: tags in the page, and a picture of 1200 by 630 pixels for every program."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import httpx
import pytest

from gradflow.backend.http.cards import plain_card, program_of
from gradflow.engine.examples import load_examples

PRODUCT = """import torch
a = torch.ones(2, 2, requires_grad=True)
y = a * 3
y.backward(torch.tensor([[1., "<&>"], [2., 3.]]) if False else torch.ones(2, 2))
"""
BROWSER = {"Accept": "text/html,*/*", "Sec-Fetch-Dest": "document"}
READER = {"Accept": "text/html,*/*"}
BOT = {"User-Agent": "Slackbot-LinkExpanding 1.0"}


def packed(source: str | bytes) -> str:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(source if isinstance(source, bytes) else source.encode()) + deflate.flush()
    return "code=" + base64.urlsafe_b64encode(data).decode().rstrip("=")


async def stored(client: httpx.AsyncClient, fragment: str) -> str:
    answer = await client.post("/api/v1/links", json={"fragment": fragment})
    assert answer.status_code == 201
    return f"/l/{answer.json()['id']}"


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def told(page: httpx.Response) -> dict[str, str]:
    return dict(re.findall(r'<meta property="([^"]+)" content="([^"]*)">', page.text))


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'links.sqlite3'}"


def test_the_page_has_tags(play_pages: Any, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><title>Gradflow</title>")

    async def scene(client: httpx.AsyncClient) -> None:
        page = await client.get("/", headers={"Host": "graphs.example:81"})
        found = told(page)
        assert found["og:title"] == "Gradflow"
        assert found["og:image"] == "http://graphs.example:81/card.png"
        assert found["og:description"] == "See what PyTorch&#x27;s backward(gradient) does, step by step."
        other = await client.get("/", headers={"Host": 'x"><script>'})
        assert "<script>" not in other.text
        card = await client.get("/card.png")
        assert (card.headers["content-type"], size(card.content)) == ("image/png", (1200, 630))
        assert card.headers["cache-control"] == "public, max-age=3600"

    play_pages(scene, static_dir=tmp_path)


def test_a_link_is_opened_by_browsers_and_shown_by_others(play_pages: Any, database: str) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        link = await stored(client, "example=sum&step=3")
        for headers in (BROWSER, {}):
            opened = await client.get(link, headers=headers)
            assert (opened.status_code, opened.headers["location"]) == (302, "/#example=sum&step=3")
        for headers in (READER, BOT):
            page = await client.get(link, headers=headers)
            assert page.status_code == 200
            assert told(page)["og:title"] == next(each.title.en for each in load_examples() if each.id == "sum")
            assert told(page)["og:description"] == "y.backward()"
            assert told(page)["og:image"] == f"http://test{link}/card.png"
            assert '<meta http-equiv="refresh" content="0;url=/#example=sum&amp;step=3">' in page.text
        own = await client.get(await stored(client, packed(PRODUCT)), headers=BOT)
        assert told(own)["og:title"] == "Gradflow"
        assert "&lt;&amp;&gt;" in told(own)["og:description"]

    play_pages(scene, database_url=database)


def test_a_program_has_its_own_card(play: Any, database: str) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        link = await stored(client, packed(PRODUCT))
        first = await client.get(f"{link}/card.png")
        assert (first.status_code, size(first.content)) == (200, (1200, 630))
        assert first.content != plain_card()
        runs = (await client.get("/metrics")).text
        again = await client.get(f"{link}/card.png")
        assert again.content == first.content
        count = r'gradflow_runs_total\{outcome="answered"\} (\S+)'
        assert re.findall(count, runs) == re.findall(count, (await client.get("/metrics")).text) != []

    play(scene, database_url=database)


UNDRAWN = (
    packed("import torch\nthis is no program"),
    packed("print(1)"),
    packed("while True: pass"),
    packed("import torch\nsum(torch.ones(2, requires_grad=True) for k in range(100)).sum().backward()"),
    packed(b"\xff\xfe"),
    packed("x = 1\n" * 40_000),
    "code=!!!!",
    "code=AAAA",
    "example=nobody",
    "lesson=error-and-argument",
    "&".join(f"a{k}=1" for k in range(1000)),
)


def test_what_cannot_be_drawn_has_a_plain_card(play: Any, database: str) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        for fragment in UNDRAWN:
            link = await stored(client, fragment)
            card = await client.get(f"{link}/card.png")
            assert card.status_code == 200, fragment
            assert card.content == plain_card(), fragment
            assert (await client.get(link, headers=BOT)).status_code == 200, fragment

    play(scene, database_url=database, time_limit=0.5, grace=0.2)


def test_a_card_of_no_link_and_of_too_many(play: Any, database: str) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        missing = await client.get("/l/k5x2v3q7a4bc/card.png")
        assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")
        link = await stored(client, packed("import torch"))
        statuses = [(await client.get(f"{link}/card.png")).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]

    play(scene, database_url=database, rate_limit=2)


def test_a_small_link_unpacks_to_no_more_than_a_program() -> None:
    assert program_of(packed("#" * 50_000_000), [], 65_536) is None
    assert program_of(packed("x = 1"), [], 65_536) == ("", "x = 1")
