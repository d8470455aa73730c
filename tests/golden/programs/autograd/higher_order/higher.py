import torch
x = torch.tensor(2., requires_grad=True)
y = x ** 4
for k in range(6):
    try:
        g, = torch.autograd.grad(y, x, create_graph=True)
    except RuntimeError as e:
        print(e)
        break
    print(k + 1, g)
    y = g
a = torch.tensor([1., 2.], requires_grad=True)
f = (a.sin() * a.exp()).sum()
g1, = torch.autograd.grad(f, a, create_graph=True)
g2, = torch.autograd.grad(g1.sum(), a, create_graph=True)
g3, = torch.autograd.grad(g2.sum(), a)
print(g1, g2, g3, sep="\n")
H = torch.stack([torch.autograd.grad(g, a, retain_graph=True)[0] for g in g1])
print(H)
b = torch.randn(3, requires_grad=True)
p = torch.autograd.grad((b ** 2).sum(), b, create_graph=True)[0].norm()
p.backward()
print(torch.allclose(b.grad, 2 * b / b.norm()))
q = torch.tensor([3., 4.], requires_grad=True)
n = q.norm()
gn, = torch.autograd.grad(n, q, create_graph=True)
print(gn)
print(torch.autograd.grad(gn[0], q, retain_graph=True), torch.autograd.grad(gn[1], q))
