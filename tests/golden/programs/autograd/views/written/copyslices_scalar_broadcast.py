import torch
s = torch.tensor(2., requires_grad=True)
y = torch.zeros(2, 2)
y[:, 1] = s
y[0] = y[0] + s
print(y)
y.sum().backward()
print(s.grad)
