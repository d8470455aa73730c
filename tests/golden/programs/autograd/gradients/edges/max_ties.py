import torch
x = torch.tensor([1., 3., 3., 2.], requires_grad=True)
x.max().backward()
print(x.grad)
x.grad = None
x.max(0).values.backward()
print(x.grad)
x.grad = None
torch.maximum(x, torch.tensor(3.)).sum().backward()
print(x.grad)
x.grad = None
x.amax().backward()
print(x.grad)
