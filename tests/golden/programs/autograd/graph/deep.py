import torch
x = torch.tensor(1., requires_grad=True)
y = x
for i in range(10000):
    y = y + 0.0001
y.backward()
print(x.grad, y)
h = torch.zeros(2)
w = torch.tensor([[0.5, 0.1], [0.2, 0.3]], requires_grad=True)
for t in range(50):
    h = torch.tanh(w @ h + 1)
h.sum().backward()
print(h, w.grad)
n = 0
f = y.grad_fn
while f is not None:
    n += 1
    f = f.next_functions[0][0] if f.next_functions else None
print(n)
