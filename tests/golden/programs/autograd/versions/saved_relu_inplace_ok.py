import torch
x = torch.tensor([-1., 2.], requires_grad=True)
y = (x * 3).relu_()
print(y)
y.sum().backward()
print(x.grad)
