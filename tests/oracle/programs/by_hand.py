import torch

w = torch.tensor([1.0, -2.0], requires_grad=True)
b = torch.zeros(1, requires_grad=True)
x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
t = torch.tensor([1.0, 0.0, 2.0])
for epoch in range(3):
    loss = ((x @ w + b - t) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        b -= 0.01 * b.grad
    w.grad.zero_()
    b.grad = None
    print(epoch, loss.item())
