import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
p = torch.exp(x) / torch.exp(x).sum()
loss = -torch.log(p[2])
loss.backward()
print(p, loss)
print(x.grad)
