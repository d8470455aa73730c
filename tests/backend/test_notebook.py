"""Tests of what a notebook shows."""

from __future__ import annotations

import base64
import html
import math
import re
import zlib
from pathlib import Path
from typing import Any

import orjson
import pytest

import gradflow
from gradflow.backend import notebook
from gradflow.backend.jail.outcome import to_json
from tests.support.packed import unpacked

SOURCE = "x = torch.tensor([1., 2.], requires_grad=True)\n(x * x).sum().backward()\n"


@pytest.fixture(autouse=True)
def _page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of the tests' own."""
    (tmp_path / "index.html").write_text("")
    (tmp_path / "player.html").write_text('<!doctype html>"<!--run-->"', encoding="utf-8")
    monkeypatch.setattr(notebook, "find_playground", lambda: tmp_path)


def content(page: str) -> dict[str, Any]:
    packed = re.search(r'"([^"]*)"', page)
    assert packed is not None
    loaded: dict[str, Any] = unpacked(packed[1])
    return loaded


def test_the_page_has_the_run_in_it() -> None:
    player = gradflow.show(SOURCE, language="zh", theme="dark", step=2.5)
    found = content(player.page)
    assert {key: found[key] for key in ("language", "theme", "step", "link")} == {
        "language": "zh",
        "theme": "dark",
        "step": 2.5,
        "link": None,
    }
    assert found["trace"]["tensors"][0]["grad"]["data"] == [2.0, 4.0]
    assert repr(player) == "<gradflow.Player of 2 functions, 1 backward passes>"


def test_a_notebook_is_given_a_frame_with_the_page_in_it() -> None:
    player = gradflow.show(SOURCE, height=700)
    frame = re.fullmatch(
        r'<iframe srcdoc="([^"]*)" title="Gradflow" height="700" style="[^"]*"></iframe>', player._repr_html_()
    )
    assert frame is not None
    assert html.unescape(frame[1]) == player.page


def test_it_is_the_same_run_as_any() -> None:
    player = gradflow.show("c = a @ b", inputs={"a": [[1, 2]], "b": [[3], [4]]}, gradient=[[10]])
    assert [t.grad.data for t in player.trace.tensors if t.grad] == [[30.0, 40.0], [10.0, 20.0]]


def test_numbers_come_back_to_the_last_bit() -> None:
    player = gradflow.show(
        "x = torch.randn(40, requires_grad=True)\nw = torch.randn(40).double()\n"
        "y = x * torch.tensor([0., -0.] * 20)\n(y * w).sum().backward()"
    )
    assert content(player.page)["trace"] == orjson.loads(to_json(player.trace))
    zeros = next(t for t in content(player.page)["trace"]["tensors"] if t["names"] == ["y"])["value"]["data"]
    expected = next(t for t in player.trace.tensors if t.names == ["y"]).value.data
    assert 0.0 in expected
    assert [math.copysign(1, each) for each in zeros] == [math.copysign(1, each) for each in expected]


def test_it_can_be_kept(tmp_path: Path) -> None:
    player = gradflow.show(SOURCE)
    player.save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == player.page


def test_a_playground_is_linked_where_one_is_named() -> None:
    link = content(gradflow.show(SOURCE, playground="https://gradflow.example/").page)["link"]
    place, _, code = link.partition("#code=")
    assert place == "https://gradflow.example/"
    assert zlib.decompress(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)), wbits=-15).decode() == SOURCE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"theme": "blue"}, "theme must be one of light, dark, not 'blue'"),
        ({"language": "fr"}, "language must be one of en, zh, not 'fr'"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        gradflow.show(SOURCE, **arguments)


def test_a_page_that_is_not_built_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "find_playground", lambda: None)
    with pytest.raises(FileNotFoundError, match="The page that plays is not built"):
        gradflow.show(SOURCE)


class Shell:
    """What an extension needs of IPython."""

    def __init__(self) -> None:
        self.magics: dict[tuple[str, str], Any] = {}

    def register_magic_function(self, function: Any, *, magic_kind: str, magic_name: str) -> None:
        self.magics[magic_kind, magic_name] = function


@pytest.fixture
def magic() -> Any:
    shell = Shell()
    gradflow.load_ipython_extension(shell)
    return shell.magics["cell", "gradflow"]


def test_a_cell_plays(magic: Any) -> None:
    player = magic("--height 600 --theme dark", SOURCE)
    assert player.height == 600
    assert content(player.page)["theme"] == "dark"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--height tall", "argument --height: invalid int value: 'tall'"),
        ("--theme 'blue", "No closing quotation"),
        ("fast", "unrecognized arguments: fast"),
    ],
)
def test_a_line_that_makes_no_sense_is_told_of(
    magic: Any, line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert magic(line, SOURCE) is None
    assert capsys.readouterr().out.splitlines()[0] == said
