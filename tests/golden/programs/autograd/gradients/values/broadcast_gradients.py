import torch
a = torch.ones(2, 3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
c = torch.ones(2, 1, requires_grad=True)
d = torch.tensor(2., requires_grad=True)
y = a * b + c / d - b
y.sum().backward()
for t in (a, b, c, d):
    print(t.grad)
