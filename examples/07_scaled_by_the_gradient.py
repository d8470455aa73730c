import torch

x = torch.tensor([[1., 2.],
                  [3., 4.]], requires_grad=True)
y = 3 * x

z = torch.tensor([[1., 0.1],
                  [0.01, 0.001]])
y.backward(z)
print(x.grad)  # 3 * z
