import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x[1:]
y.backward(torch.ones(2))
y.backward(torch.ones(2))
print(x.grad)
