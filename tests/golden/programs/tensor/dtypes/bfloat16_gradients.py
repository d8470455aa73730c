import torch

x = torch.tensor([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]], dtype=torch.bfloat16, requires_grad=True)
w = torch.tensor([[0.3, -0.7], [0.11, 0.9], [-0.45, 0.2]], dtype=torch.bfloat16, requires_grad=True)
y = (x @ w).tanh()
print(y)
loss = (y.softmax(1) * y.sigmoid()).sum()
loss.backward(retain_graph=True)
print(loss, x.grad, w.grad)
loss.backward()
print(x.grad, w.grad)

p = torch.tensor([1.0, 2.0], requires_grad=True)
q = p.bfloat16()
print(q.grad_fn.name(), q)
(q * q * 0.3).sum().backward()
print(p.grad, p.grad.dtype)

a = torch.tensor([1.0, 3.0], dtype=torch.bfloat16, requires_grad=True)
b = torch.tensor([0.1, 0.2], requires_grad=True)
c = a * b
print(c)
c.sum().backward()
print(a.grad, b.grad)

g, = torch.autograd.grad((a ** 3).sum(), a, create_graph=True)
print(g, torch.autograd.grad(g.sum(), a))
try:
    a.grad = torch.ones(2)
except RuntimeError as error:
    print(error)
