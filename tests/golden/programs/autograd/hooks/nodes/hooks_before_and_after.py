import torch
x = torch.ones(2, requires_grad=True)
y = (x * 2)
z = y.clone()
def a(g):
    print('a', g)
    return g * 2
def b(gi, go):
    print('b', gi, go)
    return (gi[0] * 3, ) + gi[1:]
y.register_hook(a)
y.grad_fn.register_hook(b)
y.grad_fn.register_prehook(lambda go: print('p', go))
z.sum().backward()
print(x.grad)
