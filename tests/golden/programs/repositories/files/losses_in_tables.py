"""What a script writes beside its training: a table, settings, a log; and what it reads again."""
import csv
import json
import os
import tempfile

import torch

folder = tempfile.mkdtemp()
settings = {"lr": 0.1, "steps": 3, "shape": [2, 2]}
with open(os.path.join(folder, "settings.json"), "w") as file:
    json.dump(settings, file, indent=2)
with open(os.path.join(folder, "settings.json")) as file:
    read = json.load(file)
print(read == settings, read)

w = torch.ones(*read["shape"], requires_grad=True)
path = os.path.join(folder, "losses.csv")
with open(path, "w", newline="") as file:
    rows = csv.DictWriter(file, fieldnames=["step", "loss"])
    rows.writeheader()
    for step in range(read["steps"]):
        loss = (w**2).sum()
        loss.backward()
        with torch.no_grad():
            w -= read["lr"] * w.grad
        w.grad = None
        rows.writerow({"step": step, "loss": f"{loss.item():.4f}"})
with open(path) as file:
    for row in csv.DictReader(file):
        print(row["step"], float(row["loss"]))
with open(path) as file:
    print(sum(1 for _ in file), os.path.getsize(path) > 10)
log = os.path.join(folder, "log.txt")
for line in ("first", "second"):
    with open(log, "a") as file:
        print(line, file=file)
with open(log) as file:
    print(file.read().splitlines(), sorted(os.listdir(folder)))
for wrong in (lambda: open(os.path.join(folder, "none")), lambda: open(folder), lambda: open(log, "z")):
    try:
        wrong()
    except (OSError, ValueError) as error:
        print(type(error).__name__)
for name in os.listdir(folder):
    os.remove(os.path.join(folder, name))
os.rmdir(folder)
print(os.path.exists(folder))
