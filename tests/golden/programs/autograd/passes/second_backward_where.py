import torch
x = torch.tensor([1., -2., 3.], requires_grad=True)
y = torch.where(x > 0, x, -x)
y.backward(torch.ones(3))
y.backward(torch.ones(3))
