import torch
x = torch.tensor([0.5, -1.5, 2.], requires_grad=True)
y = x.clone()
y.clamp_(-1, 1)
y.exp_()
y.neg_()
print(y)
y.sum().backward()
print(x.grad)
