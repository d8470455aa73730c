import torch
class Model:
    def __init__(self):
        self.w = torch.ones(2, requires_grad=True)
    @torch.no_grad()
    def step(self, lr):
        self.w -= lr * self.w.grad
        return self.w.requires_grad, torch.is_grad_enabled()
m = Model()
(m.w * 2).sum().backward()
print(m.step(0.1), m.w)
