"""The editor: programs run as one types; errors explain and mend themselves."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import cell, expect_complete, expect_rest, expect_table, link, program, write_program
from tests.e2e.test_page import violations


def test_a_pasted_program_runs(page: Page) -> None:
    write_program(page, "import torch\nx = torch.tensor([2., 3.], requires_grad=True)\ny = x ** 2\ny.backward(x)")
    expect_table(page, "value of y", [["4", "9"]])
    expect(page.get_by_role("group", name="gradient of y", exact=True)).to_be_visible()
    expect(page.get_by_label("Examples")).to_contain_text("Your program")


def test_prompts_of_a_pasted_session_are_understood(page: Page) -> None:
    write_program(page, ">>> import torch\n>>> x = torch.ones(2, requires_grad=True)\n>>> print(x.sum())")
    expect(page.locator("pre", has_text="tensor(2., grad_fn=<SumBackward0>)")).to_be_visible()


def test_the_graph_stays_while_the_program_is_half_typed(page: Page) -> None:
    expect_table(page, "value of c", [["9", "12", "15"], ["19", "26", "33"]])
    write_program(page, "import torch\na = torch.tensor([[1., 2.")
    expect(page.get_by_role("alert")).to_contain_text("SyntaxError")
    expect_table(page, "value of c", [["9", "12", "15"], ["19", "26", "33"]])


def test_an_error_shows_pytorchs_message_and_the_fix_mends_it(open_page: OpenPage) -> None:
    page = open_page("example=error-nonscalar")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("RuntimeError: grad can be implicitly created only for scalar outputs")
    expect(page.get_by_role("group", name="tensor c")).to_be_visible()
    expect(page.get_by_text("the program stopped at line 8 and printed nothing")).to_be_visible()
    expect(alert).to_contain_text("The program can mean one of these:")
    choices = alert.get_by_role("button", name="Fix")
    expect(choices).to_have_count(2)
    choices.first.click()
    expect(alert).to_be_hidden()
    expect(program(page)).to_contain_text("c.backward(torch.ones_like(c))")
    program(page).press("Control+z")
    expect(alert).to_be_visible()
    choices.last.click()
    expect(alert).to_be_hidden()
    expect(program(page)).to_contain_text("c.mean().backward()")
    program(page).press("Control+z")
    expect(alert).to_be_visible()
    program(page).press("Alt+Enter")
    expect(alert).to_be_hidden()


LONG = """import torch
a = torch.tensor(2., requires_grad=True)
{}
b = a * 3
c = b.exp()
c.backward()""".format("\n" * 120)


def test_the_line_of_the_step_is_in_sight_in_a_long_program(open_page: OpenPage) -> None:
    """A program is read from its beginning; then its pane follows the steps, unless the reader has scrolled elsewhere."""
    page = open_page(link(LONG), width=1440, height=900)
    lines = page.locator(".cm-line")
    backward, first = lines.filter(has_text="c.backward()"), lines.filter(has_text="import torch")
    expect_complete(page)
    expect(first).to_be_in_viewport()
    page.keyboard.press("Home")
    page.keyboard.press("End")
    expect(page.locator(".cm-line.gf-on")).to_be_in_viewport(ratio=1)
    expect(first).not_to_be_in_viewport()

    page.mouse.move(100, 300)
    page.mouse.wheel(0, -6000)
    expect(first).to_be_in_viewport()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect_rest(page)
    expect(first).to_be_in_viewport()
    page.get_by_role("group", name="tensor c", exact=True).click()
    expect(backward.or_(lines.filter(has_text="b.exp()")).first).to_be_in_viewport(ratio=1)


def test_the_line_at_which_a_program_opens_comes_in_sight_with_the_next_step(open_page: OpenPage) -> None:
    """Also where that step is of the same line."""
    source = LONG.replace("b = a * 3\nc = b.exp()", "c = (a * 3).exp()")
    page = open_page(link(source), width=1440, height=900)
    expect_complete(page)
    expect(page.locator(".cm-line").filter(has_text="import torch")).to_be_in_viewport()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".cm-line.gf-on").filter(has_text=".exp()")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("lines", [40, 300])
def test_the_message_of_a_long_program_is_in_sight_on_a_phone(open_page: OpenPage, lines: int) -> None:
    source = ["import torch", *(f"x{k} = torch.ones(2, requires_grad=True)" for k in range(lines)), "x0.backward()"]
    page = open_page(link("\n".join(source)), width=390, height=844, reduced_motion="reduce")
    expect(page.get_by_text("grad can be implicitly created only for scalar outputs")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Fix").first).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("x0.backward()", exact=True)).to_be_in_viewport()


def test_who_types_keeps_their_place_when_the_program_fails(open_page: OpenPage) -> None:
    page = open_page(width=390, height=844)
    source = ["import torch", *(f"x{k} = torch.ones(2, requires_grad=True)" for k in range(40)), "x0.sum().backward()"]
    page.get_by_role("tab", name="Program").click()
    write_program(page, "\n".join(source))
    page.keyboard.press("Control+Home")
    page.keyboard.press("End")
    page.keyboard.type("\nundefined")
    expect(page.locator(".gf-error")).to_contain_text("NameError")
    expect(page.get_by_text("import torch", exact=True)).to_be_in_viewport()


def test_the_card_leads_to_the_line_of_the_cause(page: Page) -> None:
    write_program(
        page,
        "import torch\nw = torch.ones(2, requires_grad=True)\nloss = (w * 2).sum().detach()\nprint(loss)\nloss.backward()",
    )
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The cause is at line 3")
    expect(page.locator(".gf-cause-text")).to_have_text("(w * 2).sum().detach()")
    alert.get_by_role("button", name="line 3").click()
    alert.get_by_role("button", name="Fix").click()
    expect(alert).to_be_hidden()
    expect(program(page)).not_to_contain_text("detach")


def test_line_numbers_stand_beside_their_lines_below_an_error(page: Page) -> None:
    write_program(page, "import torch\nx = undefined\ny = 1\nz = 2")
    expect(page.get_by_role("alert")).to_be_visible()
    expect_rest(page)
    number = page.locator(".cm-lineNumbers .cm-gutterElement", has_text="4").bounding_box()
    line = page.locator(".cm-line", has_text="z = 2").bounding_box()
    assert number is not None
    assert line is not None
    assert abs(number["y"] - line["y"]) < 2


def test_a_program_without_an_end_is_an_error_like_others(page: Page) -> None:
    write_program(page, "import torch\nwhile True:\n    pass")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("group", name="tensor c")).to_be_visible()


def test_a_program_without_a_backward_takes_a_gradient(page: Page) -> None:
    write_program(page, "import torch\nx = torch.ones(2, requires_grad=True)\ny = 3 * x")
    expect(page.get_by_text("The program calls no backward.")).to_be_visible()
    page.get_by_role("button", name="ones", exact=True).click()
    expect_table(page, "gradient of y", [["1", "1"]])
    page.get_by_role("button", name="Last step").click()
    expect_table(page, "x.grad", [["3", "3"]])


def test_examples_are_a_menu(page: Page) -> None:
    page.get_by_role("button", name="Examples").click()
    menu = page.get_by_role("menu", name="Examples")
    expect(menu.get_by_role("menuitemradio")).not_to_have_count(1)
    menu.get_by_role("menuitemradio", name="Broadcasting").click()
    expect(menu).to_be_hidden()
    expect(page.get_by_role("group", name="tensor row")).to_be_visible()
    expect(program(page)).to_contain_text("row = torch.tensor")


def test_every_example_can_be_opened(open_page: OpenPage, url: str) -> None:
    page = open_page()
    ids = [example["id"] for example in page.request.get(f"{url}/api/v1/examples").json()]
    expect_complete(page)
    for example in ids[1:]:
        with page.expect_response("**/api/v1/trace"):
            page.goto(f"{url}/#example={example}")
        title = page.locator("header").get_by_label("Examples")
        expect(title).to_contain_text(str(ids.index(example) + 1))
        failed = example.startswith("error-")
        expect(page.get_by_role("alert")).to_have_count(int(failed))


@pytest.mark.parametrize(
    ("place", "name"), [("c = a.mm(b)", "MmBackward0"), ("b = torch.tensor", "requires_grad")], ids=["node", "leaf"]
)
def test_a_click_on_a_line_chooses_what_it_made(page: Page, place: str, name: str) -> None:
    line = page.locator(".cm-line", has_text=place)
    line.click(position={"x": 60, "y": 10})
    expect(page.get_by_role("complementary", name="Inspector")).to_contain_text(name)


def test_names_are_completed_from_the_registry(page: Page) -> None:
    expect(page.locator(".cm-editor")).to_be_attached()
    program(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\ntorch.sigm")
    expect(page.get_by_role("listbox").get_by_role("option", name="sigmoid").first).to_be_visible()


def test_the_list_of_completions_is_all_in_sight(page: Page) -> None:
    expect(page.locator(".cm-editor")).to_be_attached()
    program(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\ntorch.s")
    options = page.get_by_role("listbox").get_by_role("option")
    expect(options.nth(7)).to_be_visible()
    assert page.get_by_role("listbox").evaluate("list => list.scrollHeight <= list.clientHeight")
    expect_rest(page)  # the picture of a program that stops at a name half written is on its way
    assert violations(page) == []
    first = options.first.inner_text()
    for _ in range(9):
        page.keyboard.press("ArrowDown")
    expect(options.filter(has_text=first)).to_have_count(0)  # the keys lead on to those that follow


def test_the_server_may_be_away(page: Page, complaints: list[str]) -> None:
    expect(page.get_by_role("group", name="tensor c")).to_be_visible()
    page.route("**/api/v1/trace", lambda route: route.fulfill(status=503, headers={"Retry-After": "1"}))
    write_program(page, "import torch\nx = torch.ones(3, requires_grad=True)\nprint(x)")
    expect(page.get_by_role("status").filter(has_text="The server is busy")).to_be_visible()
    expect(program(page)).to_contain_text("torch.ones(3")
    page.unroute("**/api/v1/trace")
    expect(page.locator("pre", has_text="tensor([1., 1., 1.], requires_grad=True)")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="The server is busy")).to_be_hidden()
    assert {line.partition(":")[0] for line in complaints} == {"Failed to load resource"}
    complaints.clear()


def test_lines_that_come_at_once_are_one_change(page: Page) -> None:
    write_program(page, "x = 1")
    page.keyboard.press("Home")
    page.keyboard.insert_text("import torch\ny = 2; ")
    expect(page.locator(".cm-line")).to_have_text(["import torch", "y = 2; x = 1"])
    page.keyboard.press("Control+z")
    expect(page.locator(".cm-line")).to_have_text(["x = 1"])


def test_a_gradient_cell_writes_the_argument_into_the_program(page: Page) -> None:
    cell(page, "[0, 1]").fill("-2.5")
    expect(program(page)).to_contain_text("c.backward(torch.tensor([[1., -2.5, 1.], [1., 1., 1.]]))")
    expect_table(page, "gradient of c", [["1", "-2.5", "1"], ["1", "1", "1"]])
    page.get_by_role("button", name="undo").click()
    expect(program(page)).to_contain_text("c.backward(torch.ones_like(c))")
    expect_table(page, "gradient of c", [["1", "1", "1"], ["1", "1", "1"]])


def test_the_gradient_that_was_missing_is_filled_in(open_page: OpenPage) -> None:
    page = open_page("example=error-nonscalar")
    expect(page.get_by_role("alert")).to_be_visible()
    cell(page, "[1, 2]").fill("3")
    expect(program(page)).to_contain_text("c.backward(torch.tensor([[0., 0., 0.], [0., 0., 3.]]))")
    expect(page.get_by_role("alert")).to_be_hidden()
    expect_complete(page)
    expect(cell(page, "[1, 2]")).to_have_value("3")
    page.get_by_role("button", name="undo").click()
    expect(page.get_by_role("alert")).to_be_visible()
