"""Arrays of texts as labels, flags of arrays, polynomials, indexing objects."""
import numpy as np
import torch

names = np.array(["cat", "dog", "bird"])
scores = torch.tensor([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3]])
print(names[scores.argmax(1).numpy()], names.dtype, repr(names[:2]), names == "dog")
print(np.unique(["b", "a", "b"], return_counts=True), np.char if False else len(names), names.tolist(), sorted(names))
print(np.where(names == "dog", 1, 0), np.array([1.5, 2]).astype(str), "dog" in names)
try:
    torch.tensor(names)
except TypeError as error:
    print(error)
a = torch.arange(6.0).reshape(2, 3)
n = a.numpy()
print(n.flags.c_contiguous, n.T.flags["C_CONTIGUOUS"], n.T.flags.f_contiguous, n.flags.owndata, n.flags.writeable)
n.flags.writeable = False
try:
    n[0] = 1
except ValueError as error:
    print(error)
n = a.detach().numpy()
n.shape = (6,)
print(a.shape, n.shape)
p = np.poly1d([1, -3, 2])
print(p(3), p.deriv()(1.0), (p * 2).c, p.roots, np.polyval(p, [1, 2]))
print(np.r_[1:4, 5], np.c_[[1, 2], [3, 4]].tolist(), np.mgrid[0:2, 0:2].shape, np.vectorize(lambda x: x * 2)([1, 2]))
