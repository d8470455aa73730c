"""The grid says of every pass where its gradient stands in the program, and what it has taken the place of."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import cell, link, program

HEAD = """import torch
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([3., 4.])
y = x * 2
"""


def panel(page: Page) -> Locator:
    return page.get_by_role("region", name="gradient")


@pytest.mark.parametrize(
    ("call", "where", "written", "replaced"),
    [
        ("y.backward(w * 2)", "the argument in line 5", "y.backward(torch.tensor([6., 7.]))", "w * 2"),
        (
            "y.backward(\n    retain_graph=True,\n    gradient=torch.ones_like(y),\n)",
            "the argument in line 7",
            "gradient=torch.tensor([1., 7.]),",
            "torch.ones_like(y)",
        ),
        (
            "torch.autograd.backward(y, w)",
            "the argument in line 5",
            "torch.autograd.backward(y, torch.tensor([3., 7.]))",
            "w",
        ),
        (
            "torch.autograd.grad(y, x, grad_outputs=[w])",
            "the argument in line 5",
            "torch.autograd.grad(y, x, grad_outputs=[torch.tensor([3., 7.])])",
            "w",
        ),
        ("y.backward(torch.tensor([1., 1.]))", "the argument in line 5", "y.backward(torch.tensor([1., 7.]))", ""),
    ],
)
def test_what_is_replaced(open_page: OpenPage, call: str, where: str, written: str, replaced: str) -> None:
    page = open_page(link(HEAD + call))
    expect(panel(page)).to_contain_text(where)
    cell(page, "[1]", "y").fill("7")
    expect(program(page)).to_contain_text(written)
    expect(panel(page)).to_contain_text(where)
    if replaced:
        expect(panel(page)).to_contain_text(f"Replaces {replaced} in the program; undo brings it back.")
    else:
        expect(panel(page)).not_to_contain_text("Replaces")
    panel(page).get_by_role("button", name="undo").click()
    expect(program(page)).to_contain_text(call.splitlines()[-2 if "\n" in call else 0].strip())
    expect(panel(page)).not_to_contain_text("Replaces")


def test_turns_of_a_loop_have_one_argument_and_weights_of_their_own(open_page: OpenPage) -> None:
    page = open_page(link(HEAD + "for i in range(2):\n    y.backward(w * i, retain_graph=True)"))
    page.get_by_role("button", name="Backward pass 2").click()
    expect(panel(page)).to_contain_text("the argument in line 6")
    cell(page, "[0]", "y").fill("9")
    expect(panel(page)).to_contain_text("given here for this pass alone, in place of w * i in line 6")
    page.get_by_role("button", name="Backward pass 1").click()
    expect(panel(page)).to_contain_text("the argument in line 6")
    expect(program(page)).to_contain_text("y.backward(w * i, retain_graph=True)")


def test_a_scalar_has_none(open_page: OpenPage) -> None:
    page = open_page(link(HEAD + "y.sum().backward(None)"))
    expect(panel(page)).to_contain_text("implicit, 1 for a scalar")
