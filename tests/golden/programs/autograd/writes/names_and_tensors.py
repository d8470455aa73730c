import torch
x = torch.tensor([1., 2., 3.])
y = x
y += 1
print(x, x is y)
z = x
z = z + 1
print(x, z)
def inc(t): t += 1; return t
def inc2(t): t = t + 1; return t
print(inc(x) is x, inc2(x) is x, x)
w = torch.tensor([1.], requires_grad=True)
try:
    inc(w)
except RuntimeError as e:
    print(e)
print(inc2(w))
v = w
try:
    v -= 0.1
except RuntimeError as e:
    print(e)
print(w)
w = w - 0.1
print(w, w.is_leaf)
w.sum().backward()
print(w.grad, v.grad)
