import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
y.backward(torch.tensor([1, 2]))
print(x.grad)
(x * 2).backward(torch.tensor([0.5, 0.5], dtype=torch.float64))
print(x.grad, x.grad.dtype)
