"""A training loop plays in the program's order, and each parameter is one card through all its values."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from gradflow.engine.run import run
from tests.e2e.picture import slider, write_program

TRAINING = """import torch
from torch import nn
torch.manual_seed(0)
x = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])
t = torch.tensor([[1.], [2.], [3.]])
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(5):
    opt.zero_grad()
    loss = ((model(x) - t) ** 2).mean()
    loss.backward()
    opt.step()
print([round(v, 4) for v in model.weight.flatten().tolist()])
print([round(v, 4) for v in model.weight.grad.flatten().tolist()])"""


@pytest.fixture
def training(page: Page) -> Page:
    """The page with the training program on it."""
    write_program(page, TRAINING)
    expect(page.get_by_role("group", name="tensor model.weight", exact=True)).to_be_visible()
    return page


def printed() -> list[list[str]]:
    """The rows that the program prints, as the page writes their numbers."""
    return [re.findall(r"-?[\d.]+", line) for line in run(TRAINING).stdout.splitlines()]


def rounded(page: Page, name: str) -> list[str]:
    """The one row of a table, with each number as exactly as its title has it, to four digits."""
    titles = page.get_by_role("table", name=name, exact=True).locator("[title]")
    expect(titles).to_have_count(2)
    return [str(round(float(attribute(cell, "title").split(" = ")[1]), 4)) for cell in titles.all()]


def attribute(of: Locator, name: str) -> str:
    """An attribute that is there."""
    value = of.get_attribute(name)
    assert value is not None
    return value


def kinds(page: Page) -> list[str]:
    """What the segments are, in order, each run of one kind once."""
    words = {"arrive": "backward", "rule": "backward", "share": "backward", "add": "backward"}
    found: list[str] = []
    for step in range(1, int(attribute(slider(page), "max")) + 1):
        slider(page).fill(str(step))
        expect(slider(page)).to_have_value(str(step))
        label = attribute(slider(page), "aria-valuetext").split(", ", 1)[1]
        word = label.split(" ")[0]
        kind = "forward" if word.isdigit() else words.get(word, word)
        if found[-1:] != [kind]:
            found.append(kind)
    return found


def test_turns_play_one_after_the_other(training: Page) -> None:
    turn = ["forward", "backward", "step"]
    assert kinds(training) == [*turn, *(["zero", *turn] * 4), "print"]


def test_a_parameter_is_one_card_with_one_bucket(training: Page) -> None:
    for name in ("model.weight", "model.bias"):
        card = training.get_by_role("group", name=f"tensor {name}", exact=True)
        expect(card).to_have_count(1)
        expect(card.locator(".bucket")).to_have_count(1)


def test_the_end_is_what_the_program_prints(training: Page) -> None:
    weight, grad = printed()
    training.get_by_role("button", name="Last step").click()
    assert rounded(training, "value of model.weight") == weight
    assert rounded(training, "model.weight.grad") == grad


def test_a_step_is_told_with_its_rule(training: Page) -> None:
    training.get_by_role("button", name="Last step").click()
    inspector = training.get_by_role("complementary", name="Inspector")
    expect(inspector).to_contain_text("SGD")
    expect(inspector).to_contain_text("model.weight")
    expect(inspector.locator(".katex").first).to_be_visible()


def test_a_turn_that_was_left_out_keeps_its_frame_and_its_places(page: Page) -> None:
    """Of 100 turns every second is sent whole; the others have their leaves, and no other number."""
    layers = "nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1)"
    write_program(
        page, TRAINING.replace("nn.Linear(2, 1)", f"nn.Sequential({layers})").replace("range(5)", "range(100)")
    )
    page.get_by_role("button", name="First step").click()
    loss = page.get_by_role("group", name="tensor loss", exact=True)
    expect(page.get_by_role("group", name="turn 1 of 100", exact=True)).to_be_visible()
    tensors = page.locator("section.graph [data-tensor].row")
    for _ in range(3):
        before = tensors.count()
        page.keyboard.press("PageDown")
        expect(page.get_by_role("group", name=re.compile(r"turn \d+ of 100"))).to_have_count(1)
        expect(loss).to_be_visible()
        assert tensors.count() == before
