import torch

w = torch.tensor(1., requires_grad=True)
for step in range(3):
    loss = (w - 3) ** 2
    loss.backward()
    print(step, w.item(), w.grad.item())
    with torch.no_grad():
        w -= 0.25 * w.grad
    w.grad.zero_()
