import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
with torch.no_grad():
    y.requires_grad_(True)
    z = y * 2
print(z.requires_grad, z.is_leaf)
z.requires_grad_()
z.sum().backward()
print(z.grad, x.grad)
with torch.no_grad():
    a = torch.ones(2, requires_grad=True)
    b = torch.nn.Parameter(torch.ones(2))
    c = torch.zeros(2).requires_grad_()
print(a.requires_grad, b.requires_grad, c.requires_grad)
(a * b * c).sum().backward()
print(a.grad, b.grad, c.grad)
with torch.no_grad():
    w = a * b
    print(w.requires_grad)
    with torch.enable_grad():
        v = a * b
        print(v.requires_grad)
        v.sum().backward()
print(a.grad)
with torch.no_grad():
    try:
        (a * b).sum().backward()
    except RuntimeError as e:
        print(e)
