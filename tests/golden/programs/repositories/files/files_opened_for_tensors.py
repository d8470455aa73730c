"""Tensors through opened files and buffers."""
import io
import pickle
import tempfile

import torch
from torch import nn

torch.manual_seed(0)
with tempfile.NamedTemporaryFile(suffix=".pt") as file:
    torch.save({"w": torch.arange(3.0)}, file.name)
    print(torch.load(file.name))
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/a.pt", "wb") as file:
        torch.save(nn.Linear(2, 1).state_dict(), file)
    with open(folder + "/a.pt", "rb") as file:
        state = torch.load(file, weights_only=True)
    print({name: value.shape for name, value in state.items()})
    with open(folder + "/b.pkl", "wb") as file:
        pickle.dump({"losses": [0.5, 0.25]}, file)
    with open(folder + "/b.pkl", "rb") as file:
        print(pickle.load(file))
buffer = io.BytesIO()
x = torch.ones(2, requires_grad=True)
torch.save(x * 2, buffer)
buffer.seek(0)
print(torch.load(buffer), buffer.seekable(), buffer.closed)
with io.StringIO() as text:
    print(x, file=text)
    print(repr(text.getvalue()))
