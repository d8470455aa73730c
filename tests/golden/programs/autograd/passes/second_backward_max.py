import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.max()
y.backward()
y.backward()
