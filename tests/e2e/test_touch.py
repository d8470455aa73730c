"""Picking one element: what it depends on lights up with its coefficients, and its sum is written out."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import link

EXP = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\ny = x.exp()\nz = (y * y).sum()\nz.backward()"
LAYER = (
    "import torch\nimport torch.nn as nn\ntorch.manual_seed(0)\nmodel = nn.Sequential(nn.Linear(20, 8), nn.ReLU(), "
    "nn.Linear(8, 1))\nx = torch.randn(16, 20)\nloss = model(x).pow(2).mean()\nloss.backward()"
)


def cell(page: Page, tensor: str, array: str, k: int) -> Locator:
    """A cell of a card: of its ``plate``, its ``gradient`` or its ``bucket``."""
    return page.get_by_role("group", name=f"tensor {tensor}", exact=True).locator(f".{array} td[data-k='{k}']").first


def expect_said(page: Page, text: str) -> None:
    expect(page.locator(".sentence").get_by_role("status")).to_have_text(text)


def lit(page: Page, tensor: str, array: str) -> dict[str, str]:
    cells = page.get_by_role("group", name=f"tensor {tensor}", exact=True).locator(f".{array} td[data-lit]")
    return {each.get_attribute("data-k") or "": each.get_attribute("data-by") or "" for each in cells.all()}


def test_the_15_of_the_first_example(page: Page) -> None:
    page.get_by_role("button", name="Last step").click()
    cell(page, "a", "bucket", 1).click()
    expect_said(page, "Picked. a.grad[0, 1] = 1·4 + 1·5 + 1·6 = 15")
    assert lit(page, "c", "gradient") == {"0": "×4", "1": "×5", "2": "×6"}
    assert lit(page, "b", "plate") == {"3": "×1", "4": "×1", "5": "×1"}
    picked = page.get_by_role("region", name="Picked element")
    expect(picked).to_contain_text("1·4 + 1·5 + 1·6 = 15")


def test_the_other_direction(page: Page) -> None:
    page.get_by_role("button", name="Last step").click()
    cell(page, "a", "plate", 1).click()
    expect_said(page, "Picked. a[0, 1] = 2. The program made it; it depends on nothing.")
    page.get_by_role("button", name="What depends on it").click()
    expect(cell(page, "c", "plate", 2)).to_have_attribute("data-by", "×6")
    assert lit(page, "c", "plate") == {"0": "×4", "1": "×5", "2": "×6"}


def test_a_value_is_a_sum_too(page: Page) -> None:
    cell(page, "c", "plate", 2).click()
    expect_said(page, "Picked. c[0, 2] = 1·3 + 2·6 = 15")
    assert lit(page, "a", "plate") == {"0": "×3", "1": "×6"}
    assert lit(page, "b", "plate") == {"2": "×1", "5": "×2"}


def test_by_keyboard(page: Page) -> None:
    page.get_by_role("button", name="Last step").click()
    cell(page, "a", "bucket", 1).click()
    expect_said(page, "Picked. a.grad[0, 1] = 1·4 + 1·5 + 1·6 = 15")
    page.keyboard.press("Shift+ArrowLeft")
    expect_said(page, "Picked. a.grad[0, 0] = 1·1 + 1·2 + 1·3 = 6")
    page.keyboard.press("d")
    expect(page.get_by_role("button", name="What depends on it")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("grid", name="elements of a.grad").get_by_role("gridcell").first.focus()
    page.keyboard.press("ArrowDown")
    expect_said(page, "Picked. a.grad[1, 0] = 1·1 + 1·2 + 1·3 = 6")
    page.keyboard.press("Escape")
    expect_said(page, "")
    assert lit(page, "c", "gradient") == {}


def test_it_begins_from_the_keyboard(page: Page) -> None:
    page.get_by_role("button", name="Last step").click()
    page.get_by_role("group", name="tensor c", exact=True).get_by_role("button", name="c", exact=True).press("Enter")
    page.keyboard.press("e")
    expect_said(page, "Picked. c[0, 0] = 1·1 + 2·4 = 9")


def test_after_a_changed_gradient_the_sum_is_another(page: Page) -> None:
    page.get_by_role("button", name="Last step").click()
    cell(page, "a", "bucket", 1).click()
    page.get_by_role("textbox", name="gradient of c [0, 1]").fill("3")
    expect_said(page, "Picked. a.grad[0, 1] = 1·4 + 3·5 + 1·6 = 25")


def test_what_is_no_sum_says_how_it_moves(open_page: OpenPage) -> None:
    page = open_page(link(EXP))
    cell(page, "y", "plate", 0).click()
    expect_said(page, "Picked. y[0] = 2.718. y[0] moves by 2.718 with x[0]")


def test_in_an_error_the_values_can_be_picked(open_page: OpenPage) -> None:
    page = open_page(link("import torch\na = torch.tensor([[2., 3.]], requires_grad=True)\nb = a * 4\nb.backward()"))
    cell(page, "b", "plate", 1).click()
    expect_said(page, "Picked. b[0, 1] = 3·4 = 12")


def test_an_element_of_a_heat_map(open_page: OpenPage) -> None:
    page = open_page(link(LAYER))
    page.get_by_role("button", name="Last step").click()
    page.get_by_role("group", name=re.compile("tensor model.0.weight|tensor 0.weight|weight")).first.click()
    page.get_by_role("button", name="Pick an element").click()
    page.get_by_role("button", name=".grad", exact=True).click()
    expect(page.locator(".sentence").get_by_role("status")).to_have_text(
        re.compile(r"^Picked\. .*weight\.grad\[0, 0\] = ")
    )


@pytest.mark.parametrize("width", [1024, 390])
def test_on_smaller_screens(open_page: OpenPage, width: int) -> None:
    page = open_page(width=width, height=844)
    page.get_by_role("button", name="Last step").click()
    cell(page, "a", "bucket", 1).click()
    expect(page.get_by_role("region", name="Picked element")).to_contain_text("1·4 + 1·5 + 1·6 = 15")
