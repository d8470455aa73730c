"""Short links: stored once, on the disk before they are told, within bounds, and with or without a database."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from gradflow.backend.storage.database import Unusable, connect
from gradflow.backend.storage.links import Bounds, Links, NoRoom, Stored, TooMany, names_of
from gradflow.backend.storage.tables import METADATA

LINKS = "/api/v1/links"
FRAGMENT = "code=S0ktLgEA&gradient=0:2x1:1,-2&step=12.5&view=jacobian"
FREE = Bounds(per_day=0, most=0, days=0)


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'some where' / 'links.sqlite3'}"


@pytest.fixture
def links(address: str) -> Iterator[Links]:
    links = Links(connect(address), FREE)
    yield links
    links.close()


def bounded(links: Links, **bounds: int) -> Links:
    return Links(links._engine, Bounds(**{"per_day": 0, "most": 0, "days": 0, **bounds}))


def test_a_link_is_found_again_and_stored_once(links: Links) -> None:
    first = links.store(FRAGMENT, "1.2.3.4")
    assert first == Stored(names_of(FRAGMENT)[0], True)
    assert len(first.name) == 12
    assert links.store(FRAGMENT, "5.6.7.8") == Stored(first.name, False)
    assert links.find(first.name) == FRAGMENT
    assert links.find("nobody") is None


def test_two_fragments_of_one_short_name_are_told_apart(links: Links, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradflow.backend.storage.links.names_of", lambda fragment: ["same", f"longer-{fragment}"])
    assert [links.store(fragment, "a").name for fragment in ("x=1", "x=2", "x=1", "x=2")] == [
        "same",
        "longer-x=2",
        "same",
        "longer-x=2",
    ]
    assert (links.find("same"), links.find("longer-x=2")) == ("x=1", "x=2")


def test_what_is_committed_is_on_the_disk(links: Links) -> None:
    with links._engine.connect() as connection:
        assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
        assert connection.scalar(text("PRAGMA synchronous")) == 2  # FULL


def test_a_client_stores_so_many_a_day(links: Links, monkeypatch: pytest.MonkeyPatch) -> None:
    few, now = bounded(links, per_day=2), time.time()
    few.store("x=1", "a")
    few.store("x=2", "a")
    few.store("x=2", "a")
    with pytest.raises(TooMany) as refused:
        few.store("x=3", "a")
    assert 86_000 < refused.value.seconds <= 86_400
    assert few.store("x=3", "b").new
    monkeypatch.setattr(time, "time", lambda: now + 86_402)
    assert few.store("x=4", "a").new


def test_all_links_have_so_much_room(links: Links) -> None:
    small = bounded(links, most=1000)
    small.store("x=1", "a")
    small.store("x=2", "a")
    with pytest.raises(NoRoom):
        small.store("x=3", "a")
    assert not small.store("x=2", "a").new


def test_links_expire_unless_they_are_stored_again(links: Links, monkeypatch: pytest.MonkeyPatch) -> None:
    week, now = bounded(links, days=7), time.time()
    once, again = week.store("x=1", "a").name, week.store("x=2", "a").name
    monkeypatch.setattr(time, "time", lambda: now + 5 * 86_400)
    assert not week.store("x=2", "a").new
    monkeypatch.setattr(time, "time", lambda: now + 8 * 86_400)
    assert (week.find(once), week.find(again)) == (None, "x=2")
    week.store("x=3", "a")
    with links._engine.connect() as connection:
        assert sorted(connection.scalars(text("SELECT fragment FROM links"))) == ["x=2", "x=3"]


def test_no_address_is_stored(links: Links, tmp_path: Path) -> None:
    links.store(FRAGMENT, "203.0.113.77")
    links.close()
    assert all(b"203.0.113" not in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_many_processes_may_open_an_empty_database_at_once(address: str) -> None:
    found: list[Stored | BaseException] = []

    def work(number: int) -> None:
        try:
            own = Links(connect(address), FREE)
            found.append(own.store("x=1", str(number)))
            own.close()
        except BaseException as error:
            found.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found, key=repr) == [Stored(names_of("x=1")[0], False)] * 7 + [Stored(names_of("x=1")[0], True)]


def test_the_migrations_make_the_tables_that_the_code_names(links: Links) -> None:
    with links._engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


def test_a_database_of_a_later_version_is_left_alone(address: str) -> None:
    engine = connect(address)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'of the future'"))
    engine.dispose()
    with pytest.raises(Unusable, match="of the future"):
        connect(address)


@pytest.mark.parametrize("setting", ["sqlite://", "mysql://u:p@h/d", "nonsense", "sqlite:////proc/nowhere/x.sqlite3"])
def test_what_is_no_database_is_told_to_the_operator(setting: str) -> None:
    with pytest.raises(Unusable):
        connect(setting)


# -- over HTTP


def post(client: httpx.AsyncClient, fragment: object, **headers: str) -> Any:
    return client.post(LINKS, json={"fragment": fragment}, headers=headers)


def test_the_routes(play_pages: Any, address: str) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        first, second = await post(client, FRAGMENT), await post(client, FRAGMENT)
        assert (first.status_code, second.status_code) == (201, 200)
        assert first.json() == second.json()
        assert first.json()["url"] == f"http://test/l/{first.json()['id']}"
        opened = await client.get(first.json()["url"])
        assert (opened.status_code, opened.headers["location"]) == (302, f"/#{FRAGMENT}")
        assert opened.headers["cache-control"] == "no-store"
        assert (await client.head(first.json()["url"])).headers["location"] == f"/#{FRAGMENT}"
        assert (await client.get("/healthz")).json()["links"] is True

    play_pages(scene, database_url=address)


def test_long_fragments_are_followed_by_a_page(play_pages: Any, address: str) -> None:
    fragment = "code=" + "A" * 50_000 + "&view='graph'"

    async def scene(client: httpx.AsyncClient) -> None:
        stored = await post(client, fragment)
        opened = await client.get(stored.json()["url"])
        assert opened.status_code == 200
        assert opened.headers["content-type"] == "text/html; charset=utf-8"
        escaped = fragment.replace("&", "&amp;").replace("'", "&#x27;")
        assert f'<meta http-equiv="refresh" content="0;url=/#{escaped}">' in opened.text
        assert all(len(value) < 3000 for value in opened.headers.values())

    play_pages(scene, database_url=address)


def test_links_that_are_none(play_pages: Any, address: str) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        for name in ("k5x2v3q7a4bc", "'; DROP TABLE links; --", "%00", "é"):
            missing = await client.get(f"/l/{name}")
            assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")
        told = await client.get("/l/k5x2v3q7a4bc", headers={"Accept": "text/html", "Accept-Language": "zh-CN,en"})
        assert told.status_code == 404
        assert "没有这个链接" in told.text
        assert '<a href="/">' in told.text
        english = await client.get("/l/k5x2v3q7a4bc", headers={"Accept": "text/html,*/*"})
        assert "There is no such link" in english.text

    play_pages(scene, database_url=address)


NO_FRAGMENTS = ["", "a b", "x=<script>", 'x="', "x=%zz", "x=%2", "x\n", "x=é", "x#y", "\\", "x\u0000", 1, None, ["x"]]


def test_what_is_no_fragment_is_refused(play_pages: Any, address: str) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        for fragment in NO_FRAGMENTS:
            answer = await post(client, fragment)
            assert answer.status_code == 422, fragment
            assert answer.json()["errors"][0]["location"] == ["body", "fragment"]

    play_pages(scene, database_url=address)


def test_limits(play_pages: Any, address: str) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        assert (await post(client, "x=1")).status_code == 201
        assert (await post(client, "x=" + "1" * 98)).status_code == 201
        long = await post(client, "x=" + "1" * 99)
        assert (long.status_code, long.json()["detail"]) == (413, "The fragment is longer than 100 characters.")
        many = await post(client, "x=2")
        assert (many.status_code, many.json()["detail"]) == (429, "At most 2 links a day are stored from one address.")
        assert 86_000 < int(many.headers["retry-after"]) <= 86_400

    play_pages(scene, database_url=address, max_link_bytes=100, links_per_day=2)


def test_a_full_shelf(play_pages: Any, address: str) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        refused = await post(client, "x=1")
        assert (refused.status_code, refused.json()["detail"]) == (
            503,
            "The room that this server has for links is used up.",
        )

    play_pages(scene, database_url=address, max_links_bytes=100)


@pytest.mark.parametrize(
    ("setting", "detail"),
    [
        ("none", "This server keeps no links."),
        ("sqlite:////proc/nowhere/x.sqlite3", "This server has no place to keep links at the moment."),
        ("postgresql://nobody@127.0.0.1:9/none", "This server has no place to keep links at the moment."),
    ],
)
def test_without_a_place_the_service_works_and_links_say_so(play_pages: Any, setting: str, detail: str) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        assert (await client.post("/api/v1/trace", json={"source": "1"})).status_code == 200
        for answer in (await post(client, "x=1"), await client.get("/l/abc")):
            assert (answer.status_code, answer.json()["detail"]) == (503, detail)
        page = await client.get("/l/abc", headers={"Accept": "text/html"})
        assert (page.status_code, "Links cannot be opened at the moment" in page.text) == (503, True)
        assert (await client.get("/healthz")).json()["links"] is False

    play_pages(scene, database_url=setting)


def test_a_database_that_breaks_is_503_and_works_when_it_is_back(play_pages: Any, address: str) -> None:
    file = Path(address.removeprefix("sqlite:///"))

    async def scene(client: httpx.AsyncClient) -> None:
        link = (await post(client, "x=1")).json()["url"]
        with sqlite3.connect(file) as other:
            other.execute("ALTER TABLE links RENAME TO gone")
        broken = await client.get(link)
        assert (broken.status_code, broken.headers["retry-after"]) == (503, "5")
        with sqlite3.connect(file) as other:
            other.execute("ALTER TABLE gone RENAME TO links")
        other.close()
        assert (await client.get(link)).status_code == 302

    play_pages(scene, database_url=address)


def test_many_at_once(play_pages: Any, address: str) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        answers = await asyncio.gather(*(post(client, f"x={number % 20}") for number in range(60)))
        counts = [[answer.status_code for answer in answers].count(status) for status in (200, 201)]
        assert counts == [40, 20]

    play_pages(scene, database_url=address)
