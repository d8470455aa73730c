import torch
b=torch.arange(3.)
for s in [(2,1,3),(1,3),(2,3),(1,1,3)]:
    print(s, b.expand(s).stride(), b.expand(s).clone().stride())
for base in [torch.ones(3,1), torch.ones(1,3), torch.ones(1,1), torch.ones(1), torch.ones(2,1,3), torch.ones(()), torch.ones(2,3).t()]:
    for s in [(3,3),(1,3,3),(2,3,3),(2,1,3),(2,2,3),(1,),(2,1),(1,1),(1,1,1),(3,1),(1,3,1),(2,3,1),(3,2),(1,3,2),(4,2,1,3),(1,2,1,3)]:
        try: print(base.shape, s, base.expand(s).stride())
        except RuntimeError as e: pass
        try: print(base.shape, s, base.broadcast_to(s).stride())
        except RuntimeError as e: pass
print(torch.ones(2,1,3).expand(-1,1,-1).stride(), torch.ones(2,3)[:,None].expand(2,1,3).stride())

x = torch.arange(6.0).reshape(2, 3)
for k in range(-1, 5):
    turned = torch.rot90(x, k)
    print(turned, turned.stride(), torch.rot90(x.t(), k).stride())
print(torch.rot90(torch.ones(2, 3, 4), 1, (0, 2)).stride())
print(torch.stack((x.t(), x.t())).stride(), torch.cat((x.t(), x.t())).stride())
grown = torch.ones(3).expand(1, 1, 3)
grown.add_(1)
print(grown, grown.is_contiguous())
w = torch.ones(3, requires_grad=True)
(w.expand(2, 1, 3) * x[:, None]).sum().backward()
print(w.grad)


def attempt(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, error)


a, b = torch.ones(2), torch.ones(2, 3)
for d in (0, 2, 3, -1, -3, -4):
    attempt(d, lambda: torch.stack((a, b), d))
    attempt(d, lambda: torch.stack((b, a), d))
layer = torch.nn.LayerNorm(3)
attempt("mixed", lambda: layer(torch.ones(3, 2).double()))
attempt("shape", lambda: layer(torch.ones(3, 2)))
attempt("integers", lambda: layer(torch.ones(2, 3).long()))
