import torch
x = torch.tensor([-1., 4.], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    for f in (lambda t: torch.log(t), lambda t: torch.sqrt(t), lambda t: t ** 0.5, lambda t: torch.acos(t), lambda t: (t - t) / (t - t)):
        try:
            f(x).sum().backward()
            print("fine", x.grad)
        except RuntimeError as e:
            print(e)
    y = x * 1
    z = y * y
    y += 1
    try:
        z.sum().backward()
    except RuntimeError as e:
        print(e)
x.grad = None
z = torch.zeros(2, requires_grad=True)
n = z.norm()
g, = torch.autograd.grad(n, z, create_graph=True)
print(g, torch.autograd.grad(g.sum(), z))
print(torch.isnan((torch.sqrt(x)).detach()))
