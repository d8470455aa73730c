"""Tests of the picture in Graphviz's language."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gradflow import engine
from gradflow.engine.picture.contents import NothingToDraw
from gradflow.engine.picture.dot import to_dot
from gradflow.engine.picture.palette import PALETTES
from gradflow.engine.picture.view import View
from gradflow.engine.run import InvalidRequest, run

PALETTE = Path(engine.__file__).parent / "palette.json"


def test_both_themes_have_the_same_colours() -> None:
    palette = json.loads(PALETTE.read_text(encoding="utf-8"))
    assert list(palette) == ["light", "dark"]
    assert list(palette["light"]) == list(palette["dark"])


def test_the_picture_is_in_the_colours_of_its_theme() -> None:
    trace = run("import torch\nx = torch.ones(1, requires_grad=True)\n(x * 2).backward()")
    for theme, palette in PALETTES.items():
        source = to_dot(trace, View(theme))
        assert f'bgcolor="{palette.paper}"' in source
        assert f'color="{palette.flow}"' in source


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x = 1", "the program makes no tensor"),
        ("x =", "SyntaxError: invalid syntax"),
        ("raise ValueError", "ValueError"),
    ],
)
def test_nothing_to_draw(source: str, reason: str) -> None:
    with pytest.raises(NothingToDraw) as raised:
        to_dot(run(source))
    assert str(raised.value) == f"There is nothing to draw: {reason}"
    assert raised.value.location == ("source",)


def test_a_leaf_has_one_card_with_its_last_values() -> None:
    source = (
        "import torch\nweight = torch.ones(1, requires_grad=True)\nopt = torch.optim.SGD([weight], 0.25)\n"
        "for _ in range(2):\n    (weight * 3).sum().backward()\n    opt.step()\n(weight * 3).sum().backward()"
    )
    assert to_dot(run(source)).count("<B>weight</B>") == 1


TRAINING = (
    "import torch\nw = torch.ones(1, requires_grad=True)\nfor step in range(3):\n    w.grad = None\n    loss = (w * 3).sin()\n"
    "    loss.backward()\n    with torch.no_grad():\n        w -= 0.25 * w.grad"
)


def test_one_turn_of_a_loop_that_trains_is_drawn_with_what_it_read() -> None:
    trace = run(TRAINING)
    [leaf] = [t for t in trace.tensors if t.names == ["w"]]
    for number, version in ((1, 0), (2, 1), (3, 2), (None, 2)):
        source = to_dot(trace, View(turn=number))
        assert source.count("<B>loss</B>") == 1
        value = next(each.value.data for each in leaf.versions if each.version == version)
        assert value is not None
        assert f">{value[0]:.4g}<" in source
        added = trace.passes[version].accumulations[0].after.data
        assert added is not None
        assert f">{added[0]:.4g}<" in source
        told = number or 3
        assert f'label="turn {told} of 3   step = {told - 1}"' in source


def test_a_turn_that_there_is_not_is_refused() -> None:
    with pytest.raises(
        InvalidRequest, match=r"^no loop of the program has a turn 4 that is drawn by itself$"
    ) as raised:
        to_dot(run(TRAINING), View(turn=4))
    assert raised.value.location == ("turn",)
    with pytest.raises(InvalidRequest):
        to_dot(run("import torch\nx = torch.ones(1)"), View(turn=1))


def test_gradients_point_backward_and_are_kept_within_a_double_line() -> None:
    trace = run("import torch\nx = torch.ones(1, requires_grad=True)\n(x * 2).backward()")
    source = to_dot(trace)
    assert source.count("dir=back") == 2
    flow = PALETTES["light"].flow
    assert source.count(f'<TABLE BORDER="1" STYLE="ROUNDED" COLOR="{flow}"') == 2


def test_modules_have_frames_within_the_turn() -> None:
    source = to_dot(
        run(
            "import torch\nnet = torch.nn.Sequential(torch.nn.Linear(1, 1))\nopt = torch.optim.SGD(net.parameters(), 0.1)\n"
            "for _ in range(2):\n    opt.zero_grad()\n    net(torch.ones(1, 1)).sum().backward()\n    opt.step()"
        )
    )
    turn, model, layer = (source.index(f'label="{name}') for name in ("turn 2 of 2", "net · Sequential", "0 · Linear"))
    assert turn < model < layer
    assert source.count("<B>net.0.weight</B>") == 1


def test_too_much_is_refused_before_it_is_drawn() -> None:
    leaves = "sum(torch.ones(1, requires_grad=True) for i in range(30))"
    trace = run(f"import torch\n{leaves}.backward()")
    with pytest.raises(InvalidRequest, match=r"^The picture has 32 tensors and functions; at most 31 are drawn\.$"):
        to_dot(trace, most=31)
    assert to_dot(trace, most=32)


def test_a_long_program_folds_into_paragraphs_that_hand_on_their_gradient() -> None:
    lines = "".join(f"y{k + 1} = y{k} * w + {k}\n" for k in range(200))
    source = to_dot(
        run(f"import torch\nw = torch.tensor(1., requires_grad=True)\ny0 = w.exp()\n{lines}y200.backward()")
    )
    assert source.count(" functions</FONT>") == len(re.findall(r"<B>lines \d+–\d+</B>", source)) == 16
    assert source.count("<B>w</B>") == source.count("<B>y200</B>") == 1
    boxes = re.findall(r"^\t(g\d+) -> (t\d+) \[([^]]*)\]", source, re.MULTILINE)
    assert len(boxes) == 16
    assert all("dir=back" in attributes for _, _, attributes in boxes)


def test_a_large_model_folds_into_its_modules_and_keeps_its_leaves() -> None:
    trace = run(
        "import torch\nfrom torch import nn\n"
        "net = nn.Sequential(*[nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.LayerNorm(2)) for _ in range(9)])\n"
        "net(torch.ones(1, 2)).sum().backward()"
    )
    source = to_dot(trace)
    assert len(set(re.findall(r"<B>(net\.[^<]+)</B>", source))) == source.count("<B>net.") == 9 * 4
    assert re.search(r"<B>\d · Sequential</B></TD><TD><FONT [^>]*>4 functions<", source)


def test_what_a_box_makes_and_reads_itself_leads_out_of_it_once() -> None:
    lines = "".join(f"y{k + 1} = y{k} * w + y{max(k - 3, 0)}\n" for k in range(60))
    source = to_dot(run(f"import torch\nw = torch.tensor(1., requires_grad=True)\ny0 = w.exp()\n{lines}y60.backward()"))
    wires = [tuple(each) for each in re.findall(r"^\t(\w+) -> (\w+)", source, re.MULTILINE)]
    assert len(wires) == len(set(wires))
    assert not {(b, a) for a, b in wires} & set(wires)


STEPS = (
    "import torch\na = torch.tensor([3.], requires_grad=True)\nb = torch.tensor([5.], requires_grad=True)\n"
    "c = a * b\nd = c.exp()\nd.backward()"
)


@pytest.mark.parametrize(("step", "flowing", "kept"), [(0, 1, 0), (1, 3, 0), (2, 5, 2), (None, 5, 2)])
def test_a_step_shows_the_pass_as_far_as_it_has_come(step: int | None, flowing: int, kept: int) -> None:
    source = to_dot(run(STEPS), View(step=step))
    assert source.count("dir=back") == flowing
    assert source.count(">.grad</FONT></TD>") == kept
    assert source.count(">None</FONT>") == 2 - kept
    assert source.count(f'<TABLE BORDER="2" STYLE="ROUNDED" COLOR="{PALETTES["light"].flow}"') == bool(step)


@pytest.mark.parametrize(
    ("program", "step", "told"),
    [
        (STEPS, 3, "the pass has 2 steps: there is no step 3"),
        (STEPS, -1, "the pass has 2 steps: there is no step -1"),
        ("import torch\nx = torch.ones(1)", 1, "there is no backward pass that has a step 1"),
    ],
)
def test_a_step_that_there_is_not_is_refused(program: str, step: int, told: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        to_dot(run(program), View(step=step))
    assert (str(raised.value), raised.value.location) == (told, ("step",))
