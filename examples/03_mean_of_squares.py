import torch

x = torch.ones(2, 2, requires_grad=True)
y = x + 2
z = 3 * y * y
out = z.mean()
print(z)
print(out)

out.backward()
print(x.grad)  # 3 * 2 * (x + 2) / 4
