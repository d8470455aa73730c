import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x.tanh()
y.data.zero_()
print(y._version)
y.sum().backward()
print(x.grad)
