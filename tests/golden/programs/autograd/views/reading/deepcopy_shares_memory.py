import torch
import copy
a = torch.arange(6.).reshape(2, 3); b = a[0]; c, d = copy.deepcopy([a, b]); c[0, 0] = 9; print(d, d._is_view(), c.storage_offset(), d.is_leaf)
t = a.T; u = copy.deepcopy(t); print(u.stride(), u.is_contiguous()); e = copy.deepcopy(a[:, 1]); print(e, e.stride(), e.storage_offset())
l = torch.nn.Linear(2, 2); l2 = copy.deepcopy(l); print(torch.equal(l.weight, l2.weight), l2.weight.grad, l2.weight.is_leaf)
