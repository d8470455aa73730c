import torch
x = torch.arange(6., requires_grad=True)
i = torch.tensor([0, 0, 5])
y = x[i]
print(y)
y.backward(torch.tensor([1., 10., 100.]))
print(x.grad)
