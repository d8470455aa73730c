"""What ``autograd.grad`` returns lands under the name that the program gives it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_table, slider


@pytest.mark.parametrize(
    ("example", "leaf", "name", "numbers"),
    [("second-derivative", "x", "second", ["6", "12", "18"]), ("autograd-grad", "w", "dw", ["1", "4"])],
)
def test_returned_gradients_carry_their_names(
    open_page: OpenPage, example: str, leaf: str, name: str, numbers: list[str]
) -> None:
    page = open_page(f"example={example}")
    card = page.get_by_role("group", name=f"tensor {leaf}", exact=True)
    expect(card).to_be_visible()  # the example's own trace has come, not only the first picture
    page.get_by_role("button", name="Last step").click()
    expect(card.get_by_text(name, exact=True)).to_be_visible()
    expect_table(page, f"gradient of {leaf}", [numbers])
    expect(card.get_by_text("None")).to_be_visible()


def test_the_return_is_a_beat(open_page: OpenPage) -> None:
    page = open_page("example=autograd-grad")
    expect(page.get_by_role("group", name="tensor w", exact=True)).to_be_visible()
    slider(page).fill("9")
    expect(slider(page)).to_have_attribute("aria-valuetext", "step 5 of 6, return dw")
    expect(
        page.get_by_text("autograd.grad returns the gradient of w as dw; no .grad is touched.").first
    ).to_be_visible()
