import torch
x = torch.tensor([1., -1.], requires_grad=True)
out = torch.zeros(2)
out[x > 0] = x[x > 0]
print(out, out.grad_fn)
out.sum().backward()
print(x.grad)
