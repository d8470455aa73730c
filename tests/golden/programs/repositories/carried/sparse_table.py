import warnings

warnings.filterwarnings("ignore", message="Sparse invariant")
import torch, torch.nn as nn

torch.manual_seed(0)
e = nn.Embedding(6, 2, sparse=True)
out = e(torch.tensor([1, 2, 1, 5]))
out.sum().backward()
print(e.weight.grad)
print(e.weight.grad.is_sparse, e.weight.grad.coalesce().indices(), e.weight.grad.to_dense())
opt = torch.optim.SparseAdam(e.parameters(), lr=0.1)
opt.step()
print(e.weight)
opt.zero_grad()
opt2 = torch.optim.SGD(e.parameters(), lr=0.1)
e(torch.tensor([0, 0])).pow(2).sum().backward()
opt2.step()
print(e.weight.detach())
opt3 = torch.optim.Adagrad(e.parameters(), lr=0.1)
opt3.step()
print(e.weight.detach())
padded = nn.Embedding(4, 2, padding_idx=0, sparse=True)
(padded(torch.tensor([0, 1])).sum() + padded(torch.tensor([[3], [0]])).sum()).backward()
print(padded.weight.grad, torch.autograd.grad(padded(torch.tensor([2])).sum(), padded.weight))
padded(torch.tensor([3])).sum().backward()
print(padded.weight.grad.coalesce())
(padded.weight.sum() * 2).backward()
print(padded.weight.grad)
for make in (torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop):
    fresh = nn.Embedding(2, 1, sparse=True)
    fresh(torch.tensor([1])).sum().backward()
    try:
        make(fresh.parameters()).step()
    except RuntimeError as error:
        print(error)
dense = nn.Linear(1, 1)
dense(torch.ones(1)).backward()
try:
    torch.optim.SparseAdam(list(dense.parameters())).step()
except RuntimeError as error:
    print(error)
