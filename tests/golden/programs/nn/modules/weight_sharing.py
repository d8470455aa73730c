"""One matrix as embedding and output: one parameter under two names, whose gradients add."""
import torch
import torch.nn as nn


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 3)
        self.out = nn.Linear(3, 5, bias=False)
        self.out.weight = self.embedding.weight

    def forward(self, ids):
        return self.out(self.embedding(ids))


torch.manual_seed(0)
model = Tied()
print([name for name, _ in model.named_parameters()])
print([name for name, _ in model.named_parameters(remove_duplicate=False)])
print(list(model.state_dict()), sum(p.numel() for p in model.parameters()))
loss = nn.functional.cross_entropy(model(torch.tensor([0, 1, 4])), torch.tensor([1, 2, 0]))
loss.backward()
print(f"{loss.item():.4f}", model.embedding.weight.grad is model.out.weight.grad)
print(model.out.weight.grad)
shared = nn.Linear(2, 2)
net = nn.Sequential(shared, nn.ReLU(), shared)
print(net, len(list(net.parameters())), len(list(net.modules())))
