"""A scripted module kept in a buffer and used again."""
import io

import torch
from torch import nn


class Shift(nn.Module):
    def __init__(self):
        super().__init__()
        self.by = nn.Parameter(torch.tensor([1.0, 2.0]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x + self.by)


scripted = torch.jit.script(Shift())
buffer = io.BytesIO()
torch.jit.save(scripted, buffer)
buffer.seek(0)
again = torch.jit.load(buffer)
x = torch.zeros(2)
print(torch.equal(again(x), scripted(x)), list(again.state_dict()))
again(x).sum().backward()
print(again.by.grad, scripted.by.grad)
