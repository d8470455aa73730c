import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y.exp()
z.grad_fn.register_prehook(lambda g: print("pre", g))
z.grad_fn.register_hook(lambda gi, go: print("post", gi, go))
h = y.grad_fn.register_prehook(lambda g: (g[0] * 0 + 1,))
z.sum().backward()
print(x.grad)
