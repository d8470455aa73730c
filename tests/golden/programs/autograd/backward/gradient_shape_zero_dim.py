import torch
x = torch.tensor([1.], requires_grad=True)
y = x * 2
y.backward(torch.tensor(1.))
