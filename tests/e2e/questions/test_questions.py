"""What readers of articles about ``backward`` ask, each with the one touch that answers it, and what is then to be seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from gradflow.engine.examples import load_examples
from tests.e2e.conftest import OpenPage
from tests.e2e.picture import cell, expect_table, link, program, table
from tests.e2e.test_page import violations

LAYER = """import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Linear(4, 10)
out = net(torch.ones(1, 4))
out.backward(torch.ones(1, 10))
net.zero_grad()
out = net(torch.ones(1, 4))
out.backward(torch.ones(1, 10))
"""
SQUARES = """import torch
a = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)
out = a * a
out.backward(torch.ones(2, 3))
"""
TRANSPOSED = [["4", "2"], ["3", "6"]]

Act = Callable[[Page], object]


@dataclass(frozen=True)
class Question:
    """touch: what the reader does on the page of the program. answer: what has to be seen then."""

    asked: str
    source: str
    touch: Act
    answer: Act


def example(name: str) -> str:
    return next(each.source for each in load_examples() if each.id == name)


# -- touches ----------------------------------------------------------------------------------------------------------


def nothing(page: Page) -> None:
    """It stands there as the page opens."""


def to_the_end(page: Page) -> None:
    page.get_by_role("button", name="Last step").click()


def view(name: str) -> Act:
    return lambda page: page.get_by_role("tab", name=name).click()


def pick(tensor: str, k: int) -> Act:
    def touch(page: Page) -> None:
        to_the_end(page)
        card(page, tensor).locator(f".bucket td[data-k='{k}']").first.click()

    return touch


def fold_the_rows_of_b(page: Page) -> None:
    page.get_by_role("tab", name="Jacobian").click()
    page.get_by_role("group", name="With respect to").get_by_role("button", name="b", exact=True).click()
    page.get_by_role("button", name=re.compile("Fold rows")).click()


def pass_number(number: int) -> Act:
    def touch(page: Page) -> None:
        page.get_by_role("button", name=f"Backward pass {number}").click()

    return touch


def weigh_another(page: Page) -> None:
    cell(page, "[0, 1]").fill("3")
    to_the_end(page)


def to_the_zeroing(page: Page) -> None:
    page.get_by_role("button", name="First step").click()
    for _ in range(40):
        if "zero" in page.locator(".sentence").inner_text().lower():
            return
        page.get_by_role("button", name="Step forward").click()
    raise AssertionError("no step is told as zeroing")


def card(page: Page, tensor: str) -> Locator:
    return page.get_by_role("group", name=f"tensor {tensor}", exact=True)


# -- answers ----------------------------------------------------------------------------------------------------------


def says(text: str) -> Act:
    return lambda page: expect(page.locator(".sentence")).to_contain_text(text)


def six_places_are_empty(page: Page) -> None:
    expect(page.get_by_role("alert")).to_contain_text("grad can be implicitly created only for scalar outputs")
    says("How much does each of the 6 elements of c weigh?")(page)
    places = card(page, "c").get_by_role("textbox")
    expect(places).to_have_count(6)
    expect(places.first).to_have_attribute("placeholder", "?")


def the_weight_counts(page: Page) -> None:
    expect(program(page)).to_contain_text("c.backward(torch.tensor([[1., 3., 1.], [1., 1., 1.]]))")
    expect_table(page, "a.grad", [["10", "25"], ["6", "15"]])


def the_sum_of_15(page: Page) -> None:
    picked = page.get_by_role("region", name="Picked element")
    expect(picked).to_contain_text("1·4 + 1·5 + 1·6 = 15")
    for tensor, array, marks in [("c", "gradient", ["×4", "×5", "×6"]), ("b", "plate", ["×1", "×1", "×1"])]:
        lit = card(page, tensor).locator(f".{array} td[data-lit]")
        assert [each.get_attribute("data-by") for each in lit.all()] == marks


def six_matrices_add_up(page: Page) -> None:
    stack = page.get_by_role("list", name="rows that add up to b.grad")
    expect(stack.get_by_role("listitem")).to_have_count(7)
    expect_table(page, "row 4, folded", [["3", "0", "0"], ["4", "0", "0"]])
    assert table(stack.page, "b.grad")[-2:] == [["4", "4", "4"], ["6", "6", "6"]]
    assert violations(page) == []


def one_weight_of_1(page: Page) -> None:
    expect(page.get_by_role("region", name="gradient")).to_contain_text("of y, scalar, implicit, 1 for a scalar")
    expect(cell(page, "", "y")).to_have_value("1")


def its_own_values_are_the_weights(page: Page) -> None:
    for index in ("[0, 0]", "[1, 1]"):
        expect(cell(page, index, "y")).to_have_value("2")
    expect(page.get_by_role("button", name="y itself")).to_have_attribute("aria-pressed", "true")
    expect(program_pane(page)).to_contain_text("y is passed to its own backward as the gradient argument")


def program_pane(page: Page) -> Locator:
    return page.locator(".editor")


def rows_add_up(name: str, rows: list[list[str]], total: list[str]) -> Act:
    def answer(page: Page) -> None:
        found = page.get_by_role("table", name=re.compile("^Jacobian of")).locator("tbody tr")
        expect(found).to_have_count(len(rows))
        for one, expected in zip(found.all(), rows, strict=True):
            expect(one.locator("td.cell")).to_have_text(expected)
        expect(page.locator(".jacobian tfoot, article tfoot").locator("td.cell")).to_have_text(total)
        expect(page.locator("article tfoot th")).to_have_text(name)
        fits(page)

    return answer


def fits(page: Page) -> None:
    """All of the matrix is in sight."""
    scroll = page.locator("article .scroll").first
    assert scroll.evaluate("box => box.scrollWidth - box.clientWidth") <= 1


def the_buffers_were_freed(page: Page) -> None:
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Trying to backward through the graph a second time")
    expect(alert).to_contain_text("freed the values that it had saved")
    expect(alert.get_by_role("button", name=re.compile("retain_graph=True"))).to_be_visible()


def the_old_word_is_known(page: Page) -> None:
    expect(page.get_by_role("alert")).to_contain_text("retain_variables is a word of an old PyTorch")


def the_bucket_is_emptied(page: Page) -> None:
    says("net.weight.grad")(page)
    expect(page.get_by_role("group", name="gradient of out", exact=True).get_by_role("textbox")).to_have_count(10)
    box = page.get_by_role("group", name="gradient of out", exact=True).locator("xpath=..")
    assert box.evaluate("box => box.scrollWidth - box.clientWidth") <= 1


def each_pass_adds_its_share(page: Page) -> None:
    to_the_end(page)
    expect(page.get_by_role("group", name="Backward pass", exact=True).get_by_role("button")).to_have_count(6)
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector).to_contain_text("Into a.grad")
    expect_table(page, "a.grad", [["2", "4", "6"], ["8", "10", "12"]])


def a_later_loss_can_be_written(page: Page) -> None:
    expect(page.get_by_text("g is what its pass brings: the upstream gradient, ∂loss/∂y")).to_be_visible()
    page.get_by_role("button", name="Write a later loss").click()
    expect(program(page)).to_contain_text("loss.backward()")


def maker_and_leaf_are_told(page: Page) -> None:
    expect(program_pane(page)).to_contain_text("2×2 leaf")
    expect(program_pane(page)).to_contain_text("MulBackward0")
    card(page, "y").get_by_role("button", name="y", exact=True).click()
    inspector = page.get_by_role("complementary", name="Inspector")
    for word in ("grad_fn", "MulBackward0", "requires_grad", "is_leaf", "False"):
        expect(inspector).to_contain_text(word)


def both_passes_agree(page: Page) -> None:
    expect(page.get_by_text("(y * z).sum().backward()")).to_be_visible()
    expect(page.get_by_text("m = 1·3 + 0.1·6 + 0.01·9 + 0.001·12 = 3.702")).to_be_visible()
    expect(page.get_by_text("The same numbers, because differentiation is linear.")).to_be_visible()


def the_written_place_is_cut_out(page: Page) -> None:
    expect_table(page, "gradient of n, version 1", [["1", "0"]])
    expect(program_pane(page)).to_contain_text("CopySlices")


def the_shape_is_that_of_the_output(page: Page) -> None:
    expect(page.get_by_role("alert")).to_contain_text("shape of torch.Size([3]) and output[0] has a shape of")
    says("It has to have the shape of y, 1×3")(page)
    expect(card(page, "y").get_by_role("textbox")).to_have_count(3)
    card(page, "y").get_by_label("weight of y[0, 1]").fill("2")
    card(page, "y").get_by_label("weight of y[0, 1]").press("Enter")
    expect(program(page)).to_contain_text("y.backward(torch.tensor([[0., 2., 0.]]))")
    expect(page.get_by_role("alert")).to_be_hidden()
    expect(page.get_by_role("region", name="gradient")).to_contain_text("Replaces torch.ones(3) in the program")


def the_other_way_round_stands_beside_it(page: Page) -> None:
    rows_add_up("sum", [["4", "3"], ["2", "6"]], ["4", "3"])(page)
    both = page.get_by_role("region", name="The right way round")
    turned = both.get_by_role("table", name=re.compile("^transposed"))
    expect(turned.get_by_role("cell")).to_have_text([each for row in TRANSPOSED for each in row])
    expect(turned).to_be_in_viewport(ratio=0.95)


QUESTIONS = {
    "fails": Question(
        "why does c.backward() fail for a matrix?", example("error-nonscalar"), nothing, six_places_are_empty
    ),
    "gradient": Question("what is gradient?", example("matrix-product"), weigh_another, the_weight_counts),
    "numbers": Question("why [[6, 15], [6, 15]]?", example("matrix-product"), pick("a", 1), the_sum_of_15),
    "each-output": Question(
        "what is each ∂c_ij/∂b?", example("matrix-product"), fold_the_rows_of_b, six_matrices_add_up
    ),
    "sum": Question("sum needs no argument, why?", example("sum"), to_the_end, one_weight_of_1),
    "itself": Question(
        "what does y.backward(y) compute?",
        example("output-as-gradient"),
        pass_number(1),
        its_own_values_are_the_weights,
    ),
    "two-to-three": Question(
        "y has 2 elements, x has 3: what is x.grad?",
        example("three-coupled-inputs"),
        view("Jacobian"),
        rows_add_up("x.grad", [["4", "2", "4"], ["2", "24", "10"]], ["6", "26", "14"]),
    ),
    "jacobian": Question(
        "how does one get the Jacobian?",
        example("jacobian-row-by-row"),
        view("Jacobian"),
        rows_add_up("sum", [["4", "3"], ["2", "6"]], ["4", "3"]),
    ),
    "retain-graph": Question(
        "why retain_graph?",
        example("jacobian-row-by-row").replace(", retain_graph=True", ""),
        nothing,
        the_buffers_were_freed,
    ),
    "retain-variables": Question(
        "and retain_variables?", example("error-retain-variables"), nothing, the_old_word_is_known
    ),
    "zero-grad": Question("net.zero_grad(); out.backward(ones)", LAYER, to_the_zeroing, the_bucket_is_emptied),
    "loop": Question(
        "what does backward in a loop leave?", example("scalars-in-a-loop"), pass_number(4), each_pass_adds_its_share
    ),
    "six-by-six": Question(
        "the derivative of a 2x3 by a 2x3?",
        SQUARES,
        view("Jacobian"),
        rows_add_up(
            "a.grad",
            [[str(2 * (k + 1)) if k == row else "0" for k in range(6)] for row in range(6)],
            ["2", "4", "6", "8", "10", "12"],
        ),
    ),
    "upstream": Question(
        "what is an upstream gradient?",
        example("scaled-by-the-gradient"),
        view("As a scalar"),
        a_later_loss_can_be_written,
    ),
    "words": Question(
        "what are grad_fn, leaf, requires_grad?",
        "import torch\nx = torch.ones(2, 2, requires_grad=True)\nk = torch.tensor([[1., 2.], [3., 4.]])\ny = x * k\n"
        "y.sum().backward()\n",
        to_the_end,
        maker_and_leaf_are_told,
    ),
    "same": Question(
        "why is y.backward(z) the same as (y * z).sum().backward()?",
        example("scaled-by-the-gradient"),
        view("As a scalar"),
        both_passes_agree,
    ),
    "copy-slices": Question("what is CopySlices?", example("copy-slices"), to_the_end, the_written_place_is_cut_out),
    "shape": Question("shape of gradient?", example("error-gradient-shape"), nothing, the_shape_is_that_of_the_output),
    "transposed": Question(
        "the printed Jacobian [[4, 2], [3, 6]]: right?",
        example("jacobian-trap"),
        view("Jacobian"),
        the_other_way_round_stands_beside_it,
    ),
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_one_touch_answers(open_page: OpenPage, question: Question) -> None:
    page = open_page(link(question.source), reduced_motion="reduce")
    expect(page.locator(".cm-editor")).to_be_attached()
    expect(page.get_by_role("slider")).to_be_enabled()
    question.touch(page)
    question.answer(page)
