import torch
x = torch.tensor(1., requires_grad=True)
steps = 0
while abs(x.item() ** 2 - 2) > 1e-5:
    y = x ** 2 - 2
    y.backward()
    x = (x - y / x.grad).detach().requires_grad_()
    steps += 1
print(steps, x)
