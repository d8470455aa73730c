import torch
x = torch.tensor([[1.], [2.]], requires_grad=True)
y = x.expand(2, 3)
print(y)
y.backward(torch.arange(6.).reshape(2, 3))
print(x.grad)
