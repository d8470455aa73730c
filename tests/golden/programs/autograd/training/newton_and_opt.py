import torch
x = torch.tensor([1.5], requires_grad=True)
for k in range(5):
    f = x ** 3 - 2
    g, = torch.autograd.grad(f, x)
    with torch.no_grad():
        x -= f / g
    print(k, f"{x.item():.6f}")
p = torch.tensor([1., -1.], requires_grad=True)
opt = torch.optim.Adam([p], lr=0.1)
for i in range(3):
    opt.zero_grad()
    loss = (p ** 2).sum()
    loss.backward()
    opt.step()
    print(f"{i}: loss={loss:.4f} p={p.tolist()}") if False else print(f"{i}: loss={loss:.4f}")
print(p.grad, p)
q = torch.tensor([2.], requires_grad=True)
sgd = torch.optim.SGD([q], lr=0.1, momentum=0.9)
for _ in range(3):
    sgd.zero_grad()
    (q ** 2).backward()
    sgd.step()
    print(q)
try:
    torch.optim.SGD([q * 2], lr=0.1)
except ValueError as e:
    print(e)
try:
    torch.optim.SGD([], lr=0.1)
except ValueError as e:
    print(e)
r = torch.tensor(1., requires_grad=True)
opt = torch.optim.SGD([r], lr=0.1)
opt.step()
print(r)
(r * 2).backward()
opt.step()
opt.zero_grad()
print(r, r.grad)
