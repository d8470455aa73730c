import torch
x = torch.tensor(3., requires_grad=True)
x.backward()
print(x.grad)
x.backward(torch.tensor(5.))
print(x.grad)
v = torch.ones(2, requires_grad=True)
v.backward(torch.tensor([1., 2.]))
print(v.grad)
