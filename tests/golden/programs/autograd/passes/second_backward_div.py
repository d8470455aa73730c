import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x / 2
y.backward(torch.ones(2))
y.backward(torch.ones(2))
