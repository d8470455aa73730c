import torch
x = torch.tensor([2., 0., 3.], requires_grad=True)
x.prod().backward()
print(x.grad)
z = torch.tensor([0., 0., 3.], requires_grad=True)
z.prod().backward()
print(z.grad)
