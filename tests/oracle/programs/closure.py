import torch

x = torch.tensor([1.5, -0.5], requires_grad=True)
opt = torch.optim.Adagrad([x], lr=0.1)

def closure():
    opt.zero_grad()
    loss = (x ** 4).sum() - x.prod()
    loss.backward()
    return loss

for _ in range(3):
    opt.step(closure)
print(x.grad)
