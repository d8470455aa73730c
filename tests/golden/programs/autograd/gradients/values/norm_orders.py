import torch
x = torch.tensor([[3., -4.], [0., 5.]], requires_grad=True)
for p in (1, 2, 3):
    x.grad = None
    n = x.norm(p)
    n.backward()
    print(p, n, x.grad)
n = x.norm(dim=1)
print(n)
n.sum().backward()
print(x.grad)
