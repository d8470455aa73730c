"""Real programs have a picture that one understands: leaves in sight, words that can be read, turns and chapters."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_rest, slider, write_program

PROGRAMS = {
    "mini-batches of a layer": (
        ["net.weight", "net.bias"],
        """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
data = torch.randn(12, 3)
loader = DataLoader(TensorDataset(data, data.sum(1, keepdim=True)), batch_size=4)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for epoch in range(2):
    for given, wanted in loader:
        loss = nn.functional.mse_loss(net(given), wanted)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())""",
    ),
    "updates by hand": (
        ["slope", "offset"],
        """import torch
x = torch.linspace(-1, 1, 20)
t = 2 * x - 1
slope = torch.zeros(1, requires_grad=True)
offset = torch.zeros(1, requires_grad=True)
for turn in range(30):
    loss = ((slope * x + offset - t) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        slope -= 0.1 * slope.grad
        offset -= 0.1 * offset.grad
    slope.grad.zero_()
    offset.grad.zero_()""",
    ),
    "a step within a step": (
        ["meta[0]", "meta[1]", "meta[2]", "meta[3]"],
        """import torch
torch.manual_seed(3)
def net(x, params):
    w1, b1, w2, b2 = params
    return torch.relu(x @ w1 + b1) @ w2 + b2
meta = [torch.randn(1, 8) * .5, torch.zeros(8), torch.randn(8, 1) * .5, torch.zeros(1)]
for p in meta: p.requires_grad_()
opt = torch.optim.SGD(meta, lr=0.01)
for task in range(2):
    a, phase = torch.rand(1), torch.rand(1)
    xs, xq = torch.rand(5, 1), torch.rand(5, 1)
    ys, yq = a * torch.sin(xs + phase), a * torch.sin(xq + phase)
    inner = ((net(xs, meta) - ys) ** 2).mean()
    grads = torch.autograd.grad(inner, meta, create_graph=True)
    fast = [p - 0.1 * g for p, g in zip(meta, grads)]
    outer = ((net(xq, fast) - yq) ** 2).mean()
    opt.zero_grad()
    outer.backward()
    opt.step()
    print(task, inner.item(), outer.item())""",
    ),
    "Chinese names": (
        ["权重[0]", "权重[1]", "层.归一化.weight", "层.输出.bias"],
        """import torch
import torch.nn as nn

torch.manual_seed(1)
权重 = [torch.randn(3, 4, requires_grad=True), torch.randn(4, 2, requires_grad=True)]
层 = nn.ModuleDict({'归一化': nn.LayerNorm(4), '输出': nn.Linear(2, 1)})
输入 = torch.randn(5, 3)
目标 = torch.ones(5, 1)
for 轮 in range(3):
    隐藏 = torch.tanh(输入 @ 权重[0])
    隐藏 = 层['归一化'](隐藏)
    预测 = 层['输出'](隐藏 @ 权重[1])
    损失 = ((预测 - 目标) ** 2).mean()
    损失.backward()
    with torch.no_grad():
        for w in [*权重, *层.parameters()]:
            w -= 0.1 * w.grad
            w.grad = None
    print(轮, 损失.item())""",
    ),
    "a tagger with an LSTM": (
        [
            "model.words.weight",
            "model.reader.weight_ih_l0",
            "model.reader.bias_hh_l0",
            "model.out.weight",
            "model.out.bias",
        ],
        """import torch
from torch import nn
torch.manual_seed(0)
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(6, 4)
        self.reader = nn.LSTM(4, 5)
        self.out = nn.Linear(5, 3)
    def forward(self, sentence):
        states, _ = self.reader(self.words(sentence).unsqueeze(1))
        return self.out(states.squeeze(1))
model = Tagger()
opt = torch.optim.Adam(model.parameters(), lr=0.05)
sentence, tags = torch.tensor([0, 3, 2, 5]), torch.tensor([0, 1, 1, 2])
for epoch in range(3):
    opt.zero_grad()
    loss = nn.CrossEntropyLoss()(model(sentence), tags)
    loss.backward()
    opt.step()
    print(epoch, loss.item())""",
    ),
    "an autoencoder that samples": (
        ["net.encode.weight", "net.mean.bias", "net.spread.weight", "net.decode.0.weight", "net.decode.2.bias"],
        """import torch
from torch import nn
torch.manual_seed(0)
class Auto(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(6, 4)
        self.mean, self.spread = nn.Linear(4, 2), nn.Linear(4, 2)
        self.decode = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 6), nn.Sigmoid())
    def forward(self, x):
        h = torch.relu(self.encode(x))
        mean, spread = self.mean(h), self.spread(h)
        return self.decode(mean + torch.randn_like(mean) * torch.exp(0.5 * spread)), mean, spread
net = Auto()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.rand(5, 6)
for epoch in range(2):
    again, mean, spread = net(x)
    loss = nn.functional.binary_cross_entropy(again, x, reduction='sum')
    loss = loss - 0.5 * torch.sum(1 + spread - mean.pow(2) - spread.exp())
    opt.zero_grad()
    loss.backward()
    opt.step()""",
    ),
    "a state that is handed on": (
        ["W", "U"],
        """import torch
torch.manual_seed(4)
x = torch.randn(15, 1, 2)
W = torch.randn(2, 3, requires_grad=True)
U = torch.randn(3, 3, requires_grad=True)
h = torch.zeros(1, 3)
for i in range(15):
    h = torch.tanh(x[i] @ W + h @ U)
loss = (h ** 2).sum()
loss.backward()""",
    ),
    "parameters in a dictionary": (
        ["params['W1']", "params['b1']", "params['W2']", "params['b2']"],
        """import torch
torch.manual_seed(0)
params = {"W1": torch.randn(3, 4), "b1": torch.zeros(4), "W2": torch.randn(4, 2), "b2": torch.zeros(2)}
for p in params.values():
    p.requires_grad_()
X, Y = torch.randn(6, 3), torch.randint(0, 2, (6,))
def forward(x, p):
    return torch.relu(x @ p["W1"] + p["b1"]) @ p["W2"] + p["b2"]
for epoch in range(4):
    loss = torch.nn.functional.cross_entropy(forward(X, params), Y)
    loss.backward()
    with torch.no_grad():
        for p in params.values():
            p -= 0.5 * p.grad
            p.grad = None""",
    ),
    "gradients that are returned": (
        ["net['W0']", "net['b0']", "net['W2']", "net['b2']"],
        """import torch
torch.manual_seed(3)
sizes, net = [4, 6, 5, 2], {}
for i, (m, n) in enumerate(zip(sizes, sizes[1:])):
    net[f"W{i}"] = (torch.randn(m, n) / m ** .5).requires_grad_()
    net[f"b{i}"] = torch.zeros(n, requires_grad=True)
X, T = torch.randn(7, 4), torch.randint(0, 2, (7,))
for it in range(3):
    h = X
    for i in range(3):
        h = h @ net[f"W{i}"] + net[f"b{i}"]
        if i < 2:
            h = torch.nn.functional.leaky_relu(h, 0.1)
    loss = torch.nn.functional.nll_loss(h.log_softmax(1), T)
    grads = torch.autograd.grad(loss, list(net.values()))
    with torch.no_grad():
        for p, d in zip(net.values(), grads):
            p.sub_(0.1 * d)
    print(it, float(loss))""",
    ),
    "an encoder of two layers": (
        ["enc.layers.0.linear1.weight", "enc.layers.1.self_attn.in_proj_bias", "head.weight", "head.bias"],
        """import torch
from torch import nn
torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16, dropout=0.0, batch_first=True)
enc = nn.TransformerEncoder(layer, num_layers=2)
head = nn.Linear(8, 3)
def loss_of(logits):
    return -torch.log_softmax(logits, -1)[0, 2]
loss = loss_of(head(enc(torch.randn(2, 5, 8)).mean(dim=1)))
loss.backward()""",
    ),
}

DECODER = """import torch
from torch import nn
torch.manual_seed(0)
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.gru = nn.Embedding(7, 5), nn.GRU(5, 5, batch_first=True)
    def forward(self, tokens):
        return self.gru(self.table(tokens))
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.cell, self.out = nn.Embedding(7, 5), nn.GRUCell(5, 5), nn.Linear(5, 7)
    def forward(self, token, hidden):
        hidden = self.cell(torch.relu(self.table(token)), hidden)
        return self.out(hidden), hidden
encoder, decoder = Encoder(), Decoder()
opt = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
for epoch in range(2):
    opt.zero_grad()
    hidden, token, loss = encoder(torch.tensor([[1, 4, 2]]))[1][0], torch.tensor([0]), 0
    for wanted in torch.tensor([[3], [5], [2]]):
        logits, hidden = decoder(token, hidden)
        loss = loss + nn.functional.cross_entropy(logits, wanted)
        token = logits.argmax(1)
    loss.backward()
    opt.step()"""

LOOK = """() => {
  const graph = document.querySelector('section.graph')
  const layer = graph.querySelector('.layer')
  const scale = new DOMMatrix(getComputedStyle(layer.querySelector('.sheet')).transform).a
  const shown = graph.getBoundingClientRect()
  const panel = document.querySelector('.inspector').getBoundingClientRect()
  const small = [], cut = [], hidden = []
  const words = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT)
  while (words.nextNode()) {
    const text = words.currentNode.textContent.trim()
    const holder = words.currentNode.parentElement
    const style = getComputedStyle(holder)
    if (!text || holder.closest('.visually-hidden') || style.visibility === 'hidden') continue
    const size = parseFloat(style.fontSize) * scale
    if (size < 10.9) small.push([text, size])
    const row = holder.closest('.row')
    const past = row && holder.getBoundingClientRect().right > row.getBoundingClientRect().right + 1
    if (past || (style.overflowX === 'hidden' && holder.scrollWidth > holder.clientWidth + 1)) cut.push(text)
  }
  for (const bucket of layer.querySelectorAll('.bucket')) {
    const place = bucket.getBoundingClientRect()
    const covered = place.right > panel.left && place.bottom > panel.top && place.top < panel.bottom
    const outside = place.left < shown.left || place.right > shown.right || place.top < shown.top
      || place.bottom > shown.bottom
    if (covered || outside) hidden.push(bucket.closest('[data-tensor]').getAttribute('aria-label'))
  }
  const wide = [...layer.querySelectorAll('.frame.turn')]
    .filter((frame) => frame.getBoundingClientRect().right > Math.min(shown.right, panel.left))
    .map((frame) => frame.getAttribute('aria-label'))
  return { small, cut, hidden, wide, leaves: layer.querySelectorAll('.bucket').length }
}"""
"""What is wrong with a picture: words under 11 pixels, words that are cut, buckets out of sight, turns wider than the room."""


def look(page: Page) -> dict[str, Any]:
    expect_rest(page)
    found: dict[str, Any] = page.evaluate(LOOK)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_leaves_are_in_sight_and_words_can_be_read(open_page: OpenPage, name: str) -> None:
    leaves, source = PROGRAMS[name]
    page = open_page()
    write_program(page, source)
    for leaf in leaves:
        group = page.get_by_role("group", name=f"tensor {leaf}", exact=True)
        expect(group).to_be_visible()
        expect(group.get_by_label(f"value of {leaf}", exact=True)).to_be_visible()
        expect(group.get_by_label(f"{leaf}.grad", exact=True)).to_be_visible()
    steps = int(slider(page).get_attribute("max") or 0)
    assert steps > 20
    for step in (1, steps // 3, steps // 2, 2 * steps // 3, steps):
        slider(page).fill(str(step))
        found = look(page)
        assert found["leaves"] >= len(leaves)
        assert found["small"] == []
        assert found["cut"] == []
        assert found["hidden"] == []
        assert found["wide"] == []


def test_a_loop_within_a_turn_keeps_to_the_room(open_page: OpenPage) -> None:
    page = open_page()
    write_program(page, DECODER)
    steps = int(slider(page).get_attribute("max") or 0)
    for step in (steps // 3, steps // 2, 2 * steps // 3):
        slider(page).fill(str(step))
        found = look(page)
        assert found["leaves"] == 12
        assert (found["small"], found["cut"], found["hidden"], found["wide"]) == ([], [], [], [])


def test_leaves_stay_in_sight_on_a_projector_too(open_page: OpenPage) -> None:
    page = open_page()
    write_program(page, DECODER)
    page.set_viewport_size({"width": 1024, "height": 768})
    steps = int(slider(page).get_attribute("max") or 0)
    for step in (1, steps // 3, steps // 2, 2 * steps // 3, steps):
        slider(page).fill(str(step))
        found = look(page)
        assert found["leaves"] == 12
        assert (found["small"], found["cut"], found["hidden"]) == ([], [], [])


def test_one_turn_is_on_screen_and_leads_to_those_beside_it(open_page: OpenPage) -> None:
    page = open_page()
    write_program(page, PROGRAMS["a tagger with an LSTM"][1])
    turn = page.get_by_role("group", name="turn 1 of 3", exact=True)
    page.get_by_role("button", name="First step").click()
    expect(turn).to_be_visible()
    page.get_by_role("button", name="loss at turn 2").click()
    second = page.get_by_role("group", name="turn 2 of 3", exact=True)
    expect(second).to_be_visible()
    expect(turn).to_have_count(0)
    second.get_by_role("button", name="Next turn").click()
    expect(page.get_by_role("group", name="turn 3 of 3", exact=True)).to_be_visible()
    for act in ("zero", "forward", "backward", "step"):
        expect(page.get_by_role("button", name=act, exact=True)).to_be_visible()


def test_a_heat_map_reads_out_the_element_under_the_pointer(open_page: OpenPage) -> None:
    page = open_page()
    write_program(
        page,
        PROGRAMS["a state that is handed on"][1]
        .replace("(2, 3", "(2, 9")
        .replace("3, 3", "9, 9")
        .replace("1, 3)", "1, 9)"),
    )
    weight = page.get_by_role("img", name="value of U", exact=True)
    box = weight.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] - 1)
    expect(page.locator(".told")).to_contain_text("U[8, 0]")
    expect(page.locator(".told")).to_contain_text("9×9: max ")


def test_search_leads_to_a_tensor_of_another_turn(open_page: OpenPage) -> None:
    page = open_page()
    write_program(page, PROGRAMS["a tagger with an LSTM"][1])
    page.get_by_role("button", name="Last step").click()
    page.get_by_role("group", name="turn 3 of 3", exact=True).click(position={"x": 40, "y": 20})
    page.keyboard.press("/")
    box = page.get_by_role("combobox", name="Search")
    expect(box).to_be_focused()
    box.fill("out.w")
    expect(page.get_by_role("option")).to_have_count(1)
    box.fill("nll")
    page.keyboard.press("Enter")
    expect(box).to_have_count(0)
    expect(page.get_by_role("group", name="turn 1 of 3", exact=True)).to_be_visible()
    expect(page.get_by_role("complementary", name="Inspector")).to_contain_text("NllLossBackward0")
