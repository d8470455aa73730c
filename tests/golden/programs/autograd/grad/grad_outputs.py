import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x ** 2
print(torch.autograd.grad(y, x, grad_outputs=torch.tensor([1., 10.])))
