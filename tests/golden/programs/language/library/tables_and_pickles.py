import csv
import io
import pickle
import contextlib
from pathlib import Path

import torch

w = torch.ones(2, requires_grad=True)
kept = pickle.loads(pickle.dumps({"w": w, "n": (1, {2, 3})}))
print(kept, kept["w"] is w)
out = io.StringIO()
rows = csv.writer(out)
rows.writerow(["epoch", "loss, mean"])
rows.writerow([1, w.sum().item()])
print(out.getvalue())
print(list(csv.DictReader(io.StringIO("x,y\n1,2\n"))))
path = Path("runs") / "a" / "model.tar.gz"
print(path, path.name, path.stem, path.suffix, path.parent, path.exists(), repr(path))
with contextlib.redirect_stdout(io.StringIO()) as held:
    print("kept", w.grad)
print(held.getvalue())
try:
    Path("none.txt").read_text()
except FileNotFoundError as error:
    print(error)
