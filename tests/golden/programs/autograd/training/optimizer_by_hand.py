import torch
torch.manual_seed(0)
w = torch.zeros(2, requires_grad=True)
X = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])
t = torch.tensor([1., 2., 3.])
for step in range(5):
    loss = ((X @ w - t) ** 2).mean()
    if w.grad is not None:
        w.grad.zero_()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    print(step, loss.item())
print(w)
