"""What makes PNG and PDF is a jail: what it reads is hostile, and it may be anybody's by then."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from pathlib import Path

import pytest

from gradflow.backend.confinement import system_calls
from gradflow.backend.pictures import render
from gradflow.backend.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp and Landlock are Linux's")
SETTINGS = Settings(render_time_limit=20)
TRIES = """import ctypes, os, pathlib, socket, subprocess, sys, threading
def tried(what):
    try:
        return str(what())
    except BaseException as error:
        return f"{{type(error).__name__}} {{getattr(error, 'errno', '')}}"
def thread():
    done = []
    each = threading.Thread(target=done.append, args=(1,))
    each.start(); each.join()
    return done
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *given):
    return (libc.syscall(number, *given), ctypes.get_errno())
ways = dict(
    read=lambda: open({secret!r}).read(),
    passwd=lambda: open('/etc/passwd').read(),
    listing=lambda: os.listdir({folder!r}),
    write=lambda: open('/tmp/gradflow-escape', 'w'),
    append=lambda: open({secret!r}, 'a'),
    shared=lambda: os.open('/usr/lib', os.O_TMPFILE | os.O_RDWR),
    remove=lambda: os.remove({secret!r}),
    connect=lambda: socket.create_connection(('127.0.0.1', {port})),
    pair=lambda: socket.socketpair(),
    fork=lambda: os.fork(),
    spawn=lambda: subprocess.run(['/bin/true']),
    signal=lambda: os.kill(os.getppid(), 0),
    trace=lambda: call(101, 16, os.getppid(), 0, 0),
    memory=lambda: bytearray(4 << 30),
    limits=lambda: __import__('resource').setrlimit(7, (1024, 1024)),
    memfd=lambda: os.memfd_create('a'),
    uring=lambda: call(425, 1, 0),
    thread=thread,
    fonts=lambda: len(os.listdir('/usr/share')) > 0,
)
for name, way in ways.items():
    print(name, tried(way))
"""
REFUSED = "PermissionError 1"
CLOSED = "PermissionError 13"
WANTED = {
    "read": CLOSED,
    "passwd": CLOSED,
    "listing": CLOSED,
    "write": REFUSED,
    "append": REFUSED,
    "shared": REFUSED,
    "remove": REFUSED,
    "connect": REFUSED,
    "pair": REFUSED,
    "fork": REFUSED,
    "spawn": REFUSED,
    "signal": REFUSED,
    "trace": "(-1, 1)",
    "memory": "MemoryError ",
    "limits": "ValueError ",
    "memfd": REFUSED,
    "uring": "(-1, 1)",
    "thread": "[1]",
    "fonts": "True",
}


def drawn(svg: bytes, file_format: render.Set = "png", settings: Settings = SETTINGS) -> bytes:
    return asyncio.run(render.picture(svg, file_format, settings))


def test_a_program_in_its_place_gets_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "programs").mkdir()
    program = tmp_path / "programs" / "program.py"
    monkeypatch.setattr(render, "_PROGRAM", str(program))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        program.write_text(TRIES.format(secret=str(tmp_path / "secret"), folder=str(tmp_path), port=port))
        told = dict(line.split(" ", 1) for line in drawn(b"").decode().splitlines())
    assert told == WANTED
    assert (tmp_path / "secret").read_text() == "secret"
    assert not Path("/tmp/gradflow-escape").exists()


def svg(body: str, size: str = 'width="50" height="50"', before: str = "") -> bytes:
    """What `check_svg` would never let through."""
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{before}<svg {names} {size}>{body}</svg>\n'.encode()


ENTITIES = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10 if k else "ha"}">' for k in range(12))
SECRETS = (
    "/etc/passwd",
    "file:///etc/passwd",
    "../launcher.py",
    "inter-regular.ttf",
    "http://127.0.0.1:{port}/picture.png",
)
LINKS = (
    '<image width="50" height="50" href="{0}"/>',
    '<image width="50" height="50" xlink:href="{0}"/>',
    '<use href="{0}#a"/>',
    '<filter id="f"><feImage href="{0}"/></filter><rect width="50" height="50" filter="url(#f)"/>',
    '<style>@import url("{0}"); @font-face {{ font-family: secret; src: url("{0}") }}</style><text y="20" font-family="secret">a</text>',
    '<rect width="50" height="50" fill="url({0}#a)"/>',
    '<foreignObject><iframe src="{0}"/></foreignObject>',
    '<script href="{0}"/>',
)
BLANK = svg("")


@pytest.mark.parametrize("link", LINKS, ids=range(len(LINKS)))
@pytest.mark.parametrize("secret", SECRETS, ids=range(len(SECRETS)))
def test_nothing_is_fetched(link: str, secret: str) -> None:
    """Neither a file nor an address: it is drawn as with a link that leads nowhere, or refused."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        made = _or_refusal(svg(link.format(secret.format(port=listening.getsockname()[1]))))
        with pytest.raises(BlockingIOError):
            listening.accept()
    assert made.startswith(b"failed to load linked image ") or made == _or_refusal(svg(link.format("nowhere")))


def _or_refusal(picture: bytes) -> bytes:
    try:
        return drawn(picture)
    except render.RenderError as error:
        return str(error).encode()


def test_no_entity_is_opened() -> None:
    for declared, used in (
        ('<!ENTITY a SYSTEM "file:///etc/passwd">', "&a;"),
        ('<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;', ""),
        (ENTITIES, "&a11;"),
        ('<!ENTITY a "&b;"><!ENTITY b "&a;">', "&a;"),
    ):
        picture = svg(f'<text y="20">{used}</text>', before=f"<!DOCTYPE svg [{declared}]>\n")
        assert _or_refusal(picture) in (drawn(BLANK), drawn(svg('<text y="20"/>'))) or b"SVG" in _or_refusal(picture)


HOSTILE = [
    svg("", 'width="1e9" height="1e9"'),
    svg("", 'width="1e30" height="1"'),
    svg("", 'width="1e308" height="1e308"'),
    svg("", 'width="-5" height="0"'),
    svg("", 'width="nan" height="inf"'),
    svg("", 'width="50%" height="50%" viewBox="0 0 1e-300 1e300"'),
    svg("<g>" * 100_000 + "</g>" * 100_000),
    svg("<g>" * 900 + '<rect width="9" height="9"/>' + "</g>" * 900),
    svg('<g id="a"><use href="#a"/><use href="#a"/></g>'),
    svg("".join(f'<g id="a{k}"><use href="#a{k + 1}"/><use href="#a{k + 1}"/></g>' for k in range(60))),
    svg(
        '<pattern id="p" width="1e-9" height="1e-9"><rect width="1" height="1"/></pattern><rect width="50" height="50" fill="url(#p)"/>'
    ),
    svg(
        '<pattern id="p" width="2" height="2"><rect width="2" height="2" fill="url(#p)"/></pattern><rect width="50" height="50" fill="url(#p)"/>'
    ),
    svg('<path stroke="#000" stroke-width="2" stroke-dasharray="1e-9 1e-9" d="M0 0H1e9"/>'),
    svg('<filter id="f"><feGaussianBlur stdDeviation="1e9"/></filter><rect width="50" height="50" filter="url(#f)"/>'),
    svg('<path d="' + "M0 0L9 9" * 500_000 + '"/>'),
    svg(f'<text y="20" font-size="1e30">{"x" * 1_000_000}</text>'),
    svg('<text y="20">' + "字\u0300\u202e\u200d" * 100_000 + "</text>"),
    svg('<text y="20" font-size="1e-30" transform="scale(1e300)">a</text>'),
    b"",
    b"\xff\xfe\x00",
    b"\x1f\x8b" + b"\x00" * 1000,
    b'#import "@preview/cetz:0.3.0"',
    b'"); #read("/etc/passwd") //',
    b"\x00" * 100_000,
]


@pytest.mark.parametrize("file_format", ["png", "pdf"])
@pytest.mark.parametrize("picture", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_pictures_are_drawn_or_refused(picture: bytes, file_format: render.Set) -> None:
    begun = time.monotonic()
    made, refusal = b"", ""
    try:
        made = drawn(picture, file_format, Settings(render_time_limit=5, render_memory_limit=512 << 20))
    except render.RenderError as error:
        refusal = str(error)
    assert made.startswith({"png": b"\x89PNG", "pdf": b"%PDF-"}[file_format]) or (refusal and "\n" not in refusal)
    assert b"root:" not in made
    assert time.monotonic() - begun < 30


def test_fonts_are_found_within() -> None:
    blank = drawn(BLANK)
    for letters in ("a", "σ", "⊙"):
        assert drawn(svg(f'<text y="20" font-family="Inter">{letters}</text>')) != blank
    regular, bold = (drawn(svg(f'<text y="20" font-family="Inter" font-weight="{k}">a</text>')) for k in (400, 600))
    assert regular != bold
    assert b"Inter" in drawn(svg('<text y="20" font-family="Inter">a</text>'), "pdf")


def test_it_is_drawn_where_there_is_no_seccomp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "_filter", lambda: "")
    assert drawn(BLANK).startswith(b"\x89PNG")


def test_there_is_a_filter() -> None:
    assert system_calls.filter_of_drawings()
