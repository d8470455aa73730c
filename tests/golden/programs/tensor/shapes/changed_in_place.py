import numpy as np
import torch

a = torch.arange(6.0).reshape(1, 2, 3).requires_grad_()
x = a * 2
x.squeeze_(0)
x[1] = 5
x.t_()
x.unsqueeze_(-1)
x.mul_(torch.tensor(2.0))
x.sum().backward()
print(x.shape, a.grad)

best, where = torch.tensor([[3.0, 1.0], [2.0, 4.0]]).max(0, keepdim=True)
best.squeeze_(0)
where.squeeze_(0)
best.index_fill_(0, torch.tensor([1]), 9.0)
where[0] = 1
print(best, where)

seen = torch.from_numpy(np.ones((1, 4), np.float32))
seen.transpose_(0, 1)
seen[2] = 7
seen.requires_grad_()
(seen * seen).sum().backward()
print(seen, seen.grad)

whole = torch.zeros(2, 1, 3)
row = whole[1]
row.swapaxes_(0, 1)
row += 1
row.data.zero_()
row.as_strided_((3,), (1,))
row[0] = -1
print(whole, row)

seen = torch.from_numpy(np.ones((1, 4), np.float32))
print(seen.resize_(2, 2))

part = torch.arange(4.0).reshape(2, 2)
part.data = part.data.clone()
weight = torch.ones(2, 2, requires_grad=True)
part.mul_(weight)
part.sum().backward()
print(weight.grad)
seen.resize_(8)
