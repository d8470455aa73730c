import torch
x = torch.tensor([1., 2.], requires_grad=True)
(x * 2).sum().backward()
g = x.grad
(x * 3).sum().backward()
print(g is x.grad, g)
x.grad = None
(x * 2).sum().backward()
print(g, x.grad, g is x.grad)
x.grad.zero_()
print(x.grad)
x.grad.data.fill_(1)
print(x.grad)
x.grad.detach_()
x.grad *= 2
print(x.grad, x.grad.requires_grad)
h = torch.ones(2)
y = x * h
y.backward(h)
print(x.grad, h)
h.add_(1)
print(x.grad)
x.grad = None
(x * x).sum().backward(create_graph=True)
print(x.grad)
first = x.grad
(x * x).sum().backward()
print(x.grad is first, x.grad)
