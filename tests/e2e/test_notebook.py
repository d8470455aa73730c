"""Runs in notebooks: the frame that any notebook draws, and a real JupyterLab where there is one."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

import gradflow
from tests.e2e.conftest import PATIENCE_MS, ROOT

SOURCE = (
    "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\ny = 3 * x\ny.backward(torch.tensor([1., 10.]))\n"
)


@pytest.fixture
def blank(browser: Browser) -> Iterator[Page]:
    """A page that reaches no network but this machine's."""
    context = browser.new_context(viewport={"width": 1200, "height": 900}, locale="en-US")
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


def expect_it_plays(frame: FrameLocator) -> None:
    expect(frame.get_by_role("group", name="tensor y")).to_be_visible()
    frame.get_by_role("button", name="Play").click()
    expect(frame.get_by_role("table", name="x.grad").get_by_role("cell")).to_have_text(["3", "30"])


def test_the_frame_plays_without_a_server(blank: Page) -> None:
    blank.context.set_offline(True)
    complaints: list[str] = []
    blank.on("pageerror", lambda error: complaints.append(str(error)))
    blank.set_content(f"<!doctype html><title>A notebook</title>{gradflow.show(SOURCE)._repr_html_()}")
    expect_it_plays(blank.frame_locator("iframe"))
    assert complaints == []


def test_a_program_that_fails_is_shown_as_far_as_it_came(blank: Page) -> None:
    player = gradflow.show("import torch\nx = torch.ones(2, requires_grad=True)\ny = 3 * x\ny.backward()")
    blank.set_content(player._repr_html_())
    frame = blank.frame_locator("iframe")
    expect(frame.get_by_role("group", name="tensor y")).to_be_visible()
    expect(frame.get_by_text("failed in line 4")).to_be_visible()


def answers(address: str) -> bool:
    """Whether a server listens: JupyterLab tells its address before it does."""
    host, _, port = address.removeprefix("http://").partition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return False
    return True


@pytest.fixture
def jupyter(tmp_path: Path) -> Iterator[str]:
    """The address of a JupyterLab with one notebook."""
    pytest.importorskip("jupyterlab")
    show = f"import gradflow\ngradflow.show({SOURCE!r})"
    sources = [show, "%load_ext gradflow", f"%%gradflow --height 460\n{SOURCE}"]
    cells = [
        {"cell_type": "code", "id": f"c{k}", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        for k, source in enumerate(sources)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    content = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "gradients.ipynb").write_text(json.dumps(content), encoding="utf-8")
    options = [
        "--no-browser",
        "--allow-root",
        "--port=0",
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={tmp_path}",
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "jupyterlab", *options]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = next(found[0] for line in server.stderr if (found := re.search(r"http://127\.0\.0\.1:\d+", line)))
        # It logs to its very end, and what nobody reads would hold it up.
        reader = Thread(target=server.stderr.read)
        reader.start()
        while not answers(address):
            assert server.poll() is None
        yield address
        server.terminate()
        reader.join()


def test_cells_of_jupyterlab_play(blank: Page, jupyter: str) -> None:
    blank.goto(f"{jupyter}/lab/tree/gradients.ipynb")
    expect(blank.locator(".jp-Notebook")).to_be_visible()
    expect(blank.get_by_text(re.compile(r"\| Idle")).first).to_be_visible()  # in the status bar
    blank.get_by_role("menuitem", name="Run").first.click()
    blank.get_by_text("Run All Cells", exact=True).click()
    for k in range(2):
        expect_it_plays(blank.frame_locator("iframe[title=Gradflow]").nth(k))
