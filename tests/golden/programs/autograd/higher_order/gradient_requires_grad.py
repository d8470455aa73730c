import torch
x = torch.tensor([1., 2.], requires_grad=True)
g = torch.tensor([3., 4.], requires_grad=True)
y = x ** 2
y.backward(g, create_graph=True)
print(x.grad)
x.grad.sum().backward()
print(g.grad)
