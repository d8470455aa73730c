import torch
a, b, c, d, e = [torch.tensor(float(i), requires_grad=True) for i in range(5)]
for n, t in zip("abcde", (a, b, c, d, e)):
    t.register_hook(lambda g, n=n: print(n, g))
y = (a * b + c) * (d + e * a) + b
y.backward()
