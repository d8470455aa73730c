import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.clone()
it = iter(y)
first = next(it)
print(first, first.grad_fn)
try:
    first += 1
except RuntimeError as e:
    print(e)
for i in range(3):
    y[i] += i
print(y, y.grad_fn, y._version)
total = 0
for v in y:
    total = total + v ** 2
total.backward()
print(x.grad)
for i, v in enumerate(x):
    print(i, v, v.is_leaf)
    break
p, q, r = x
(p * q * r).backward()
print(x.grad)
