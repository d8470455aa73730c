import torch

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x ** 2

y.backward(torch.ones(3), retain_graph=True)
print(x.grad)
y.backward(torch.ones(3))
print(x.grad)  # doubled: backward adds to .grad, it does not replace it
