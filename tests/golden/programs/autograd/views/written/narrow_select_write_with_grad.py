import torch
base = torch.zeros(3, 2)
w = torch.tensor([1., 2.], requires_grad=True)
for i in range(3):
    base[i] = w * (i + 1)
print(base, base.grad_fn)
base.sum().backward()
print(w.grad)
