import torch
x = torch.tensor([-1., 0., 1., float('nan')], requires_grad=True)
y = torch.relu(x)
print(y)
y.sum().backward()
print(x.grad)
