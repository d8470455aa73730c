import torch
x = torch.arange(6.).reshape(2,3).requires_grad_()
i = torch.tensor([[0,1,1]])
y = x.gather(0, i).scatter_add(1, torch.tensor([[0,0]]), torch.ones(1,2))
z = torch.sort(x, dim=1, descending=True)
print(z)
print(x.topk(2))
w = x.clone()
w.scatter_(0, i, -1.0)
w.diagonal().mul_(2)
w.masked_fill_(w > 3, 0.)
a, b = torch.meshgrid(x[0], x[1], indexing='ij')
u = x.unfold(1, 2, 1)
v = x.view(torch.int32)
print(v)
s = (y.sum() + z.values[:, 0].sum() + w.sum() + (a*b).sum() + u.sum() + x.repeat_interleave(2, 0).sum()
     + x.scatter_reduce(0, i, torch.ones(1,3), 'mean').sum() + torch.combinations(x[0]).prod() + x.squeeze().tril().sum())
s.backward()
print(x.grad)
t = torch.tensor([3., 1., 2.], requires_grad=True)
k = torch.tensor([0, 1])
q = t.index_select(0, k)
k.add_(1)
try:
    q.sum().backward()
except RuntimeError as e:
    print(e)
p = t.clone(); r = p.take(torch.tensor([0])); p.add_(1)
try:
    r.sum().backward()
except RuntimeError as e:
    print(e)
f = t.sort(); 
print(f[0].grad_fn, type(f).__name__, f.indices)
print(t.gather(0, torch.tensor([0])).grad_fn._saved_dim)
vals, idx = torch.unique(torch.tensor([2,1,2]), return_inverse=True)
print(vals, idx)
try:
    t.unique().sum().backward()
except NotImplementedError as e:
    print(e)
