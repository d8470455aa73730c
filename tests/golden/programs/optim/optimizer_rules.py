"""What optimizers refuse, print, save and call."""
import torch
import torch.nn as nn

w = nn.Parameter(torch.ones(2))
for make in (
    lambda: torch.optim.SGD([], lr=0.1), lambda: torch.optim.SGD(w, lr=0.1), lambda: torch.optim.SGD([w * 2], lr=0.1),
    lambda: torch.optim.SGD([w], lr=-1), lambda: torch.optim.Adam([w], betas=(1.0, 0.9)), lambda: torch.optim.Adam([w], eps=-1),
    lambda: torch.optim.SGD([3], lr=0.1), lambda: torch.optim.SGD([w], nesterov=True), lambda: torch.optim.SGD({w}, lr=0.1),
    lambda: torch.optim.Adadelta([w], rho=2), lambda: torch.optim.Rprop([w], etas=(2, 3)), lambda: torch.optim.Adagrad([w], lr_decay=-1),
    lambda: torch.optim.RMSprop([w], alpha=-1), lambda: torch.optim.SGD([{"params": [w]}, {"params": [w]}]),
    lambda: torch.optim.Adam([w], lr=0.1, bad=1), lambda: torch.optim.Adam([w], fused=True, foreach=True),
):
    try:
        make()
    except Exception as error:
        print(type(error).__name__, error)
optimizer = torch.optim.SGD([("weight", w)], lr=0.1, momentum=0.9)
print(optimizer.param_groups)
optimizer.register_step_pre_hook(lambda o, args, kwargs: print("before", args[0] is o, kwargs))
optimizer.register_step_post_hook(lambda o, args, kwargs: print("after"))


def closure():
    optimizer.zero_grad()
    loss = (w * torch.tensor([1.0, 2.0])).sum()
    loss.backward()
    return loss


print(optimizer.step(closure), w)
state = optimizer.state_dict()
print(state)
other = torch.optim.SGD([nn.Parameter(torch.zeros(2))], lr=0.5)
other.load_state_dict(state)
print(other, other.state_dict()["state"])
try:
    torch.optim.SGD([w, nn.Parameter(torch.ones(1))], lr=1).load_state_dict(state)
except ValueError as error:
    print(error)


class Custom(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.add_(p.grad, alpha=-group["lr"])
                    self.state[p]["steps"] = self.state[p].get("steps", 0) + 1


custom = Custom([w])
custom.register_step_post_hook(lambda o, args, kwargs: print("custom after"))
custom.step()
print(custom, w, custom.state[w])
