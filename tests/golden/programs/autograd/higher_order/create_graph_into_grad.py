import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = (x ** 3).sum()
y.backward(create_graph=True)
print(x.grad, x.grad.grad_fn, x.grad.requires_grad)
g = x.grad
x.grad = None
g.sum().backward()
print(x.grad, x.grad.grad_fn)
y = (x ** 3).sum()
x.grad = torch.zeros(2)
old = x.grad
y.backward(create_graph=True)
print(x.grad is old, old, x.grad)
(x ** 2).sum().backward()
print(x.grad)
