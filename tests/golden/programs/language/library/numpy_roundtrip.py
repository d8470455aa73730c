import numpy as np
import torch
x = torch.tensor([1., 2.], requires_grad=True)
n = x.detach().numpy()
print(n, n.dtype)
t = torch.from_numpy(np.array([1., 2., 3.]))
print(t, torch.tensor(np.array([[1, 2], [3, 4]])))
