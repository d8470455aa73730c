import torch
x = torch.tensor(2., requires_grad=True)
y = x ** 2
z = y ** 3
print(torch.autograd.grad(z, y))
print(torch.autograd.grad(y, x))
try:
    z.backward()
except RuntimeError:
    print("z freed")
