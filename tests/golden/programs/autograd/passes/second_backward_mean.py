import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x.mean()
y.backward()
y.backward()
print(x.grad)
