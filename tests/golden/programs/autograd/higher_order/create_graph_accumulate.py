import torch
x = torch.tensor([1., 2.], requires_grad=True)
(x ** 3).sum().backward(create_graph=True)
print(x.grad)
g = x.grad
(x ** 2).sum().backward()
print(x.grad, g is x.grad, g)
