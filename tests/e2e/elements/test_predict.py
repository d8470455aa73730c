"""Working a gradient out: cells are checked one by one, hints come in steps, and the page does not tell the answer."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_rest, link
from tests.e2e.test_page import violations

PRODUCT = """import torch
a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
b = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)
c = a.mm(b)
c.backward(torch.tensor([[0.37, 1.91, 2.23], [3.17, 0.59, 1.43]]))
print(a.grad)
d = a.grad * 2
a2 = a.grad.clone()
"""
TRAINED = """import torch
w = torch.tensor([0.317, 1.913], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    opt.zero_grad()
    loss = (w * w * 1.7).sum()
    loss.backward()
    opt.step()
    print(w.grad, loss.item())
"""
CHAIN = """import torch
x = torch.tensor([0.313, 0.717], requires_grad=True)
h = x.exp()
y = (h * h).sum()
y.backward()
print(x.grad)
"""

DERIVED = """import torch
x = torch.tensor([0.313, 0.717], requires_grad=True)
loss = (x * x * 1.9).sum()
loss.backward()
print(loss.item())
n = x.grad / x.grad.norm()
print(x.grad.tolist(), n)
print('trained')
print(n.abs())
"""

EVERYTHING = """() => {
  const found = [document.body.innerText];
  for (const each of document.querySelectorAll('*')) {
    for (const { name, value } of each.attributes) if (!/^(d|points|transform|class|id)$/.test(name)) found.push(value);
    if ('value' in each) found.push(String(each.value));
  }
  return found.join('\\n');
}"""


def start(page: Page) -> None:
    page.get_by_role("button", name="Predict", exact=True).click()
    expect(page.get_by_role("button", name="Check")).to_be_visible()
    expect(page.get_by_role("button", name="Hint")).to_be_enabled()


def fill(page: Page, **numbers: str) -> None:
    for place, number in numbers.items():
        page.get_by_role("textbox", name=f"predict a.grad [{place[1]}, {place[2]}]").fill(number)


def score(page: Page, text: str) -> None:
    expect(page.get_by_role("status").filter(has_text="right").last).to_have_text(text)


def test_the_first_example(page: Page) -> None:
    start(page)
    score(page, "0 of 4 right")
    fill(page, c00="6", c01="6")
    page.get_by_role("textbox", name="predict a.grad [0, 1]").press("Enter")
    score(page, "1 of 4 right")
    checked = page.get_by_role("region", name="Checked")
    expect(checked).to_contain_text("a.grad[0, 0] is right.")
    expect(checked).to_contain_text("a.grad[0, 1] = 6, not yet.")
    fill(page, c01="15", c10="6", c11="15")
    page.get_by_role("button", name="Check").click()
    score(page, "4 of 4 right")
    expect(page.get_by_label("Output", exact=True).first).to_contain_text("15.")


def test_the_hints_go_step_by_step(page: Page) -> None:
    start(page)
    page.get_by_role("textbox", name="predict a.grad [0, 1]").focus()
    hints = page.get_by_role("region", name="Hint")
    for text in [
        "What goes in: row 0 of gradient of c with row 1 of b.",
        "The products: 1·4, 1·5, 1·6.",
        "Add: 4 + 5 + 6.",
        "a.grad[0, 1] = 15.",
    ]:
        page.get_by_role("button", name="Hint").click()
        expect(hints.get_by_role("listitem").last).to_have_text(text)
    expect(page.get_by_role("button", name="Hint")).to_be_disabled()
    ringed = page.get_by_role("group", name="tensor b", exact=True).locator(".plate td[data-lit]")
    assert [each.get_attribute("data-k") for each in ringed.all()] == ["3", "4", "5"]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("6", "transposed"),
        ("30", "adds this pass twice"),
        ("-15", "sign"),
        ("4", "one product of the sum"),
        ("11", "One product is missing"),
        ("3", "upstream gradient alone"),
        ("0", "It is not 0"),
        ("abc", "not a number"),
        ("77", "Take a hint"),
    ],
)
def test_what_a_wrong_number_would_be_right_for(page: Page, number: str, words: str) -> None:
    start(page)
    fill(page, c01=number)
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("region", name="Checked")).to_contain_text(words)
    score(page, "0 of 4 right")


def answers(page: Page, source: str, tensor: str, index: int = 0) -> list[float]:
    """What the service says that the reader has to find."""
    body = page.evaluate(
        "async (source) => (await (await fetch('api/v1/trace', {method: 'POST', headers: {'Content-Type':"
        " 'application/json'}, body: JSON.stringify({source})})).json())",
        source,
    )
    named = next(each["id"] for each in body["tensors"] if tensor in each["names"])
    one = body["passes"][index]
    sums = [each["after"] for each in one["accumulations"] if each["tensor"] == named]
    return [float(x) for x in (sums[-1] if sums else one["gradients"][named])["data"]]


def shown(page: Page) -> str:
    """All text of the page, all attributes, and all names of the accessibility tree."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")
    return page.evaluate(EVERYTHING) + json.dumps(tree)


def stands_in(number: str, text: str) -> bool:
    """Whether a text has a number, and not as a part of another."""
    return re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", text) is not None


def as_written(number: float) -> set[str]:
    return {f"{number:.{digits}f}".rstrip("0") for digits in (2, 3, 4)}


@pytest.mark.parametrize(
    ("source", "tensor", "about"),
    [
        (PRODUCT, "a", None),
        (PRODUCT, "b", "b.grad"),
        (TRAINED, "w", None),
        (CHAIN, "h", "gradient of h"),
        (CHAIN, "x", None),
        (DERIVED, "x", None),
    ],
)
def test_nothing_on_the_page_tells(open_page: OpenPage, source: str, tensor: str, about: str | None) -> None:
    page = open_page(link(source))
    expected = answers(page, source, tensor)
    if tensor == "w":
        page.get_by_role("button", name="First step").click()
    start(page)
    if about:
        page.get_by_role("button", name=about, exact=True).click()
    telling = [text for number in expected for text in as_written(number)]
    for view in ["Graph", "Jacobian", "As a scalar"]:
        page.get_by_role("tab", name=view).click()
        page.wait_for_load_state("networkidle")
        told = shown(page)
        assert [text for text in telling if stands_in(text, told.replace(source, ""))] == [], view
    page.get_by_role("tab", name="Graph").click()
    for step in ["First step", "Last step"]:
        page.get_by_role("button", name=step).click()
        told = shown(page)
        assert [text for text in telling if stands_in(text, told)] == []


def test_only_what_would_tell_is_hidden_in_the_output(open_page: OpenPage) -> None:
    page = open_page(link(DERIVED))
    start(page)
    hidden = "hidden, it would tell the answer"
    output = page.locator("pre[aria-label='Output']")
    expect(output).to_have_text(re.compile(rf"^1\.1629\d+\s{hidden}\strained\s{hidden}\s*$"))
    page.get_by_role("button", name="Show me").click()
    expect(output).to_contain_text("[1.18")
    expect(output).not_to_contain_text(hidden)


def test_a_round_of_five(page: Page) -> None:
    start(page)
    page.get_by_role("button", name="Quick round of five").click()
    for k in range(1, 6):
        expect(page.get_by_text(f"Question {k} of 5")).to_be_visible()
        page.get_by_role("button", name="Show me").click()
        if k < 5:
            page.get_by_role("button", name="Next question").click()
    expect(page.get_by_text("0 of 5 at the first try.")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390])
def test_the_rule_stands_beside_the_cells_with_its_numbers(open_page: OpenPage, width: int) -> None:
    page = open_page(width=width, height=844)
    start(page)
    numbers = page.locator(".operands td")
    expect(numbers).to_have_text(["1", "1", "1", "1", "1", "1", "1", "4", "2", "5", "3", "6"])
    for each in (numbers.first, numbers.last):
        expect(each).to_be_in_viewport(ratio=0.99)
    page.get_by_role("textbox", name="predict a.grad [0, 0]").fill("7")
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Hint").click()
    expect_rest(page)
    assert violations(page) == []


def test_on_a_phone_and_in_chinese(open_page: OpenPage) -> None:
    page = open_page(width=390, height=844, locale="zh-CN")
    page.get_by_role("button", name="预测", exact=True).click()
    page.get_by_role("textbox", name="predict a.grad [0, 0]").fill("6")
    page.get_by_role("button", name="检查", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="对了").last).to_have_text("4 个中对了 1 个")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1024, 768)])
def test_what_is_needed_for_the_answer_is_in_sight(open_page: OpenPage, width: int, height: int) -> None:
    page = open_page(width=width, height=height, reduced_motion="reduce")
    start(page)
    expect(page.get_by_role("textbox", name="predict a.grad [1, 1]")).to_be_in_viewport(ratio=0.99)
    expect(page.get_by_role("button", name="Check")).to_be_in_viewport(ratio=0.99)
    expect_rest(page)
    for name in "bc":
        expect(page.get_by_role("group", name=f"tensor {name}", exact=True)).to_be_in_viewport(ratio=0.95)


def test_files_do_not_tell_either(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(link(PRODUCT))
    expected = {text for number in answers(page, PRODUCT, "a") for text in as_written(number)}
    start(page)
    for name in ["PDF", "DOT"]:  # which the server draws of the whole run
        page.get_by_role("button", name="Export").click()
        page.get_by_role("menuitem", name=name).click()
        expect(page.get_by_role("status").filter(has_text="would give the answer away")).to_be_visible()
        page.get_by_role("button", name="Dismiss").click()
    for name in ["JSON", "SVG"]:
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=name).click()
        download.value.save_as(tmp_path / name)
        told = (tmp_path / name).read_text(encoding="utf-8").replace(json.dumps(PRODUCT), "")
        assert [text for text in expected if stands_in(text, re.sub(r"url\(data:[^)]*\)", "", told))] == [], name


def test_leaving_brings_everything_back(page: Page) -> None:
    start(page)
    page.get_by_role("button", name="Predict", exact=True).click()
    page.get_by_role("button", name="Last step").click()
    expect(page.get_by_role("table", name="a.grad")).to_contain_text("15")
