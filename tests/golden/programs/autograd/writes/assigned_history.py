import torch

w = torch.ones(3, requires_grad=True)


def n(x):
    def r(f, d=0):
        if f is None or d > 4:
            return None
        return (f.name(), [r(a[0], d + 1) for a in f.next_functions])

    return r(x.grad_fn)


x = torch.zeros(2, 3)
x[:] = w
print(n(x))
x = torch.zeros(2, 3)
x.copy_(w)
print(n(x))
x = torch.zeros(2, 3)
x[0] = w.view(1, 3)
print(n(x))
x = torch.zeros(2, 3)
x[0] = w
print(n(x))
x = torch.zeros(2, 3)
x[0] = w[:1]
print(n(x))
x = torch.zeros(2, 3)
x[0, 0] = w[:1]
print(n(x))
x = torch.zeros(2, 3)
x[...] = w
print(n(x))
x = torch.zeros(2, 3)
x[...] = torch.ones(2, 3, requires_grad=True)
print(n(x))
x = torch.zeros(2, 3)
x[:] = torch.ones(2, 3, requires_grad=True)
print(n(x))
x = torch.zeros(())
x[...] = torch.ones((), requires_grad=True)
print(n(x))
x = torch.zeros(())
x.copy_(torch.ones((), requires_grad=True))
print(n(x))
x = torch.zeros(2)
x[0] = torch.ones((), requires_grad=True)
print(n(x))
x = torch.zeros(2)
x[0] = torch.ones((1, 1), requires_grad=True)
print(n(x))
x = torch.zeros(2)
x[:] = torch.ones((), requires_grad=True)
print(n(x))
x = torch.zeros(2, 3)
x[torch.tensor([0])] = torch.ones((1, 1, 3), requires_grad=True)
print(n(x))
x = torch.zeros(2, 3)
x[torch.tensor([0])] = torch.ones((1, 3), requires_grad=True)
print(n(x))
x = torch.zeros(2, 3)
x[x == 0] = torch.ones((), requires_grad=True)
print(n(x))
x = torch.zeros(2, 3)
x[x == 0] = torch.ones(1, requires_grad=True)
print(n(x))
x = torch.zeros(2, 3)
x[0][1:] = w[1:]
print(n(x))
x = torch.zeros(2, 3)
x[:, x[0] == 0] = torch.ones((), requires_grad=True)
print(n(x))
x = torch.zeros(2, 3)
x[True] = w
print(n(x))
x = torch.zeros(2, 3)
x[None] = w
print(n(x))
x = torch.zeros(2, 3)
x[None, 0] = w
print(n(x))
x = torch.zeros(2, 3)
x[torch.tensor(True)] = w
print(n(x))
x = torch.zeros(2, 3)
x[torch.tensor(False)] = w
print(n(x))
x = torch.zeros(2, 3, requires_grad=True) * 1
x[torch.tensor(False)] = 1.0
print(n(x))
x = torch.zeros(2, 3, requires_grad=True) * 1
x[torch.tensor([True, False])] = 1.0
print(n(x))
x = torch.zeros(2, 3, requires_grad=True) * 1
x[0, torch.tensor([True, False, True])] = 1.0
print(n(x))
x = torch.zeros(2, 3, dtype=torch.float64)
x[0] = w
print(n(x))
x = torch.zeros(2, 3, dtype=torch.float64)
x[:] = w
print(n(x))
try:
    x = torch.zeros(2, 3)
    x[0] = torch.ones(2, requires_grad=True)
except Exception as e:
    print(e)
try:
    x = torch.zeros(2, 3)
    x.copy_(torch.ones(2, requires_grad=True))
except Exception as e:
    print(e)
try:
    x = torch.zeros(3)
    x[:] = torch.ones(2, 3)
except Exception as e:
    print(e)
try:
    x = torch.zeros(3)
    x.copy_(torch.ones(2, 3))
except Exception as e:
    print(e)
