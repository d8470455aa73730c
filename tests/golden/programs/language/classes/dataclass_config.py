from dataclasses import dataclass, field
import torch
@dataclass
class Config:
    lr: float = 0.1
    steps: int = 3
    name: str = "sgd"
    sizes: list = field(default_factory=list)
c = Config(lr=0.5)
print(c, c.lr, c == Config(lr=0.5))
w = torch.tensor([1., 2.], requires_grad=True)
for step in range(c.steps):
    loss = (w ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= c.lr * w.grad
    w.grad.zero_()
print(w)
Config(1, 2, 3, 4, 5)
