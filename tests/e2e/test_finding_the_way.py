"""A graph larger than the pane: the map, isolating, searching, hooks, the lens, the place of an update."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_rest, slider, write_program

BRANCHES = """import torch
a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.], requires_grad=True)
u = a.exp()
v = u * b
w = u.sin()
loss = v.sum() + w.sum()
loss.backward()"""

LONG = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\n" + "".join(
    f"y{k} = {f'y{k - 1}' if k else 'x'}.tanh()\nz{k} = y{k} * x\n" for k in range(24)
)

HOOKED = """import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
h = x * 2
h.register_hook(lambda g: g.clamp(max=1.5))
x.register_hook(lambda g: g * 10)
loss = (h * h).sum()
loss.backward()"""

LARGE = """import torch
w = torch.randn(12, 40, requires_grad=True)
s = torch.tensor([1., 2.], requires_grad=True)
loss = w.sum() * s.sum()
loss.backward()"""

CALLED = """import torch
w = torch.tensor([1., -2.], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.05)
def train(batch):
    opt.zero_grad()
    loss = (w * batch).sum() ** 2
    loss.backward()
    opt.step()
for epoch in range(3):
    for batch in torch.tensor([[1., 2.], [3., 4.]]):
        train(batch)"""


def tensor(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=f"tensor {name}", exact=True)


def drawn(page: Page, source: str, name: str) -> None:
    """The end of a run of this program, which has a tensor of this name; with the focus where keys are commands."""
    write_program(page, source)
    expect(tensor(page, name)).to_be_attached()
    expect(page.locator(".stale")).to_have_count(0)
    expect_rest(page)
    page.get_by_role("button", name="Last step").click()
    expect_rest(page)


def window_of_map(page: Page) -> Locator:
    return page.get_by_role("group", name="Map of the graph").get_by_role("button", name="Part in sight")


def covers(one: Locator, other: Locator) -> bool:
    a, b = one.bounding_box(), other.bounding_box()
    assert a is not None
    assert b is not None
    return (
        a["x"] < b["x"] + b["width"]
        and b["x"] < a["x"] + a["width"]
        and a["y"] < b["y"] + b["height"]
        and b["y"] < a["y"] + a["height"]
    )


def test_a_map_is_there_where_the_graph_does_not_fit(page: Page) -> None:
    expect(tensor(page, "c")).to_be_visible()
    expect(page.get_by_role("group", name="Map of the graph")).to_have_count(0)
    drawn(page, LONG, "z23")
    for unfold in range(12):
        folded = page.locator(".folded button").first
        if unfold > 0 and folded.count() == 0:
            break
        folded.evaluate("button => button.click()")
        expect_rest(page)
    window = window_of_map(page)
    expect(window).to_be_visible()
    assert not covers(page.get_by_role("group", name="Map of the graph"), page.locator(".inspector"))
    window.focus()
    page.keyboard.press("Home")
    expect_rest(page)
    top = window.bounding_box()
    page.keyboard.press("ArrowDown")
    expect_rest(page)
    lower = window.bounding_box()
    assert top is not None
    assert lower is not None
    assert lower["y"] > top["y"]
    page.mouse.move(lower["x"] + lower["width"] / 2, lower["y"] + lower["height"] / 2)
    page.mouse.down()
    page.mouse.move(lower["x"] + lower["width"] / 2, lower["y"] + lower["height"] / 2 - 200, steps=5)
    page.mouse.up()
    dragged = window.bounding_box()
    assert dragged is not None
    assert abs(dragged["y"] - top["y"]) < 1


def test_isolating_leaves_what_leads_to_a_tensor_and_what_it_leads_to(page: Page) -> None:
    drawn(page, BRANCHES, "loss")
    tensor(page, "v").get_by_role("button", name="v", exact=True).click()
    page.keyboard.press("i")
    bar = page.get_by_role("group", name="Isolated: v")
    expect(bar).to_be_visible()
    expect(tensor(page, "w")).to_have_count(0)
    for name in ("a", "b", "u", "v", "loss"):
        expect(tensor(page, name)).to_be_visible()
    bar.get_by_role("button", name="what it leads to").click()
    expect(tensor(page, "loss")).to_have_count(0)
    expect(tensor(page, "a")).to_be_visible()
    page.keyboard.press("Escape")
    expect(bar).to_have_count(0)
    expect(tensor(page, "w")).to_be_visible()


def test_isolating_by_the_inspector_and_back_by_a_button(open_page: OpenPage) -> None:
    page = open_page(width=1024, height=768)
    page.get_by_role("button", name="Program", exact=True).click()
    drawn(page, BRANCHES, "loss")
    page.locator(".folded h2 button").click()
    tensor(page, "w").get_by_role("button", name="w", exact=True).click()
    page.locator(".handle").click()
    page.get_by_role("button", name="isolate w", exact=True).click()
    expect(tensor(page, "b")).to_have_count(0)
    page.get_by_role("button", name="Show all").click()
    expect(tensor(page, "b")).to_be_visible()


def test_searching_brings_a_tensor_into_view_out_of_what_is_folded(page: Page) -> None:
    drawn(page, LONG, "z23")
    expect(tensor(page, "y9")).to_have_count(0)
    page.get_by_role("button", name="Find a tensor, a function, a line").click()
    page.get_by_role("combobox").fill("y9")
    page.keyboard.press("Enter")
    expect(tensor(page, "y9")).to_be_in_viewport()
    page.keyboard.press("/")
    page.get_by_role("combobox").fill("line 9")
    expect(page.get_by_role("option").first).to_contain_text("line 9")
    page.get_by_role("combobox").fill("tanh")
    expect(page.get_by_role("option").filter(has_text="TanhBackward0").first).to_be_visible()


def test_a_hook_stands_where_it_changes_the_gradient(page: Page) -> None:
    drawn(page, HOOKED, "loss")
    hook = page.get_by_role("button", name="hook of h: gradient 4 8 12, then 1.5 1.5 1.5", exact=True)
    expect(hook).to_be_visible()
    expect(page.get_by_role("button", name="hook of x: gradient 3 3 3, then 30 30 30", exact=True)).to_be_visible()
    expect(hook.locator(".change")).to_be_hidden()
    hook.hover()
    expect(hook.locator(".change")).to_be_visible()
    page.mouse.move(0, 0)
    sentence = page.locator(".sentence")
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
        if "The hook of h turns" in sentence.inner_text():
            break
    expect(sentence).to_contain_text("The hook of h turns [4 8 12] into [1.5 1.5 1.5].")
    expect(hook.locator(".change")).to_be_visible()
    expect(page.get_by_role("table", name="gradient of h").get_by_role("cell").first).to_have_text("1.5")


def test_a_double_click_on_a_large_tensor_opens_the_lens(page: Page) -> None:
    drawn(page, LARGE, "loss")
    tensor(page, "s").dblclick()
    expect(page.get_by_role("dialog")).to_have_count(0)
    tensor(page, "w").dblclick()
    expect(page.get_by_role("dialog", name="lens of w")).to_be_visible()


def test_the_place_in_the_run_stands_over_an_update(page: Page) -> None:
    drawn(page, CALLED, "w")
    slider(page).focus()
    page.keyboard.press("Home")
    way = page.get_by_role("navigation", name="Where this is in the run")
    for _ in range(40):
        page.keyboard.press("ArrowRight")
        if way.count() > 0:
            break
    batches = "for batch in torch.tensor([[1., 2.], [3., 4.]])"
    expect(way.get_by_role("listitem")).to_have_text(
        ["for epoch in range(3)", "turn 1 of 3", batches, "train()", "opt.step()"]
    )


def test_a_map_and_what_is_isolated_on_a_phone_in_the_systems_colours(open_page: OpenPage) -> None:
    page = open_page(width=390, height=844, forced_colors="active")
    page.get_by_role("tab", name="Program").click()
    write_program(page, LONG)
    page.get_by_role("tab", name="Graph").click()
    expect(tensor(page, "z23")).to_be_attached()
    page.get_by_role("button", name="Last step").click()
    expect_rest(page)
    window = window_of_map(page)
    expect(window).to_be_visible()
    tools = page.get_by_role("group", name="Colour scales")
    expect(tools).to_be_visible()
    assert not covers(window, tools)
    name = tensor(page, "x").get_by_role("button").first
    name.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("i")
    bar = page.get_by_role("group", name="Isolated: x")
    expect(bar).to_be_visible()
    box = bar.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
