import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = x[x > 1.5]
print(y)
y.backward(torch.tensor([1., 2., 3.]))
print(x.grad)
