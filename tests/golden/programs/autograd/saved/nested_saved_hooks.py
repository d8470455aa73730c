import torch
x = torch.tensor([1., 2.], requires_grad=True)
H = torch.autograd.graph.saved_tensors_hooks
with H(lambda t: (print("outer"), t)[1], lambda t: t):
    a = x ** 2
    with H(lambda t: (print("inner"), t)[1], lambda t: t):
        b = a ** 2
    c = b ** 2
c.sum().backward()
print(x.grad)
