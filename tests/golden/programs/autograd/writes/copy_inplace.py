import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
buf = torch.empty(3)
buf.copy_(x * 2)
print(buf, buf.grad_fn)
buf.sum().backward()
print(x.grad)
