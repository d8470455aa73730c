import torch
def f(x):
    x = x.clone()
    x[0] = x[1] * x[2]
    x[1] += x[0]
    x[2:] *= x[:1]
    return x
x = torch.tensor([1., 2., 3., 4.], requires_grad=True)
y = f(x)
print(y)
print(torch.autograd.functional.jacobian(f, x.detach()))
y.sum().backward()
print(x.grad)
xd = torch.tensor([1., 2., 3., 4.], dtype=torch.double, requires_grad=True)
print(torch.autograd.gradcheck(f, (xd,)), torch.autograd.gradgradcheck(f, (xd,)))
