import torch
from torch import nn
# weight tying and gradient accumulation
emb = nn.Embedding(4, 2)
dec = nn.Linear(2, 4, bias=False)
dec.weight = emb.weight
print(dec.weight is emb.weight)
with torch.no_grad():
    emb.weight.copy_(torch.arange(8.).reshape(4, 2))
loss = dec(emb(torch.tensor([1, 3, 1]))).sum()
loss.backward()
print(loss, emb.weight.grad, dec.weight.grad is emb.weight.grad)
m = nn.ModuleDict({'emb': emb, 'dec': dec})
print([n for n, _ in m.named_parameters()], [n for n, _ in m.named_parameters(remove_duplicate=False)], list(m.state_dict()))
print(len(list(m.parameters())), sum(p.numel() for p in m.parameters()))
opt = torch.optim.SGD(m.parameters(), lr=0.1)
opt.step(); print(emb.weight)
e = nn.Embedding(3, 2, padding_idx=0); print(e.weight[0], e(torch.tensor([0, 1])).sum().grad_fn)
e(torch.tensor([0, 1, 1])).sum().backward(); print(e.weight.grad)
e2 = nn.Embedding.from_pretrained(torch.eye(3)); print(e2.weight.requires_grad, e2(torch.tensor([2])), e2)
e3 = nn.Embedding(3, 2, max_norm=1.); 
with torch.no_grad(): e3.weight.copy_(torch.tensor([[3., 4.], [0.1, 0.1], [6., 8.]]))
print(e3(torch.tensor([0, 1])), e3.weight)
try:
    e(torch.tensor([5]))
except IndexError as ex:
    print(ex)
try:
    e(torch.tensor([1.5]))
except RuntimeError as ex:
    print(ex)
try:
    e([1, 2])
except TypeError as ex:
    print(ex)
