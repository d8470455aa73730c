import torch
x = torch.tensor(0., requires_grad=True)
e = torch.tensor(0., requires_grad=True)
y = x ** e
y.backward()
print(y, x.grad, e.grad)
