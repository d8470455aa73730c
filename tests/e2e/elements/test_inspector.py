"""Every beat and every function of every example, and of programs as people write them, told within the inspector."""

from __future__ import annotations

import base64
import zlib
from typing import Any, cast

import pytest
from playwright.sync_api import Page, expect

from gradflow.engine.run import run
from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_complete, slider

PROGRAMS = {
    "training loop": """import torch
from torch import nn
torch.manual_seed(2)
points = torch.randn(12, 3)
labels = (points.sum(1, keepdim=True) > 0).float()
net = nn.Sequential(nn.Linear(3, 7), nn.ReLU(), nn.Linear(7, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
for epoch in range(4):
    opt.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(net(points), labels)
    loss.backward()
    opt.step()
    print(loss.item())""",
    "Adam": """import torch
from torch import nn
torch.manual_seed(5)
class Curve(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(1, 5)
        self.out = nn.Linear(5, 1)
    def forward(self, u):
        return self.out(torch.tanh(self.hidden(u)))
u = torch.linspace(-1, 1, 9).reshape(9, 1)
curve = Curve()
adam = torch.optim.Adam(curve.parameters(), lr=0.05, weight_decay=0.01)
for step in range(3):
    adam.zero_grad()
    error = ((curve(u) - u ** 3) ** 2).mean()
    error.backward()
    nn.utils.clip_grad_norm_(curve.parameters(), 0.5)
    adam.step()""",
    "by hand": """import torch
w = torch.tensor([[0.5, -1.5], [2.0, 1.0]], requires_grad=True)
b = torch.zeros(2, requires_grad=True)
x = torch.tensor([[1.0, 2.0], [3.0, -4.0], [0.5, 0.25]])
for turn in range(3):
    y = x @ w + b
    loss = (y * y).sum() / 3
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        b -= 0.01 * b.grad
    w.grad.zero_()
    b.grad = None""",
    "recurrent": """import torch
torch.manual_seed(1)
inputs = torch.randn(6, 1, 2)
U = torch.randn(2, 3, requires_grad=True)
V = (torch.randn(3, 3) / 2).requires_grad_()
state = torch.zeros(1, 3)
for k in range(6):
    state = torch.tanh(inputs[k] @ U + state @ V)
state.pow(2).sum().backward()""",
    "attention": """import torch
from torch import nn
torch.manual_seed(7)
words = nn.Embedding(9, 4)
norm = nn.LayerNorm(4)
query, key, value = nn.Linear(4, 4), nn.Linear(4, 4, bias=False), nn.Linear(4, 4)
tokens = torch.tensor([[1, 5, 2, 8]])
h = norm(words(tokens))
scores = query(h) @ key(h).transpose(-2, -1) / 4 ** 0.5
mask = torch.triu(torch.ones(4, 4), 1).bool()
weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
(weights @ value(h)).logsumexp(-1).mean().backward()""",
    "convolution": """import torch
from torch import nn
torch.manual_seed(3)
images = torch.rand(2, 1, 6, 6)
kinds = torch.tensor([0, 2])
model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3))
nn.CrossEntropyLoss()(model(images), kinds).backward()""",
    "a function with hooks": """import torch
class Cubed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v, scale):
        ctx.save_for_backward(v)
        ctx.scale = scale
        return scale * v ** 3
    @staticmethod
    def backward(ctx, upstream):
        (v,) = ctx.saved_tensors
        return upstream * 3 * ctx.scale * v ** 2, None
v = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
c = Cubed.apply(v, 0.5)
c.register_hook(lambda upstream: upstream.clamp(max=1.5))
(c * torch.tensor([1.0, 2.0, 3.0]) + v + v).sum().backward()""",
}

MOST_BEATS = 24
"""Of longer programs so many beats are looked at, in even steps."""

LOOK = """async ([mostBeats, mostNodes]) => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => done()))
  const found = new Set()
  const box = document.querySelector('.inspector')
  const rule = () => [...box.querySelectorAll('.katex-html')].map((each) => each.textContent).join(' ')

  const look = (where) => {
    const note = (what) => found.add(`${where}: ${what}`)
    for (const each of box.querySelectorAll('.katex-error')) note(`red ${each.textContent}`)
    if (/None|undefined|NaN/.test(rule())) note(`a rule says ${rule()}`)
    if (/^[)\\]},.\\s]*$/.test(box.querySelector('h2')?.textContent ?? 'x')) note('no title')
    const edge = box.getBoundingClientRect().right
    for (const each of [box, ...box.querySelectorAll('*')]) {
      if (each.closest('.katex, .grid, svg') || each.clientWidth === 0) continue
      if (each.scrollWidth > each.clientWidth) note(`${each.tagName}.${each.className} is cut: ${each.textContent.trim().slice(0, 50)}`)
    }
    for (const each of box.querySelectorAll('canvas, td, .katex-html'))
      if (each.getBoundingClientRect().right > edge - 4) note(`${each.textContent.slice(0, 50)} reaches over the edge`)
    covered(note)
  }

  const covered = (note) => {
    const own = box.getBoundingClientRect()
    for (const card of document.querySelectorAll('.view :is(.pill, .row, .folded).active')) {
      const its = card.getBoundingClientRect()
      const wide = Math.min(own.right, its.right) - Math.max(own.left, its.left)
      const tall = Math.min(own.bottom, its.bottom) - Math.max(own.top, its.top)
      if (wide > 1 && tall > 1) note(`it covers ${card.textContent.trim().slice(0, 30)}`)
    }
  }

  const slider = document.querySelector('input[type=range]')
  const max = Number(slider.max)
  const by = Math.max(1, max / mostBeats)
  for (let beat = 1; beat < max + by; beat += by) {
    slider.value = String(Math.min(max, Math.round(beat)))
    for (const kind of ['input', 'change']) slider.dispatchEvent(new Event(kind, { bubbles: true }))
    await frame()
    await document.fonts.ready
    await frame()
    look(`beat ${slider.value}`)
  }
  const nodes = [...document.querySelectorAll('.view .pill, .view .card, .view .row')]
  for (const node of nodes.slice(0, mostNodes)) {
    if (!node.isConnected) continue
    node.click()
    await frame()
    await frame()
    look(node.textContent.trim().slice(0, 20))
  }
  return [...found]
}"""


def fragment(source: str) -> str:
    """The program as a link holds it."""
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = pack.compress(source.encode()) + pack.flush()
    return "code=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def findings(page: Page, source: str) -> list[str]:
    """What is wrong with the inspector on the way through a program."""
    page.evaluate("hash => { location.hash = hash }", fragment(source))
    first = next(line for line in source.splitlines() if line.strip())
    expect(page.get_by_role("textbox", name="Program", exact=True)).to_contain_text(first)
    expect(page.locator(".view.stale")).to_have_count(0)
    expect(page.locator(".inspector .waiting")).to_have_count(0)
    return cast("list[str]", page.evaluate(LOOK, [MOST_BEATS, 10]))


@pytest.fixture
def quiet(open_page: OpenPage) -> Page:
    """A page on which nothing moves by itself."""
    options: dict[str, Any] = {"reduced_motion": "reduce"}
    return expect_complete(open_page("view=graph", **options))


def test_nothing_is_cut_in_any_example(quiet: Page) -> None:
    examples = quiet.request.get(f"{quiet.url.split('#')[0]}api/v1/examples").json()
    found = {example["id"]: findings(quiet, example["source"].rstrip()) for example in examples}
    assert len(found) == len(examples) > 30
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_nothing_is_cut_in_programs_as_people_write_them(quiet: Page) -> None:
    assert {name: run(source).error for name, source in PROGRAMS.items()} == dict.fromkeys(PROGRAMS)
    found = {name: findings(quiet, source) for name, source in PROGRAMS.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_an_element_is_chosen_by_keyboard(quiet: Page) -> None:
    findings(quiet, PROGRAMS["training loop"])
    inspector = quiet.get_by_role("complementary", name="Inspector")
    quiet.keyboard.press("Escape")
    slider(quiet).fill(str(int(slider(quiet).get_attribute("max") or 0) - 1))
    expect(inspector).to_contain_text("weight[0, 1]")
    following = inspector.get_by_role("button", name="Next element")
    following.focus()
    quiet.keyboard.press("Enter")
    expect(inspector).to_contain_text("weight[0, 2]")
