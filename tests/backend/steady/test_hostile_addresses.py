"""Addresses, headers and links that nobody meant, sent as they are: none makes the server fail, or wait."""

from __future__ import annotations

import base64
import http.client
import json
import time
import zlib
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote, urlsplit

import pytest

from tests.support.server import serving_with_log

SLOW: Final = 10.0
"""Seconds; a run has its own limit, a tenth of it."""
_ODD: Final = "%00 a%00b %ff %c3%28 %ed%a0%80 .. ..%2f..%2fetc%2fpasswd %2e%2e/%2e%2e %F0%9F%98%80 '-- %25 %0d%0aX:1 \\ * %E2%80%AE . / // -1 x;y {} ["
ODD: Final = ["", *_ODD.split(), "a" * 300, "a" * 60_000]
BEFORE: Final = [
    *(
        "/",
        "/l/",
        "/api/v1/operations/",
        "/api/v1/examples/",
        "/api/v1/lessons/",
        "/assets/",
        "/embed/",
        "/docs/",
        "/docs/errors/",
    ),
    *("/api/v1/operations?search=", "/api/v1/operations?kind=", "/api/v1/render?source=", "/embed?code="),
]
PROGRAM: Final = (
    "import torch\nx = torch.ones(2, requires_grad=True)\nfor i in range(3):\n    (x * x).sum().backward()\n"
)
EXTREMES: Final = [
    "0",
    "1",
    "4",
    "1000000000",
    "1000000001",
    "-1",
    "1e3",
    "9" * 5000,
    "NaN",
    "",
    "%00",
    "٣",
    "1.0",
    "+1",
    " 1",
    "1_000",
]
METHODS: Final = ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD", "POST", "X" * 50)
HEADERS: Final[list[tuple[str, str]]] = [
    ("Accept-Encoding", "gzip;q=NaN, br;q=-1, zstd;q=1e999"),
    ("Accept-Encoding", "x" * 5000),
    ("Accept-Language", "z" * 5000),
    ("Range", "bytes=9999999999999999999999-"),
    ("Range", "bytes=5-2"),
    ("Range", "bytes=0-," * 500),
    ("If-None-Match", '"' * 5000),
    ("If-Modified-Since", "Mon, 99 Foo 99999 00:00:00 GMT"),
    ("Cookie", "a=b;" * 5000),
    ("X-Request-ID", "\x7f\xff"),
    ("Content-Length", "-1"),
    ("Content-Length", "9" * 30),
    ("Content-Length", "1_0"),
    ("Transfer-Encoding", "chunked, chunked"),
    ("Transfer-Encoding", "gzip"),
    ("Expect", "x"),
    ("Upgrade", "websocket"),
    ("Origin", "\xff"),
    ("Sec-Fetch-Dest", "\xff"),
    ("X-Forwarded-For", "999.1.1.1, x, ::1%eth0, [::1]:80, " + "," * 3000),
    ("Host", 'a"><script>'),
    ("Host", "[::1"),
    ("Host", ""),
    ("A", "b" * 70_000),
]
CODES: Final[list[bytes | str]] = [
    b"\xff\xfe",
    b"a" * 10**7,
    b"\0" * 10,
    b"while True: pass",
    b"raise SystemExit",
    b"x =",
    PROGRAM.encode(),
    b"import torch\nx = torch.ones(2)\n" + b"x = x * 2\n" * 5000,
    "AAAA",
    "!!!",
    "%ED%A0%80",
    "",
]


class Sender:
    """Sends what a client library would not."""

    def __init__(self, address: str) -> None:
        self._host = urlsplit(address).netloc

    def send(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        """Status and body, once both are sound."""
        began = time.monotonic()
        connection: Any = http.client.HTTPConnection(self._host, timeout=30)
        connection._validate_path = connection._validate_method = lambda _: None
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host="Host" in given, skip_accept_encoding=True)
        if body is not None:
            given |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        for name, value in given.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        content: bytes = answer.read()
        connection.close()
        sound = answer.status < 500 or answer.status == 503
        assert sound, (method, path[:200], given, answer.status, content[:300])
        assert time.monotonic() - began < SLOW, (method, path[:200])
        return answer.status, content


@pytest.fixture(scope="module")
def sender() -> Iterator[Sender]:
    with serving_with_log(time_limit=1) as (address, log):
        yield Sender(address)
    assert [line for line in log if "Traceback" in line or "Error:" in line] == []


@pytest.mark.parametrize("before", BEFORE)
def test_odd_addresses(before: str, sender: Sender) -> None:
    for odd in ODD:
        sender.send(before + odd)


def test_odd_names_of_links(sender: Sender) -> None:
    for odd in ODD:
        status, _ = sender.send(f"/l/{odd}/card.png")
        assert status in (400, 404, 422, 307, 200)


@pytest.mark.parametrize("name", ["turn", "step"])
def test_turns_and_steps_that_there_are_not(name: str, sender: Sender) -> None:
    for value in EXTREMES:
        text = value if value.startswith("%") else quote(value)
        status, _ = sender.send(f"/api/v1/render?source={quote(PROGRAM)}&format=dot&{name}={text}")
        assert status in (200, 422), (name, value)


def test_parameters_by_the_thousand(sender: Sender) -> None:
    assert sender.send("/api/v1/render?" + "&".join(f"source=a{k}" for k in range(5000)))[0] == 422
    assert sender.send("/api/v1/operations?" + "&".join(f"a{k}=a" for k in range(7000)))[0] == 200


@pytest.mark.parametrize("method", METHODS)
def test_other_methods(method: str, sender: Sender) -> None:
    for path in ("/", "/api/v1/trace", "/l/x", "/card.png", "/api/v1/links", "/healthz", "/metrics", "/embed", "*"):
        sender.send(path, method)


@pytest.mark.parametrize(("name", "value"), HEADERS)
def test_odd_headers(name: str, value: str, sender: Sender) -> None:
    for path in ("/", "/healthz", "/assets/", "/l/x", "/api/v1/examples", "/card.png"):
        sender.send(path, **{name: value})


def test_two_thousand_headers(sender: Sender) -> None:
    sender.send("/healthz", **{f"A{k}": "b" for k in range(2000)})


@pytest.mark.parametrize("code", CODES, ids=lambda code: repr(code[:20]))
def test_links_to_what_is_no_program_have_a_card(code: bytes | str, sender: Sender) -> None:
    packed = code if isinstance(code, str) else _packed(code)
    status, body = sender.send("/api/v1/links", "POST", json.dumps({"fragment": f"code={packed}"}).encode())
    if status not in (200, 201):
        assert status in (413, 422)
        return
    link = f"/l/{json.loads(body)['id']}"
    assert sender.send(link)[0] in (200, 302)
    assert sender.send(link, User_Agent="Twitterbot")[0] == 200
    status, body = sender.send(f"{link}/card.png")
    assert status == 200
    assert body.startswith(b"\x89PNG")


def _packed(program: bytes) -> str:
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.urlsafe_b64encode(compressor.compress(program) + compressor.flush()).decode().rstrip("=")
