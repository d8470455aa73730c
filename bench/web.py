"""How fast the page draws and scrubs, in Chromium on the built page.

Prints a table and exits with status 1 where a limit is broken. Each program is typed into the page as a reader pastes
it; "drawn" is the time until its picture is on screen, "scrubbed" the frames per second while the playhead goes through
a third of the run, "longest task" the longest time for which the page answers nothing. Everything goes to loopback.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import time
from typing import Final

from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.server import serving

CHROMIUM: Final = ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"]
VISITED: Final = "try { localStorage.setItem('gradflow.visited', '1') } catch {}"
"""Who has been here before is not shown around."""
LEAF: Final = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\n"
TRAINING: Final = """import torch
import torch.nn as nn
torch.manual_seed(0)
x = torch.randn(16, 4)
t = (x.sum(1, keepdim=True) > 0).float()
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range({turns}):
    opt.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(model(x), t)
    loss.backward()
    opt.step()
"""


def straight(statements: int) -> str:
    """So many statements, each of which reads the one before."""
    lines = [f"y{k} = {'x' if k == 0 else f'y{k - 1}'} * 1.01" for k in range(statements)]
    return LEAF + "\n".join(lines) + f"\ny{statements - 1}.sum().backward()\n"


def loop(operations: int) -> str:
    """A loop of so many operations."""
    return LEAF + f"y = x\nfor i in range({operations - 2}):\n    y = y * 1.0001\ny.sum().backward()\n"


def grid(rows: int, columns: int) -> str:
    """So many tensors a row, each row made from the one before; no leaf but those of the first."""
    lines = [f"r0_{k} = torch.randn(2, 2, requires_grad=True)" for k in range(columns)]
    for row in range(1, rows):
        for k in range(columns):
            one, other = f"r{row - 1}_{k}", f"r{row - 1}_{(k + 1) % columns}"
            lines.append(f"r{row}_{k} = {one} * {other}" if row % 3 == 1 else f"r{row}_{k} = torch.tanh({one})")
    last = " + ".join(f"r{rows - 1}_{k}" for k in range(columns))
    return "import torch\ntorch.manual_seed(0)\n" + "\n".join(lines) + f"\n({last}).sum().backward()\n"


PROGRAMS: Final[dict[str, tuple[str, float, float]]] = {
    # by name: the program, and the limits of seconds until it is drawn and of frames per second
    "199 straight statements": (straight(199), 0.8, 45),
    "loop of 2000 operations": (loop(2000), 0.8, 45),
    "loop of 10 000 operations": (loop(10_000), 2.0, 40),
    "network trained 100 steps": (TRAINING.format(turns=100), 0.5, 50),
}

UNFOLD: Final = """() => {
  const folded = [...document.querySelectorAll('.folded button')]
  folded.forEach((button) => button.click())
  return folded.length
}"""
"""Unfolds all that is folded; how much that was."""

OBSERVE: Final = """window.tasks = [];
new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => window.tasks.push(duration)))
  .observe({ entryTypes: ['longtask'] })"""
"""Notes the tasks that keep the page from answering for more than 50 ms."""

DRAWN: Final = """() => {
  const slider = document.querySelector('input[type=range]')
  return !document.querySelector('.stale') && slider && slider.max !== window.before
}"""

SCRUB: Final = """async () => {
  const slider = document.querySelector('input[type=range]')
  const [low, high] = [Number(slider.min), Number(slider.max)]
  const frames = 90
  const start = performance.now()
  for (let k = 0; k < frames; k += 1) {
    slider.value = low + (high - low) * (1 + k / frames) / 3
    slider.dispatchEvent(new Event('input', { bubbles: true }))
    await new Promise((next) => requestAnimationFrame(next))
  }
  return (1000 * frames) / (performance.now() - start)
}"""

FIRST: Final = """() => new Promise((done) => {
  const look = () => document.querySelector('[data-tensor] td') ? requestAnimationFrame(() => done(performance.now()))
    : requestAnimationFrame(look)
  look()
})"""


def opened(browser: Browser, url: str) -> Page:
    """The page in a fresh profile, complete."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US").new_page()
    page.add_init_script(VISITED)
    page.add_init_script(OBSERVE)
    page.goto(url)
    page.wait_for_selector(".cm-editor", state="attached")
    page.wait_for_selector(".inspector .katex", state="attached")
    return page


def first_picture(browser: Browser, url: str) -> float:
    """Milliseconds from navigation to the first example, in a fresh profile."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US").new_page()
    page.add_init_script(VISITED)
    page.goto(url, wait_until="commit")
    taken = float(page.evaluate(FIRST))
    page.context.close()
    return taken


def key_to_picture(page: Page) -> float:
    """Milliseconds from a key that changes a program of ten operations to its new picture."""
    write(page, straight(10))
    page.locator(".cm-content").press("Control+Home")
    taken = []
    for k in range(12):
        page.locator(".cm-content").press("Control+End")
        page.evaluate("window.shown = document.querySelector('.layer')?.innerText")
        start = time.perf_counter()
        page.keyboard.insert_text(f"\nz{k} = x * {k + 2}")
        page.wait_for_function("() => document.querySelector('.layer')?.innerText !== window.shown", polling="raf")
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def write(page: Page, source: str) -> float:
    """Seconds until the picture of a program is on screen."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.evaluate("window.before = document.querySelector('input[type=range]').max; window.tasks.length = 0")
    start = time.perf_counter()
    page.keyboard.insert_text(source)
    page.wait_for_function(DRAWN, polling="raf", timeout=120_000)
    return time.perf_counter() - start


class Table:
    """Rows of a table with a limit each; knows whether all are kept."""

    def __init__(self) -> None:
        self.kept = True
        print(f"{'what':<52}{'measured':>12}{'limit':>10}")

    def row(self, name: str, value: float, unit: str, limit: float, *, at_least: bool = False) -> None:
        good = value >= limit if at_least else value <= limit
        self.kept = self.kept and good
        sign = "from" if at_least else "to"
        print(f"{name:<52}{value:>8.4g} {unit:<3}{sign:>5} {limit:g}{'' if good else '  BROKEN'}", flush=True)


def pages(browser: Browser, url: str, table: Table) -> None:
    """All that is measured in the page."""
    shown = sorted(first_picture(browser, url) for _ in range(5))
    table.row("navigation to the first example, fresh profile", shown[2], "ms", 300)
    page = opened(browser, url)
    table.row("key press to new picture, 10 operations", key_to_picture(page), "ms", 90)
    page.context.close()
    for name, (source, most, frames) in PROGRAMS.items():
        page = opened(browser, url)
        table.row(f"{name}, drawn", write(page, source), "s", most)
        page.wait_for_timeout(500)
        longest = max(page.evaluate("window.tasks"), default=0)
        table.row(f"{name}, longest task", longest, "ms", 200)
        table.row(f"{name}, scrubbed", float(page.evaluate(SCRUB)), "fps", frames, at_least=True)
        if "10 000" in name:
            table.row("  memory of the tab", page.evaluate("performance.memory.usedJSHeapSize") / 1e6, "MB", 600)
        page.context.close()


def unfolded(browser: Browser, url: str, table: Table) -> None:
    """A picture of 200 cards, all of them unfolded."""
    page = opened(browser, url)
    write(page, grid(25, 8))
    while page.evaluate(UNFOLD) > 0:
        page.wait_for_timeout(500)
    page.keyboard.press("Escape")
    cards = page.locator("[role=group][data-tensor]").count()
    page.evaluate(SCRUB)
    table.row(f"{cards} cards unfolded, scrubbed", float(page.evaluate(SCRUB)), "fps", 50, at_least=True)
    page.context.close()


def main() -> int:
    """Measure and tell."""
    installed = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    table = Table()
    with serving() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed, args=CHROMIUM)
        pages(browser, url, table)
        unfolded(browser, url, table)
        browser.close()
    print("all limits kept" if table.kept else "not all limits kept")
    return 0 if table.kept else 1


if __name__ == "__main__":
    sys.exit(main())
