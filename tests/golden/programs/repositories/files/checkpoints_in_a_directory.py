"""Checkpoints as training scripts write them: a directory, the best one, resuming, and tidying up."""
import os
import tempfile
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(16, 3), torch.randn(16, 1)


def fresh():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def step(model, optimizer):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


with tempfile.TemporaryDirectory() as root:
    folder = Path(root) / "checkpoints" / "run"
    folder.mkdir(parents=True, exist_ok=True)
    print(folder.exists(), os.path.isdir(folder), list(folder.iterdir()))
    model, optimizer = fresh()
    for epoch in range(4):
        loss = step(model, optimizer)
        state = {"epoch": epoch, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save(state, folder / f"epoch_{epoch}.pt")
    print(sorted(os.listdir(folder)))
    print(sorted(found.stem for found in folder.glob("*.pt")))
    for old in sorted(folder.glob("*.pt"))[:-1]:
        old.unlink()
    latest = os.path.join(str(folder), "epoch_3.pt")
    print(os.path.exists(latest), os.path.isfile(os.path.join(str(folder), "epoch_0.pt")))
    kept = torch.load(latest, weights_only=True)
    again, resumed = fresh()
    print(again.load_state_dict(kept["model"]), kept["epoch"])
    resumed.load_state_dict(kept["optimizer"])
    print(round(step(model, optimizer), 5) == round(step(again, resumed), 5))
    try:
        torch.load(os.path.join(root, "none.pt"))
    except FileNotFoundError as error:
        print(type(error).__name__, error.errno)
print(os.path.exists(latest))
