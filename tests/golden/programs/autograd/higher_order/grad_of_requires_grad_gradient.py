import torch
x = torch.tensor([1., 2.], requires_grad=True)
v = torch.ones(2, requires_grad=True)
y = x ** 3
gx, = torch.autograd.grad(y, x, grad_outputs=v, create_graph=True)
print(gx)
jv, = torch.autograd.grad(gx, v, torch.tensor([1., 10.]))
print(jv)
y = x ** 3
y.backward(v, create_graph=True)
print(x.grad)
x.grad.sum().backward()
print(x.grad, v.grad)
