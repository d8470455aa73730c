"""Turns, calls and modules fold into one box, and the gradient goes through it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_rest, expect_table, link, write_program

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


def test_modules_and_calls_are_framed_and_fold(open_page: OpenPage) -> None:
    page = open_page(width=1600, height=1200)
    write_program(page, NET)
    for name in ("module 0 Linear", "module 2 Linear", "loss_of()"):
        expect(page.get_by_role("group", name=name, exact=True)).to_be_visible()
    page.get_by_role("button", name="Fold: 0 · Linear(2→2)", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Unfold: 0 · Linear(2→2) , 2 functions")).to_be_focused()
    for name in ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"):
        expect(page.get_by_role("group", name=f"tensor {name}", exact=True)).to_be_in_viewport(ratio=0.99)
    page.get_by_role("button", name="Fold: loss_of()", exact=True).press("Enter")
    expect(page.get_by_role("group", name="tensor d")).to_have_count(0)
    expect(page.get_by_role("group", name="tensor loss")).to_be_visible()
    page.get_by_role("button", name="Last step").click()
    expect(page.get_by_role("img", name="net.0.weight.grad", exact=True)).to_be_visible()


def test_long_loops_show_one_turn_at_a_time(open_page: OpenPage) -> None:
    page = open_page()
    write_program(page, LOOP.replace("range(2)", "range(12)").replace("h * h", "h * h * 0.5"))
    turn = page.get_by_role("group", name=re.compile(r"^turn \d+ of 12$"))
    expect(turn).to_have_count(1)
    page.get_by_role("button", name="Last step").click()
    expect(turn).to_have_accessible_name("turn 1 of 12")
    turn.get_by_role("button", name="Next turn").click()
    expect(turn).to_have_accessible_name("turn 2 of 12")
    turn.get_by_role("button", name="Previous turn").click()
    expect(turn).to_have_accessible_name("turn 1 of 12")
    expect(turn.get_by_role("button", name="Previous turn")).to_be_disabled()
    expect(page.get_by_role("group", name="tensor x", exact=True)).to_be_in_viewport(ratio=0.99)


EPISODES = """import torch
a = torch.tensor([1., 2.], requires_grad=True)
u = (a * 2).exp().sin().cos().tanh().sigmoid().square().sum()
u.backward()
b = torch.tensor([3.], requires_grad=True)
v = (b * 2).exp().sin().cos().tanh().sigmoid().square().sum()
v.backward()
c = torch.tensor([3.], requires_grad=True)
w = (c * 2 * 2 * 2 * 2 * 2 * 2).sum()
w.backward()"""


def test_graphs_that_have_nothing_in_common_are_shown_one_after_the_other(page: Page) -> None:
    write_program(page, EPISODES)
    leaves = {name: page.get_by_role("group", name=f"tensor {name}", exact=True) for name in "abc"}
    page.get_by_role("button", name="First step").click()
    expect(leaves["a"]).to_be_visible()
    for name in "bc":
        expect(leaves[name]).to_have_count(0)
    page.get_by_role("button", name="Last step").click()
    expect(leaves["c"]).to_be_visible()
    for name in "ab":
        expect(leaves[name]).to_have_count(0)
    expect_table(page, "c.grad", [["64"]])


SINGLE_PASS_AND_TRAINING = """import torch
w = torch.tensor([1., 2., 3.], requires_grad=True)
out = w * torch.tensor([2., .5, -1.])
out.backward(torch.tensor([1., .1, .01]))
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    loss = net(torch.ones(8, 3)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()"""


def test_a_picture_of_cards_is_in_sight_as_soon_as_a_link_opens(open_page: OpenPage) -> None:
    """The ruler of a program that trains takes room from the graph before that is laid out."""
    for _ in range(3):
        page = open_page(link(SINGLE_PASS_AND_TRAINING), width=1440, height=900)
        for name in ("w", "out"):
            expect(page.get_by_role("group", name=f"tensor {name}", exact=True)).to_be_visible()
        expect_rest(page)
        for name in ("w", "out"):
            expect(page.get_by_role("group", name=f"tensor {name}", exact=True)).to_be_in_viewport(ratio=0.99)
        page.close()
