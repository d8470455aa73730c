import torch
from torch.utils.data import Dataset, DataLoader
class Squares(Dataset):
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
    def __getitem__(self, i):
        if i >= self.n: raise IndexError('out')
        return torch.tensor([float(i)]), torch.tensor([float(i * i)])
ds = Squares(5)
print(len(ds), ds[2], [x.item() for x, y in ds])
torch.manual_seed(1)
dl = DataLoader(ds, batch_size=2, shuffle=True)
w = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
for epoch in range(2):
    for step, (x, y) in enumerate(dl):
        opt.zero_grad()
        l = ((x * w - y) ** 2).mean()
        l.backward(); opt.step()
        print(epoch, step, x.flatten().tolist(), round(l.item(), 4), w.grad)
print(w, len(dl), len(dl.dataset))
it = iter(dl); print(type(it).__name__, len(it))
next(it); next(it); next(it)
next(it)
