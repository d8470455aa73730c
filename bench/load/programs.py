"""What learners send, and what those send who mean ill."""

from __future__ import annotations

from typing import Any, Final

FIRST: Final[dict[str, Any]] = {
    "source": "c = a.mm(b)",
    "inputs": {"a": [[1, 2], [3, 4]], "b": [[1, 2, 3], [4, 5, 6]]},
    "gradient": [[1, 1, 1], [1, 1, 1]],
}
_LESSONS: Final = (
    "import torch\nx = torch.tensor([1., 2., 3.], requires_grad=True)\ny = (x ** 2 * {n}).sum()\ny.backward()\n",
    "import torch\na = torch.full((2, 2), {n}., requires_grad=True)\nb = torch.ones(2, 3, requires_grad=True)\n"
    "c = a @ b\nc.backward(torch.ones(2, 3))\n",
    "import torch\nimport torch.nn as nn\ntorch.manual_seed({n})\nmodel = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))\n"
    "loss = model(torch.ones(2, 3)).pow(2).mean()\nloss.backward()\n",
    "import torch\nw = torch.tensor(0.{n}, requires_grad=True)\nfor step in range(5):\n    loss = (w * 3 - 1) ** 2\n"
    "    loss.backward()\n    with torch.no_grad():\n        w -= 0.05 * w.grad\n    w.grad.zero_()\n",
    "import torch\nx = torch.tensor([{n}., 1.], requires_grad=True)\ny = x * 2\ny.backward()\n",  # an error, as beginners make
)


def changed(who: int, turn: int) -> dict[str, Any]:
    """The program of a learner, who has changed a number since."""
    return {"source": _LESSONS[(who + turn // 4) % len(_LESSONS)].format(n=1 + who * 1000 + turn)}


_LONG: Final = "x = torch.ones(3, requires_grad=True)\n" + "x = x * 1.0001 + 0.5\n" * 3000


def hostile(who: int, turn: int) -> dict[str, Any]:
    """Endless loops, memory bombs, and programs of 64 KiB; no two the same."""
    note = f"# {who} {turn}\n"
    kinds = (
        "while True:\n    pass\n",
        "import torch\nkept = []\nwhile True:\n    kept.append(torch.ones(1000, 1000))\n",
        ("import torch\n" + _LONG)[: 65_000 - len(note)].rpartition("\n")[0] + "\n",
        "x = 'a'\nwhile True:\n    x += x\n",
        "def f(n):\n    return f(n + 1)\nwhile True:\n    try:\n        f(0)\n    except RecursionError:\n        pass\n",
    )
    return {"source": note + kinds[(who + turn) % len(kinds)]}
