import torch
x = torch.tensor([1., -2., 3.], requires_grad=True)
y = torch.tensor([10., 20., 30.], requires_grad=True)
z = torch.where(x > 0, x * 2, y)
print(z, torch.where(x > 0, 1.0, 0.0))
z.backward(torch.tensor([1., 10., 100.]))
print(x.grad, y.grad)
