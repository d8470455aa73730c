import torch
x = torch.tensor([1., 2.], requires_grad=True)
(x * 2).sum().backward()
g = x.grad
x.grad.zero_()
print(g)
x.grad += 5
print(g, x.grad)
