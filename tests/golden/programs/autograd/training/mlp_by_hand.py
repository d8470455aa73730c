import torch
x = torch.tensor([[0., 1.], [1., 0.], [1., 1.]])
w1 = torch.tensor([[0.5, -0.5, 0.1], [0.3, 0.8, -0.2]], requires_grad=True)
b1 = torch.zeros(3, requires_grad=True)
w2 = torch.tensor([[1.], [-1.], [0.5]], requires_grad=True)
h = torch.sigmoid(x @ w1 + b1)
out = h @ w2
loss = (out - torch.tensor([[1.], [0.], [1.]])).pow(2).mean()
loss.backward()
print(loss)
for p in (w1, b1, w2):
    print(p.grad)
