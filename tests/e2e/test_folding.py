"""Turns, calls and modules fold into one box, and the gradient goes through it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_table, write_program

LOOP = """import torch
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 1
for i in range(2):
    h = h * h
    h = h + 1
y = h.sum()
y.backward()"""

NET = """import torch
from torch import nn
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
def loss_of(y, target):
    d = y - target
    return (d ** 2).mean()
loss = loss_of(net(torch.ones(3, 2)), torch.zeros(3, 1))
loss.backward()"""


def test_a_turn_folds_and_unfolds_by_keyboard(page: Page) -> None:
    write_program(page, LOOP)
    fold = page.get_by_role("button", name="Fold: turn 1, i = 0", exact=True)
    expect(page.get_by_role("button", name="mul MulBackward0, line 5")).to_have_count(2)
    fold.press("Enter")
    unfold = page.get_by_role("button", name="Unfold: turn 1, i = 0 , 2 functions")
    expect(unfold).to_be_focused()
    expect(page.get_by_role("button", name="mul MulBackward0, line 5")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(fold).to_be_focused()
    expect(page.get_by_role("button", name="mul MulBackward0, line 5")).to_have_count(2)


def test_the_gradient_goes_through_a_folded_turn(page: Page) -> None:
    write_program(page, LOOP)
    page.get_by_role("button", name="Fold: turn 2, i = 1", exact=True).press("Enter")
    page.get_by_role("button", name="Fold: turn 1, i = 0", exact=True).press("Enter")
    expect(page.get_by_role("button", name=re.compile("^Fold:"))).to_have_count(0)
    page.get_by_role("button", name="Last step").click()
    expect_table(page, "x.grad", [["8", "40"]])


def test_modules_and_calls_are_framed_and_fold(page: Page) -> None:
    write_program(page, NET)
    names = ["net", "net.0", "net.2", "loss_of()"]
    for name in names:
        expect(page.get_by_role("button", name=f"Fold: {name}", exact=True)).to_be_visible()
    expect(page.get_by_role("group", name="tensor net.0.weight")).to_be_visible()
    page.get_by_role("button", name="Fold: net", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Unfold: net , 5 functions")).to_be_visible()
    expect(page.get_by_role("group", name="tensor net.0.weight")).to_have_count(0)
    page.get_by_role("button", name="Fold: loss_of()", exact=True).press("Enter")
    expect(page.get_by_role("group", name="tensor d")).to_have_count(0)
    expect(page.get_by_role("group", name="tensor loss")).to_be_visible()


def test_a_large_graph_begins_folded(open_page: OpenPage) -> None:
    page = open_page()
    write_program(page, LOOP.replace("range(2)", "range(12)").replace("h * h", "h * h * 0.5"))
    expect(page.get_by_role("button", name="Unfold: turn")).to_have_count(12)
    page.get_by_role("button", name="Unfold: turn 12,").press("Enter")
    expect(page.get_by_role("button", name="Unfold: turn")).to_have_count(11)
    expect(page.get_by_role("button", name="Fold: turn 12, i = 11", exact=True)).to_be_visible()
