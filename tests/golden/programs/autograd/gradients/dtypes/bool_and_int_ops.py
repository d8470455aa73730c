import torch
x = torch.tensor([1., -2.], requires_grad=True)
m = x > 0
print(m, m.requires_grad, m.grad_fn)
print((x * m).grad_fn, (x * m))
print(x.argmax().requires_grad, x.sign(), x.round())
(x * m).sum().backward()
print(x.grad)
