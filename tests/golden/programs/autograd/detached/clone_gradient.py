import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x.clone()
y[0] = 5
print(x, y)
y.sum().backward()
print(x.grad)
