"""Graphviz's process is a jail: what it reads is hostile, and it may be anybody's by then."""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path

import pytest

from gradflow.backend.confinement import system_calls
from gradflow.backend.pictures import render
from gradflow.backend.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp and Landlock are Linux's")
SETTINGS = Settings(render_time_limit=20)
TRIES = """#!{python}
import ctypes, os, socket, subprocess, sys, threading
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


def drawn(dot: bytes, file_format: render.Format = "svg") -> bytes:
    return asyncio.run(render.picture(dot, file_format, SETTINGS))


def with_program(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Graphviz's program is this."""
    program = folder / "programs" / "dot"
    program.parent.mkdir()
    program.write_text(text)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))


def test_a_program_in_its_place_gets_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        text = TRIES.format(python=sys.executable, secret=str(tmp_path / "secret"), folder=str(tmp_path), port=port)
        with_program(tmp_path, text, monkeypatch)
        told = dict(line.split(" ", 1) for line in drawn(b"").decode().splitlines())
    assert told == WANTED
    assert (tmp_path / "secret").read_text() == "secret"
    assert not Path("/tmp/gradflow-escape").exists()


HOSTILE = [
    b'graph { a [image="/etc/passwd"] }',
    b'graph { a [shapefile="/etc/passwd", shape=epsf] }',
    b'graph { fontpath="/etc"; a [fontname="/etc/passwd"] }',
    b'graph { imagepath="/etc"; a [image="passwd"] }',
    b'digraph { stylesheet="file:///etc/passwd"; a [URL="javascript:alert(1)"] }',
    b'graph { a [label=<<TABLE><TR><TD><IMG SRC="/etc/passwd"/></TD></TR></TABLE>>] }',
    b'graph { size="1e300,1e300"; dpi=1e300; a -- b }',
    b"graph { a [width=1e308, height=1e308] }",
    b'graph { nodesep=-1e308; ranksep="nan"; a -- b -- c }',
    b"graph { " + b"a [label=<" + b"<B>" * 5000 + b"x" + b"</B>" * 5000 + b">] }",
    b"graph " + b"{ subgraph " * 3000 + b"{ a }" + b"}" * 3000,
    b"graph { a [shape=polygon, sides=2000000000, peripheries=2000000000] }",
    b'graph { charset="UTF-7"; a [label="+AGE-"] }',
    b'graph { a [label="\xff\xfe\x00"] }',
    b"graph { layout=neato; a -- b }",
    b'graph { a [style="wedged", fillcolor="red;1e308:blue"] }',
    b"strict digraph { concentrate=true; splines=ortho; a -> a:b:c -> a:nw:zz }",
    b"%!PS\n(/etc/passwd) (r) file",
    b"\x00" * 100_000,
    b'graph { a [xdotversion="1", _draw_="F 14 11 -Times-Roman I 0 0 10 10 11 -/etc/passwd"] }',
]


@pytest.mark.parametrize("dot", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_graphs_are_drawn_or_refused(dot: bytes) -> None:
    try:
        picture = asyncio.run(render.picture(dot, "svg", Settings(render_time_limit=5, render_memory_limit=512 << 20)))
    except render.RenderError:
        return
    assert b"root:" not in picture
    assert picture.count(b"</svg>") == picture.count(b"<svg")


def test_fonts_and_plugins_are_found_within() -> None:
    graph = 'graph { a [label="字符串", fontname="DejaVu Sans"] }'.encode()
    assert drawn(graph, "png").startswith(b"\x89PNG")
    assert drawn(graph, "pdf").startswith(b"%PDF-")
    assert "字符串".encode() in drawn(graph)


def test_it_is_drawn_where_there_is_no_seccomp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "_filter", lambda: "")
    assert b"</svg>" in drawn(b"graph { a }")


def test_there_is_a_filter() -> None:
    assert system_calls.filter_of_drawings()
