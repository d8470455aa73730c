import torch
fs = [lambda x, k=k: x ** k for k in range(1, 4)]
x = torch.tensor(2., requires_grad=True)
ys = [f(x) for f in fs]
print(ys)
sum(ys).backward()
print(x.grad)
print({k: y.item() for k, y in zip('abc', ys)})
