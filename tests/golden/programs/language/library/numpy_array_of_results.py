import numpy as np
import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * torch.tensor(np.array([3., 4.], dtype=np.float32))).sum()
y.backward()
print(np.array([1, 2]) + 1)
print(x.grad.numpy())
