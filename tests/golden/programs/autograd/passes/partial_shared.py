import torch
x = torch.tensor(3., requires_grad=True)
h = x ** 2
y1 = h * 2
y2 = h * 3
y1.backward()
print(x.grad)
try:
    y2.backward()
except RuntimeError as e:
    print(type(e).__name__, str(e).split(".")[0])
print(x.grad)
x.grad = None
h = x ** 2
y1, y2 = h * 2, h * 3
y1.backward(retain_graph=True)
y2.backward()
print(x.grad)
x.grad = None
h = x + 1
y1, y2 = h * 2, h * 3
y1.backward()
y2.backward()
print(x.grad)
l = [x * i for i in range(3)]
t = sum(l)
print(t, t.grad_fn)
t.backward()
print(x.grad)
u = x.exp()
torch.autograd.grad(u, x)
try:
    torch.autograd.grad(u, x)
except RuntimeError as e:
    print(str(e)[:50])
