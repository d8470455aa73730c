import torch
x = torch.ones(3, requires_grad=True)
for bad in [5, 'a', [1., 1., 1.], torch.ones(2), torch.ones(3, dtype=torch.float64), torch.ones(3, dtype=torch.int64), x, torch.ones(3, 1)]:
    try:
        x.grad = bad
        print('ok', x.grad)
    except Exception as e:
        print(type(e).__name__, e)
x.grad = torch.ones(3)
x.sum().backward()
print(x.grad)
del x.grad
print(x.grad)
x.grad = None
y = x * 2
y.grad = torch.zeros(3)
print(y.grad)
