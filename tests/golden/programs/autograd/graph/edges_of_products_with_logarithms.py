import torch
x = torch.tensor([1.5, 2.5], requires_grad=True)
for f in [torch.xlogy, torch.special.xlog1py, torch.special.zeta]:
    for y in [f(x, 2.0), f(2.0, x), f(x, x)]:
        print(y.grad_fn.name(), len(y.grad_fn.next_functions), [n is None for n, _ in y.grad_fn.next_functions])
z = x.clone().xlogy_(2.0)
print(z.grad_fn.name(), z.grad_fn.next_functions[0][0].name(), len(z.grad_fn.next_functions))
z.sum().backward()
print(x.grad)
try:
    torch.special.zeta(x, 2.0).sum().backward()
except NotImplementedError as e:
    print(e)
g, = torch.autograd.grad(torch.special.xlog1py(2.0, x).sum(), x, create_graph=True)
print(g, torch.autograd.grad(g.sum(), x))
