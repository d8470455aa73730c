"""What a word of the program means: by the pointer and by keyboard, with its rule and its page; other libraries have a note."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import link, program, write_program

OTHERS = """import torch
import numpy as np
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * float(np.pi)).sum()
y.backward()
"""


def explained(page: Page, text: str) -> Locator:
    """What is told of the word at the end of this text, which is typed at the end of the program."""
    program(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type(text)
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+h")
    return page.get_by_role("tooltip")


def test_an_operation_is_explained_by_keyboard(open_page: OpenPage) -> None:
    page = open_page(link("import torch\na = torch.ones(2, 2)\n"))
    expect(page.locator(".cm-editor")).to_be_attached()
    told = explained(page, "a.mm")
    expect(told).to_contain_text("mm(input, mat2)")
    expect(told).to_contain_text("Matrix product of two matrices")
    expect(told.locator(".katex")).to_have_count(3)
    with page.context.expect_page() as opened:
        told.get_by_role("link", name="All about it").click()
    expect(opened.value.get_by_role("heading", level=1)).to_have_text("torch.mm")
    program(page).click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("tooltip")).to_have_count(0)


def test_an_operation_is_explained_under_the_pointer(page: Page) -> None:
    expect(page.locator(".cm-editor")).to_be_attached()
    page.locator(".cm-line", has_text="c = a.mm(b)").get_by_text("c = a.mm(b)").first.hover(position={"x": 52, "y": 8})
    expect(page.get_by_role("tooltip")).to_contain_text("mm(input, mat2)")


@pytest.mark.parametrize(
    ("typed", "words"),
    [("tf.Variable", "tf is TensorFlow, another library"), ("np.pi", "np is NumPy"), ("keras", "keras is Keras")],
)
def test_another_library_has_a_note(open_page: OpenPage, typed: str, words: str) -> None:
    page = open_page(link("import torch\n"))
    expect(page.locator(".cm-editor")).to_be_attached()
    expect(explained(page, typed)).to_contain_text(words)


def test_numpy_runs(open_page: OpenPage) -> None:
    page = open_page(link(OTHERS))
    expect(page.get_by_role("group", name="tensor y", exact=True)).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_undo_takes_a_fix_back(open_page: OpenPage) -> None:
    page = open_page("example=error-nonscalar")
    page.get_by_role("alert").get_by_role("button", name="ones_like").click()
    expect(program(page)).to_contain_text("c.backward(torch.ones_like(c))")
    expect(page.get_by_role("alert")).to_have_count(0)
    program(page).click()
    page.keyboard.press("Control+z")
    expect(program(page)).to_contain_text("c.backward()")
    page.keyboard.press("Control+y")
    expect(program(page)).to_contain_text("c.backward(torch.ones_like(c))")


def test_a_pasted_session_keeps_its_prompts(page: Page) -> None:
    session = "In [1]: import torch\n\nIn [2]: a = torch.ones(2, requires_grad=True)\n\nIn [3]: (a * 3).sum().backward()\n\nIn [4]: a.grad"
    write_program(page, session)
    expect(page.get_by_label("Output", exact=True).first).to_contain_text("tensor([3., 3.])")
    expect(page.locator(".cm-line").first).to_have_text("In [1]: import torch")
    expect(page.get_by_role("alert")).to_have_count(0)
