"""What a client may do to a connection: be slow, be half closed, be gone, say two lengths."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState

from gradflow.backend.http.connection import connection_of
from gradflow.backend.metrics import Metrics
from gradflow.backend.settings import Settings
from tests.support.server import serving

BODY = b'{"source": "1 + 1"}'
HEAD = b"POST /api/v1/trace HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving(request_time_limit=0.7, response_time_limit=1, time_limit=60, cache_bytes=0) as address:
        yield address


def connected(server: str) -> socket.socket:
    place = urlsplit(server)
    assert place.hostname is not None
    assert place.port is not None
    return socket.create_connection((place.hostname, place.port), timeout=20)


def all_of(connection: socket.socket) -> bytes:
    received = b""
    while part := connection.recv(65536):
        received += part
    return received


def problem_of(answer: bytes, status: int) -> str:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode()), answer
    assert b"application/problem+json" in head.lower()
    detail: str = json.loads(body)["detail"]
    return detail


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HT", HEAD, HEAD + b"Content-Length: 50\r\n\r\n", HEAD + b"Content-Length: 50\r\n\r\n{"]
)
def test_a_request_that_does_not_come_is_not_waited_for(server: str, sent: bytes) -> None:
    with connected(server) as connection:
        connection.sendall(sent)
        assert problem_of(all_of(connection), 408) == "The request did not come within 0.7 seconds."


def counted(server: str, route: str, status: int) -> float:
    name = f'gradflow_requests_total{{route="{route}",status="{status}"}} '
    lines = httpx.get(f"{server}/metrics").text.splitlines()
    return sum(float(line.removeprefix(name)) for line in lines if line.startswith(name))


@pytest.mark.parametrize(
    ("sent", "route", "status"),
    [
        (b"GET / HT", "other", 408),
        (b"blah\r\n\r\n", "other", 400),
        (HEAD + b"Content-Length: 50\r\n\r\n{", "/api/v1/trace", 408),
    ],
)
def test_what_the_connection_answers_itself_has_an_id_and_is_counted_as_it_was_sent(
    server: str, sent: bytes, route: str, status: int
) -> None:
    before, other = counted(server, route, status), counted(server, "/api/v1/trace", 400)
    with connected(server) as connection:
        connection.sendall(sent)
        answer = all_of(connection)
    assert re.search(rb"^x-request-id: [0-9a-f]{16}\r$", answer, re.MULTILINE | re.IGNORECASE)
    assert counted(server, route, status) == before + 1
    assert counted(server, "/api/v1/trace", 400) == other


def test_a_head_that_comes_drop_by_drop_is_not_waited_for(server: str) -> None:
    with connected(server) as connection:
        began = time.monotonic()
        answer = b""
        connection.settimeout(0.1)
        while not answer and time.monotonic() < began + 10:
            try:
                connection.send(b"G")
                answer = connection.recv(65536)
            except TimeoutError:
                continue
        assert b"408" in answer


@pytest.mark.parametrize("sent", [b"\x00\x01\r\n\r\n", b"GET  HTTP/9\r\n\r\n", b"GET / HTTP/1.1\r\nA b: c\r\n\r\n"])
def test_what_is_no_request_gets_a_problem(server: str, sent: bytes) -> None:
    with connected(server) as connection:
        connection.sendall(sent)
        assert problem_of(all_of(connection), 400) == "Invalid HTTP request received."


def test_two_lengths_are_refused(server: str) -> None:
    with connected(server) as connection:
        lengths = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(HEAD + lengths + b"0\r\n\r\n")
        assert problem_of(all_of(connection), 400) == "A request has Content-Length or Transfer-Encoding, not both."


def test_a_client_that_has_said_all_gets_its_answer(server: str) -> None:
    with connected(server) as connection:
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY)
        connection.shutdown(socket.SHUT_WR)
        answer = all_of(connection)
    while answer.startswith(b"HTTP/1.1 100"):
        answer = answer.partition(b"\r\n\r\n")[2]
    assert answer.startswith(b"HTTP/1.1 200 OK"), answer
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"] is None


def busy(server: str) -> int:
    lines = httpx.get(f"{server}/metrics").text.splitlines()
    return int(float(next(line.split()[1] for line in lines if line.startswith("gradflow_busy "))))


def until(server: str, count: int) -> bool:
    return any(busy(server) == count for _ in range(400))


def test_a_client_that_goes_away_ends_its_run(server: str) -> None:
    with connected(server) as connection:
        body = b'{"source": "while True: pass"}'
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert until(server, 1)
    assert until(server, 0)


class _Transport:
    """Of a client that takes nothing."""

    def __init__(self) -> None:
        self.aborted = asyncio.Event()

    def get_extra_info(self, name: str) -> None:
        return None

    def abort(self) -> None:
        self.aborted.set()


def test_an_answer_that_is_not_taken_is_given_up() -> None:
    async def play() -> None:
        config = Config(app="", lifespan="off")
        config.load_app = lambda: None  # type: ignore[method-assign, assignment]  # there is none to serve
        connection = connection_of(Settings(response_time_limit=0.05), Metrics())(config, ServerState(), {})
        transport = _Transport()
        connection.connection_made(transport)  # type: ignore[arg-type]  # as much of one as is needed
        connection.pause_writing()
        await asyncio.wait_for(transport.aborted.wait(), 5)
        connection.connection_lost(ConnectionError())

    asyncio.run(play())
