import torch
X = torch.tensor([[0., 1.], [1., 1.], [2., -1.], [3., 0.]])
t = torch.tensor([0., 0., 1., 1.])
w = torch.zeros(2, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for _ in range(3):
    p = torch.sigmoid(X @ w + b)
    loss = -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()
    w.grad = b.grad = None
    loss.backward()
    w.data.sub_(w.grad)
    b.data.sub_(b.grad)
    print(loss)
print(w, b)
