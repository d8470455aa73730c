import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = x * x + torch.sin(x)

# x is used three times; its three shares are added.
y.backward(torch.ones(2))
print(x.grad)
print(2 * x + torch.cos(x))
