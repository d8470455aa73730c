import torch
w = torch.ones(3, requires_grad=True)
for step in range(3):
    loss = (w * torch.tensor([1., 2., 3.])).sum()
    loss.backward()
    print(step, w.grad, w.grad._version, w._version)
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad.zero_()
    print(w.grad._version, w._version)
opt = torch.optim.SGD([w], lr=0.1)
for step in range(2):
    opt.zero_grad(set_to_none=False)
    (w * 2).sum().backward()
    opt.step()
    print(w.grad, w.grad._version, w._version)
opt.zero_grad()
print(w.grad)
