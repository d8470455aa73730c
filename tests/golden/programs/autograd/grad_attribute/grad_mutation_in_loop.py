import torch
x = torch.tensor([[1., 2.]], requires_grad=True)
jac = torch.zeros(2, 2)
y = torch.cat([x[:, :1] * x[:, 1:], x[:, :1] + x[:, 1:]], dim=1)
for i in range(2):
    seed = torch.zeros_like(y)
    seed[0, i] = 1
    y.backward(seed, retain_graph=True)
    jac[i] = x.grad
    x.grad.zero_()
print(jac)
