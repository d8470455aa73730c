import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
old = y.sum()
y += 10
old.backward()
print(x.grad, y)
