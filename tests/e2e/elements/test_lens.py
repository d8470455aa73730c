"""All elements of a tensor, of which the picture shows a corner."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import Page, expect

from gradflow.engine.run import run
from tests.e2e.conftest import OpenPage
from tests.e2e.picture import write_program

LAYERS = """import torch
import torch.nn as nn
torch.manual_seed(0)
x = torch.randn(4, 3, 8, 8)
conv = nn.Conv2d(3, 5, 3)
fc = nn.Linear(5 * 6 * 6, 10)
out = fc(torch.relu(conv(x)).flatten(1))
out.sum().backward()"""


def open_lens(page: Page, name: str) -> None:
    """At the end of the run, on the tensor of this name."""
    page.get_by_role("button", name="Last step").click()
    page.get_by_role("group", name=f"tensor {name}", exact=True).get_by_role("button").first.click()
    page.get_by_role("button", name=f"lens of {name}", exact=True).click()
    expect(page.get_by_role("dialog", name=f"lens of {name}")).to_be_visible()


def cell(page: Page, table: str, row: int, column: int) -> str:
    """The words in a cell that is in sight."""
    found = (
        page.get_by_role("dialog").get_by_role("table", name=table, exact=True).locator(f"[data-k='{row} {column}']")
    )
    return found.inner_text()


def test_every_element_of_a_large_weight_can_be_read(page: Page) -> None:
    write_program(page, LAYERS)
    open_lens(page, "fc.weight")
    dialog = page.get_by_role("dialog")
    table = dialog.get_by_role("table", name="value of fc.weight", exact=True)
    expect(table).to_have_attribute("aria-colcount", "180")
    whole = next(t for t in run(LAYERS, max_elements=100_000).tensors if "fc.weight" in t.names)
    assert whole.value.data is not None
    assert float(cell(page, "value of fc.weight", 2, 1)) == round(float(whole.value.data[2 * 180 + 1]), 4)
    table.evaluate("table => table.scrollTo(table.scrollWidth, 0)")
    last = table.locator("[data-k='9 179']")
    last.hover()
    expect(dialog.get_by_text("fc.weight[9, 179] = ")).to_have_text(
        f"fc.weight[9, 179] = {np.float32(whole.value.data[-1])!s}"
    )
    dialog.get_by_role("tab", name="gradient").click()
    expect(dialog.get_by_role("table", name="gradient of fc.weight", exact=True)).to_be_visible()
    dialog.get_by_role("tab", name="histogram").click()
    expect(dialog.get_by_role("list", name="fc.weight.grad").get_by_role("listitem")).to_have_count(32)


def test_a_plane_of_four_dimensions_is_chosen(page: Page) -> None:
    write_program(page, LAYERS)
    open_lens(page, "conv.weight")
    dialog = page.get_by_role("dialog")
    whole = next(t for t in run(LAYERS).tensors if "conv.weight" in t.names).value.data
    assert whole is not None
    dialog.get_by_label("down").select_option("0")
    dialog.get_by_label("dim 1 =").fill("2")
    expect(dialog.get_by_role("table")).to_have_attribute("aria-rowcount", "5")
    dialog.get_by_label("dim 2 =").fill("1")
    element = whole[((4 * 3 + 2) * 3 + 1) * 3 + 0]
    dialog.locator("[data-k='4 0']").hover()
    expect(dialog.get_by_text("conv.weight[4, 2, 1, 0] = ")).to_have_text(
        f"conv.weight[4, 2, 1, 0] = {np.float32(element)!s}"
    )
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_before_the_pass_there_is_no_gradient_to_look_at(open_page: OpenPage) -> None:
    page = open_page(width=390, height=844)
    page.get_by_role("button", name="First step").click()
    page.get_by_role("button", name="Step forward").click()
    page.keyboard.press("l")
    dialog = page.get_by_role("dialog", name="lens of a")
    expect(dialog.get_by_role("table", name="value of a")).to_be_visible()
    dialog.get_by_role("tab", name="gradient").click()
    expect(dialog.get_by_text("no gradient has come")).to_be_visible()
