"""The Jacobian and the scalar, as a reader uses them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_table, link, program

WEIGHED = """import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * x * 3
y.backward(torch.tensor([1., 10.]))
"""


def view(open_page: OpenPage, name: str, source: str = WEIGHED, **options: object) -> Page:
    page = open_page(link(source), **options)
    page.get_by_role("tab", name=name).click()
    return page


def test_rows_come_one_by_one(open_page: OpenPage) -> None:
    page = view(open_page, "Jacobian")
    film = page.get_by_role("group", name="One-hot passes")
    expect(film.get_by_role("status")).to_have_text("row 2 of 2: one-hot on y[1]")
    for _ in range(2):
        film.get_by_role("button", name="Row back").click()
    expect(film.get_by_role("status")).to_have_text("2 one-hot passes to run")
    expect(film.get_by_role("button", name="Row back")).to_be_disabled()
    film.get_by_role("button", name="Row on").click()
    rows = page.get_by_role("table", name="Jacobian of y with respect to x")
    expect(rows.locator("tbody td.cell")).to_have_text(["6", "0", "", ""])
    expect(rows.locator("tfoot td.cell")).to_have_text(["6", "0"])
    expect(rows.locator("tfoot th")).to_have_text("so far")
    film.get_by_role("button", name="Play the rows").click()
    expect(film.get_by_role("status")).to_have_text("row 2 of 2: one-hot on y[1]")
    expect(rows.locator("tfoot td.cell")).to_have_text(["6", "120"])


def test_a_weight_is_typed_beside_its_row(open_page: OpenPage) -> None:
    page = view(open_page, "Jacobian")
    page.get_by_label("weight of y[1]").fill("-1")
    page.get_by_label("weight of y[1]").press("Enter")
    expect(program(page)).to_contain_text("y.backward(torch.tensor([1., -1.]))")
    rows = page.get_by_role("table", name="Jacobian of y with respect to x")
    expect(rows.locator("tfoot td.cell")).to_have_text(["6", "-12"])
    page.get_by_label("weight of y[1]").fill("many")
    page.get_by_label("weight of y[1]").press("Enter")
    expect(page.get_by_label("weight of y[1]")).to_have_value("-1")


def test_a_column_is_chosen(open_page: OpenPage) -> None:
    page = view(open_page, "Jacobian")
    page.get_by_role("columnheader").get_by_role("button", name=re.compile(r"x\[1\] = 2")).click()
    expect(page.locator("article .sum .line").last).to_contain_text("120")


@pytest.mark.parametrize("width", [390, 1024])
def test_the_jacobian_on_smaller_screens(open_page: OpenPage, width: int) -> None:
    page = view(open_page, "Jacobian", width=width, height=844)
    expect(page.get_by_role("table", name="Jacobian of y with respect to x")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_scalar_gives_the_same(open_page: OpenPage) -> None:
    page = view(open_page, "As a scalar")
    expect(page.get_by_text("The same numbers, because differentiation is linear.")).to_be_visible()
    expect(page.get_by_text("m = 1·3 + 10·12 = 123")).to_be_visible()
    page.get_by_role("button", name="Open as a program").click()
    expect(program(page)).to_contain_text("(y * torch.tensor([1., 10.])).sum().backward()")
    page.get_by_role("tab", name="Graph").click()
    page.get_by_role("button", name="Last step").click()
    expect_table(page, "x.grad", [["6", "120"]])


def test_a_later_loss_brings_the_upstream_gradient(open_page: OpenPage) -> None:
    page = view(open_page, "As a scalar")
    page.get_by_role("button", name="Write a later loss").click()
    expect(program(page)).to_contain_text("loss = (y ** 2).sum() / 2")
    page.get_by_role("tab", name="Graph").click()
    page.get_by_role("button", name="Last step").click()
    expect_table(page, "gradient of y", [["3", "12"]])


def test_without_a_pass_both_say_so(open_page: OpenPage) -> None:
    page = view(open_page, "As a scalar", "import torch\nx = torch.ones(2, requires_grad=True)\ny = x.detach()")
    expect(page.get_by_role("article")).to_be_visible()
    page.get_by_role("tab", name="Jacobian").click()
    expect(page.get_by_text("There is no backward pass to draw a Jacobian for.")).to_be_visible()
