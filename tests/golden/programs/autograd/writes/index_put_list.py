import torch
x = torch.zeros(2, 3, requires_grad=True)
v = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = x + 1
y[:, [0, 2]] = v
print(y)
y.backward(torch.arange(6.).reshape(2, 3))
print(x.grad)
print(v.grad)
