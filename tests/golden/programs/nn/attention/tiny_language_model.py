"""A character model with causal self-attention written by hand."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self, width, size, block):
        super().__init__()
        self.key = nn.Linear(width, size, bias=False)
        self.query = nn.Linear(width, size, bias=False)
        self.value = nn.Linear(width, size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block, block)))

    def forward(self, x):
        B, T, C = x.shape
        k, q = self.key(x), self.query(x)
        weights = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        weights = weights.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        return F.softmax(weights, dim=-1) @ self.value(x)


class Model(nn.Module):
    def __init__(self, vocabulary, width, block):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.heads = nn.ModuleList([Head(width, width // 2, block) for _ in range(2)])
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, vocabulary)

    def forward(self, ids, targets=None):
        B, T = ids.shape
        x = self.tokens(ids) + self.positions(torch.arange(T))
        x = x + torch.cat([head(x) for head in self.heads], dim=-1)
        logits = self.out(self.norm(x))
        if targets is None:
            return logits
        return F.cross_entropy(logits.view(B * T, -1), targets.view(B * T))


text = "hello world, hello gradient"
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text])
torch.manual_seed(0)
model = Model(len(chars), 16, 8)
print(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for step in range(6):
    starts = torch.randint(len(ids) - 9, (4,))
    x = torch.stack([ids[i : i + 8] for i in starts])
    y = torch.stack([ids[i + 1 : i + 9] for i in starts])
    loss = model(x, y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.3f}")
print(list(model.state_dict())[:6])
