import torch
x = torch.tensor([1., 2.], requires_grad=True)
def h(g):
    print('hook', g, g.requires_grad, g.grad_fn, g._version)
    g.mul_(10)
hd = x.register_hook(h)
y = x * 3
y.register_hook(lambda g: print('y', g) or g + 1)
y.sum().backward()
print(x.grad)
hd.remove()
hd.remove()
x.grad = None
(x * 2).sum().backward()
print(x.grad, x._backward_hooks)
