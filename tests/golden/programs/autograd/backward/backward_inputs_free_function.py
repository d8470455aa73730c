import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x ** 2
z = x * 3
torch.autograd.backward([y, z], [torch.ones(2), torch.tensor([10., 100.])])
print(x.grad)
