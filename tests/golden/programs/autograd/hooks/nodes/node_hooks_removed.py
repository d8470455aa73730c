import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x.exp()
z = y * 3
h = z.grad_fn.register_hook(lambda gi, go: print("post", gi, go))
p = z.grad_fn.register_prehook(lambda go: print("pre", go))
z.sum().backward(retain_graph=True)
h.remove(); p.remove()
y.grad_fn.register_prehook(lambda go: (go[0] * 2,))
y.grad_fn.register_hook(lambda gi, go: (gi[0] + 1,))
x.grad = None
z.sum().backward(retain_graph=True)
print(x.grad)
acc = y.grad_fn.next_functions[0][0]
print(acc.name(), acc.variable is x)
acc.register_hook(lambda gi, go: print("acc", gi, go))
acc.register_prehook(lambda go: print("accpre", go))
z.sum().backward()
print(x.grad)
