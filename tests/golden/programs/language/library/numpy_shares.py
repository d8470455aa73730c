import torch
import numpy as np
a = np.array([1., 2.])
t = torch.from_numpy(a)
t.requires_grad_()
y = t ** 2
with torch.no_grad():
    t.mul_(10)
print(a)
try:
    y.sum().backward()
except RuntimeError as e:
    print(str(e)[:80])
