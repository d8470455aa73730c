"""Tests of the pictures that the server draws, against a real server."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import httpx
import pytest

from gradflow.backend.pictures import drawing_process, font, render
from tests.support.first_example import FIRST_EXAMPLE

RENDER = "/api/v1/render"

MAGIC = {"svg": b"<?xml", "png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-", "dot": b"digraph"}


@pytest.mark.parametrize("file_format", MAGIC)
def test_render(client: httpx.Client, file_format: render.Format) -> None:
    response = client.post(RENDER, params={"format": file_format}, json=FIRST_EXAMPLE)
    assert response.status_code == 200
    assert response.headers["content-type"] == render.MEDIA_TYPES[file_format]
    assert response.content.startswith(MAGIC[file_format])


def test_a_picture_holds_values_and_gradients(client: httpx.Client) -> None:
    picture = ET.fromstring(client.post(RENDER, json=FIRST_EXAMPLE).content)
    text = " ".join(picture.itertext())
    assert "MmBackward0" in text
    assert "15" in text


def test_a_picture_brings_its_font(client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    svg = client.post(RENDER, json=FIRST_EXAMPLE).text
    assert 'font-family="Inter,Helvetica' in svg
    page = tmp_path / "assets"
    page.mkdir()
    (tmp_path / "index.html").touch()
    (page / "inter-latin-wght-normal-x.woff2").write_bytes(b"letters")
    monkeypatch.setattr(font, "find_playground", lambda: tmp_path)
    monkeypatch.setattr(font, "_style", font._style.__wrapped__)
    told = font.with_font(b'<?xml version="1.0"?>\n<svg width="1pt"\n viewBox="0 0 1 1">\n<g/>\n</svg>').decode()
    face = (
        "@font-face{font-family:Inter;font-weight:100 900;src:url(data:font/woff2;base64,bGV0dGVycw==) format('woff2')}"
    )
    assert told.endswith(f'viewBox="0 0 1 1">\n<defs><style>{face}</style></defs>\n<g/>\n</svg>')


def test_a_png_has_two_dots_for_each_of_the_svg(client: httpx.Client) -> None:
    svg, png = (client.post(RENDER, params={"format": name}, json=FIRST_EXAMPLE).content for name in ("svg", "png"))
    size = re.search(rb'<svg width="(\d+)" height="(\d+)"', svg)
    assert size is not None
    assert struct.unpack(">II", png[16:24]) == (2 * int(size[1]), 2 * int(size[2]))


def test_the_text_of_a_pdf_is_text(client: httpx.Client) -> None:
    pdf = client.post(RENDER, params={"format": "pdf"}, json=FIRST_EXAMPLE).content
    assert b"/ToUnicode" in pdf
    fonts = set(re.findall(rb"/BaseFont/\w+\+([\w-]+)", pdf))
    assert {b"Inter-Regular", b"Inter-SemiBold", b"Inter-Italic"} <= fonts


def test_a_picture_by_its_address(client: httpx.Client) -> None:
    source = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * 3).sum().backward()"
    by_address = client.get(RENDER, params={"source": source, "theme": "dark"})
    assert by_address.content == client.post(RENDER, params={"theme": "dark"}, json={"source": source}).content
    assert by_address.headers["content-type"] == "image/svg+xml"
    assert (
        by_address.headers["content-security-policy"]
        == "default-src 'none'; style-src 'unsafe-inline'; font-src data:; sandbox"
    )
    assert client.get(RENDER).status_code == 422


def test_a_picture_of_one_turn(client: httpx.Client) -> None:
    source = "import torch\nw = torch.ones(1, requires_grad=True)\nfor i in range(3):\n    w.grad = None\n    (w * i).sin().backward()"
    drawn = {
        turn: client.post(RENDER, params={"format": "dot", "turn": turn}, json={"source": source}) for turn in (1, 3, 4)
    }
    assert 'label="turn 1 of 3   i = 0"' in drawn[1].text
    assert 'label="turn 3 of 3   i = 2"' in drawn[3].text
    assert drawn[4].status_code == 422
    assert drawn[4].json()["detail"] == "query.turn: no loop of the program has a turn 4 that is drawn by itself"
    assert client.post(RENDER, params={"turn": 0}, json={"source": source}).status_code == 422


def test_a_picture_of_too_much_is_refused(client: httpx.Client) -> None:
    source = "import torch\nsum(torch.ones(1, requires_grad=True) for i in range(1100)).backward()"
    response = client.post(RENDER, json={"source": source})
    assert response.status_code == 422
    told = r"body\.source: The picture has 1\d\d\d tensors and functions; at most 1000 are drawn\."
    assert re.fullmatch(told, response.json()["detail"])


def test_a_long_program_is_drawn_folded(client: httpx.Client) -> None:
    source = "import torch\ny = x = torch.ones(1, requires_grad=True)\n" + "y = y * 2\n" * 600 + "y.backward()"
    drawn = client.post(RENDER, json={"source": source}).text
    assert drawn.count(" functions</text>") == 16
    assert len(re.findall(r">\.grad [^<]+</text>", drawn)) == 1


def test_a_picture_of_one_step(client: httpx.Client) -> None:
    body = {"source": "import torch\nx = torch.ones(1, requires_grad=True)\n(x * 2).exp().backward()"}
    flowing = [
        client.post(RENDER, params={"format": "dot", "step": step}, json=body).text.count("dir=back")
        for step in range(3)
    ]
    assert flowing == [1, 3, 4]
    refused = client.post(RENDER, params={"step": 3}, json=body)
    assert refused.status_code == 422
    assert refused.json()["detail"] == "query.step: the pass has 2 steps: there is no step 3"
    assert client.post(RENDER, params={"step": -1}, json=body).status_code == 422


def test_pictures_come_in_two_themes(client: httpx.Client) -> None:
    light, dark = (client.post(RENDER, params={"theme": theme}, json=FIRST_EXAMPLE).text for theme in ("light", "dark"))
    assert light != dark


def test_text_cannot_become_markup(client: httpx.Client) -> None:
    source = "import torch\nx = torch.ones(1)\n(x + {'<b>': 1}['<b>']) * 2"
    response = client.post(RENDER, json={"source": source})
    picture = ET.fromstring(response.content)
    assert "'<b>'" in " ".join(picture.itertext())
    assert not {element.tag.rpartition("}")[2] for element in picture.iter()} & {
        "b",
        "script",
        "image",
        "foreignObject",
    }
    assert "sandbox" in response.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("source", "reason"), [("x =", "SyntaxError: invalid syntax"), ("x = 1", "the program makes no tensor")]
)
def test_nothing_to_draw_is_told(client: httpx.Client, source: str, reason: str) -> None:
    response = client.post(RENDER, json={"source": source})
    assert response.status_code == 422
    (error,) = response.json()["errors"]
    assert error["location"] == ["body", "source"]
    assert error["message"] == f"There is nothing to draw: {reason}"


def test_a_picture_that_takes_too_long_is_told(play: Any) -> None:
    async def scene(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(RENDER, params={"format": "png"}, json=FIRST_EXAMPLE)

    response = play(scene, render_time_limit=0.001)
    assert response.status_code == 422
    assert response.json()["errors"][0]["message"] == "The graph is too large to be drawn within 0.001 s."


def test_what_cannot_be_drawn_is_told(play: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def scene(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(RENDER, params={"format": "png"}, json=FIRST_EXAMPLE)

    program = tmp_path / "program.py"
    monkeypatch.setattr(render, "_PROGRAM", str(program))
    for text, told in (
        ("import os; os.abort()", drawing_process.TOO_LARGE),
        (f"import sys; sys.stderr.write('noise\\nno room'); sys.exit({drawing_process.REFUSED})", "no room"),
    ):
        program.write_text(text)
        response = play(scene)
        assert (response.status_code, response.json()["detail"]) == (422, f"body.source: {told}")


def test_it_has_the_limits_of_the_settings(play: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import resource, sys\nprint(sys.argv[1:3], *(resource.getrlimit(each)[0] for each in"
        " (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_CORE, resource.RLIMIT_FSIZE)))"
    )
    monkeypatch.setattr(render, "_PROGRAM", str(program))

    async def scene(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(RENDER, params={"format": "png"}, json=FIRST_EXAMPLE)

    response = play(scene, render_time_limit=7.5, render_memory_limit=256 << 20)
    assert response.text == f"['png', '{render.DPI}'] {256 << 20} 8 0 0\n"
