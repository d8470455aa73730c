import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = (x ** 2).sum()
y.backward(create_graph=True)
print(x.grad)
x.grad.sum().backward()
print(x.grad)
