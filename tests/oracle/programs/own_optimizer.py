import torch

class Signs(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad.sign(), alpha=-group["lr"])

a = torch.tensor([2.0, 3.0], requires_grad=True)
opt = Signs([a], 0.5)
for _ in range(2):
    opt.zero_grad()
    (a * a).sum().backward()
    opt.step()
