import torch
X = torch.tensor([[1., 0.], [1., 1.], [1., 2.]])
y = torch.tensor([[1.], [3.], [5.]])
w = torch.zeros(2, 1, requires_grad=True)
for i in range(5):
    loss = (X @ w - y).pow(2).mean()
    w.grad = None
    loss.backward()
    w.data -= 0.1 * w.grad.data
print(w)
print(loss)
