import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
acc = y.grad_fn.next_functions[0][0]
print(acc.variable is x, acc.name(), acc)
acc.register_prehook(lambda g: print("acc pre", g))
acc.register_hook(lambda gi, go: print("acc post", gi, go))
x.register_hook(lambda g: print("tensor", g))
y.sum().backward()
