import torch
x = torch.tensor(2., requires_grad=True)
y = x ** 2
with torch.no_grad():
    y.backward()
    print(x.grad)
    g, = torch.autograd.grad(torch.autograd.functional.vjp(lambda t: t ** 2, x)[0], x, allow_unused=True) if False else (None,)
    print(g)
