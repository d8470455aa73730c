import torch
a = torch.tensor(2., requires_grad=True)
b = torch.tensor(3., requires_grad=True)
c = torch.tensor(4., requires_grad=True)
d = a * b + b * c + c * a
d.backward()
print(a.grad, b.grad, c.grad)
