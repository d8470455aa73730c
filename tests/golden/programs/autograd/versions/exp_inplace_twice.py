import torch
x = torch.tensor([0.5, 2.], requires_grad=True)
z = x.clone()
z.exp_()
z.exp_()
z.sum().backward()
print(x.grad)
