import numpy as np
import torch

a = torch.arange(6.0).reshape(2, 3)
print(np.sin(a), np.add(a, 1), np.argmax(a, axis=1), np.c_[a[0], a[1]], np.r_[a[0], a[1]])
m = np.zeros((3, 3))
np.fill_diagonal(m, 1)
print(m, np.median(m), np.array([t.item() for t in a[0]]), np.array(a[0]), np.vstack([a, a]).shape)
print(np.float32(1.5) * a[0], a[0] / np.float64(2), a[0] ** np.int64(2), np.int64(3) - a[0], np.isnan(a))
n = np.array([1.0, 2.0])
print(torch.from_numpy(n).numpy() is n, np.shares_memory(torch.from_numpy(n).numpy(), n), a.__array__().dtype)
x = torch.tensor(2.0, requires_grad=True)
(np.float64(3.0) * x).backward()
print(x.grad)
for operation in (lambda: np.sin(x), lambda: n * x, lambda: x + n, lambda: np.array([x]), lambda: n < x, lambda: np.Inf):
    try:
        print(operation())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
