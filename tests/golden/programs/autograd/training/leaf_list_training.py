import torch
torch.manual_seed(1)
W1 = torch.randn(3, 4, requires_grad=True)
b1 = torch.zeros(4, requires_grad=True)
W2 = torch.randn(4, 1, requires_grad=True)
x = torch.randn(5, 3)
t = torch.ones(5, 1)
for step in range(3):
    h = torch.relu(x @ W1 + b1)
    loss = ((h @ W2 - t) ** 2).mean()
    for p in (W1, b1, W2):
        p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in (W1, b1, W2):
            p -= 0.1 * p.grad
    print(round(loss.item(), 4))
