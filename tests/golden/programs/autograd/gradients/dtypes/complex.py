import torch
z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
y = (z * z.conj()).real.sum()
print(y)
y.backward()
print(z.grad)
w = torch.tensor([3 + 4j], requires_grad=True)
w.abs().sum().backward()
print(w.grad)
try:
    (w * 2).sum().backward()
except RuntimeError as e:
    print(e)
