import torch
x = torch.ones(3, requires_grad=True)
for new in [torch.ones(2), torch.ones(3, dtype=torch.float64), 1.0, [1., 1., 1.], torch.ones(3, 1), torch.tensor(1.), torch.ones(3, dtype=torch.long),
            torch.ones(3, dtype=torch.bool), torch.ones(3, dtype=torch.complex64), torch.ones(3, dtype=torch.half), x, "a"]:
    try:
        x.grad = new
        print("set", x.grad)
    except Exception as e:
        print(type(e).__name__, e)
x.grad = torch.ones(3) * 2
x.grad += 1
print(x.grad)
del x.grad
print(x.grad)
x.grad = torch.arange(3.)
(x * 2).sum().backward()
print(x.grad)
y = x * 2
y.grad = torch.ones(3)
print(y.grad)
i = torch.tensor([1, 2])
try:
    i.grad = torch.tensor([1, 2])
    print(i.grad)
except Exception as e:
    print(type(e).__name__, e)
n = torch.ones(2)
n.grad = torch.ones(2)
print(n.grad, n.requires_grad)
