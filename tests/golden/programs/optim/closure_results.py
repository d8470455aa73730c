"""What a closure of L-BFGS may give back."""

import torch

w = torch.tensor([2.0], requires_grad=True)
opt = torch.optim.LBFGS([w], lr=0.5)


def closure():
    opt.zero_grad()
    loss = (w - 1).pow(2)
    loss.backward()
    return loss


print(opt.step(closure))


def c2():
    opt.zero_grad()
    loss = (w - 1).pow(2)
    loss.backward()
    return torch.cat([loss, loss])


try:
    opt.step(c2)
except Exception as e:
    print(type(e).__name__, e)
for back in (True, "3.5", torch.tensor([[2]]), 1j, "a", [1.0], torch.tensor(2j)):
    try:
        print(opt.step(lambda given=back: given))
    except Exception as e:
        print(type(e).__name__, e)
