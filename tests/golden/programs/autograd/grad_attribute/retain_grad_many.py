import torch
w = torch.tensor([1., 2.], requires_grad=True)
a = w * 2
b = a + 1
c = (a * b).sum()
a.retain_grad()
b.retain_grad()
c.retain_grad()
w.retain_grad()
print(a.retains_grad, w.retains_grad, c.retains_grad)
c.backward(retain_graph=True)
print(a.grad, b.grad, c.grad, w.grad, sep="\n")
c.backward()
print(a.grad, b.grad, c.grad, w.grad, sep="\n")
a.grad.zero_()
print(a.grad)
d = torch.ones(2)
try:
    d.retain_grad()
except RuntimeError as e:
    print(e)
with torch.no_grad():
    e_ = w * 2
try:
    e_.retain_grad()
except RuntimeError as e:
    print(e)
z = (w * 2).detach().requires_grad_()
z.retain_grad()
print(z.retains_grad)
