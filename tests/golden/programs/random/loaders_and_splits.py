import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split, Dataset, Subset, ConcatDataset
torch.manual_seed(0)
X = torch.randn(8, 2); Y = (X.sum(1) > 0).long()
ds = TensorDataset(X, Y)
tr, va = random_split(ds, [6, 2]); print(len(tr), len(va), tr.indices, va.indices)
m = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2)); opt = torch.optim.Adam(m.parameters(), lr=0.05); L = nn.CrossEntropyLoss()
for ep in range(2):
    m.train(); tot = 0.
    for xb, yb in DataLoader(tr, batch_size=4, shuffle=True):
        opt.zero_grad(); l = L(m(xb), yb); l.backward(); opt.step(); tot += l.item() * len(xb)
    m.eval()
    with torch.no_grad():
        acc = sum((m(xb).argmax(1) == yb).sum().item() for xb, yb in DataLoader(va, batch_size=1)) / len(va)
    print(ep, f'{tot / len(tr):.4f}', acc)
print(m[0].weight, m[0].weight.grad.shape)
torch.manual_seed(5); print([b[1].tolist() for b in DataLoader(ds, batch_size=3, shuffle=True)])
print([len(b[0]) for b in DataLoader(ds, batch_size=3, drop_last=True)])
g = torch.Generator(); g.manual_seed(0); print([b[1].tolist() for b in DataLoader(ds, 4, shuffle=True, generator=g)], [b[1].tolist() for b in DataLoader(ds, 4, shuffle=True, generator=g)])
from torch.utils.data import WeightedRandomSampler, RandomSampler
torch.manual_seed(1); print(list(WeightedRandomSampler([0.1, 0.9, 0.5], 6)), list(WeightedRandomSampler([0.1, 0.9, 0.5], 2, replacement=False)), [b[1].tolist() for b in DataLoader(ds, 4, sampler=RandomSampler(ds, replacement=True, num_samples=5))])
def coll(batch): return torch.stack([b[0] for b in batch]).mean(0), len(batch)
print(list(DataLoader(ds, 3, collate_fn=coll))[-1])
class Bad(Dataset):
    def __len__(self): return 2
    def __getitem__(self, i): raise KeyError(f'item {i}')
next(iter(DataLoader(Bad())))
