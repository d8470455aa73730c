import torch
x = torch.tensor([1., 2.], requires_grad=True)
x.data[0] = 10
x.data *= 2
print(x, x.data, x._version)
x.data = torch.tensor([5., 6., 7.])
print(x)
