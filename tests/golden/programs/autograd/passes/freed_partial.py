import torch
a = torch.tensor(2., requires_grad=True)
h = a * a
p = h * 3
q = h.exp()
r = h + 1
p.backward()
print(a.grad)
for name, t in [("p", p), ("q", q), ("r", r), ("h", h)]:
    try:
        t.backward(retain_graph=True)
        print(name, a.grad)
    except RuntimeError as e:
        print(name, str(e)[:60])
a.grad = None
h = a * a
s = h.sum()
s.backward(retain_graph=True)
s.backward()
print(a.grad)
try:
    s.backward()
except RuntimeError as e:
    print(e)
print(a.grad)
