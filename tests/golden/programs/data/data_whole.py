import torch
from torch.utils.data import *
from torch.utils.data import Dataset, DataLoader, TensorDataset, random_split, Subset, ConcatDataset, RandomSampler, SequentialSampler, BatchSampler, SubsetRandomSampler, WeightedRandomSampler, IterableDataset, default_collate
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
x = torch.arange(10.).reshape(5, 2); y = torch.arange(5)
ds = TensorDataset(x, y)
print(len(ds), ds[0], ds[1:3])
attempt(lambda: ds[10])
attempt(lambda: TensorDataset(x, y[:3]))
for b in DataLoader(ds, batch_size=2): print(b, type(b))
dl = DataLoader(ds, batch_size=2, drop_last=True); print(len(dl), len(DataLoader(ds, 2)), dl.batch_size, type(dl.sampler).__name__, dl.dataset is ds)
torch.manual_seed(0)
for xb, yb in DataLoader(ds, batch_size=2, shuffle=True): print(xb.tolist(), yb)
g = torch.Generator().manual_seed(1)
print([b[1].tolist() for b in DataLoader(ds, 2, shuffle=True, generator=g)])
a, b = random_split(ds, [3, 2], generator=torch.Generator().manual_seed(42)); print(a.indices, b.indices, len(a), a[0], type(a).__name__)
a, b = random_split(range(10), [0.7, 0.3], generator=torch.Generator().manual_seed(42)); print(a.indices, list(b))
attempt(lambda: random_split(ds, [3, 3]))
attempt(lambda: random_split(ds, [0.5, 0.6]))
attempt(lambda: random_split(range(2), [0.1, 0.9]))
print(Subset(ds, [0, 4])[1], list(SequentialSampler(ds)), len(ConcatDataset([ds, ds])), ConcatDataset([ds, ds])[7], ConcatDataset([ds, ds])[-1])
attempt(lambda: ConcatDataset([ds, ds])[-11])
attempt(lambda: ConcatDataset([]))
torch.manual_seed(0); print(list(RandomSampler(range(5))), list(RandomSampler(range(5), replacement=True, num_samples=8)), list(SubsetRandomSampler([1, 3, 5])), list(WeightedRandomSampler([0.1, 0.9], 5)), list(BatchSampler(range(5), 2, False)), list(BatchSampler(SequentialSampler(range(5)), 2, True)))
attempt(lambda: DataLoader(ds, batch_size=0))
attempt(lambda: DataLoader(ds, batch_size=-1))
attempt(lambda: DataLoader(ds, shuffle=True, sampler=SequentialSampler(ds)))
attempt(lambda: DataLoader(ds, batch_sampler=BatchSampler(range(5), 2, False), batch_size=2))
attempt(lambda: RandomSampler(ds, num_samples=0))
attempt(lambda: RandomSampler([]))
attempt(lambda: BatchSampler(range(3), 0, False))
attempt(lambda: WeightedRandomSampler([1.], -1))
attempt(lambda: DataLoader(ds, batch_size=2.5))
attempt(lambda: DataLoader(ds, num_workers=-1))
attempt(lambda: next(iter(DataLoader([1, 'a', 2], batch_size=3))))
class D(Dataset):
    def __len__(self): return 3
    def __getitem__(self, i): return {'x': torch.tensor([i]), 'n': i, 's': str(i), 'f': i * 0.5, 't': (i, [i])}
for b in DataLoader(D(), batch_size=2): print(b)
class It(IterableDataset):
    def __iter__(self): return iter(range(5))
print(list(DataLoader(It(), batch_size=2)))
attempt(lambda: DataLoader(It(), shuffle=True))
attempt(lambda: len(DataLoader(It())))
class E(Dataset): pass
attempt(lambda: E()[0])
attempt(lambda: len(E()))
print(list(DataLoader(range(3), batch_size=None)), list(DataLoader(range(4), 2, collate_fn=lambda b: b)))
print(default_collate([1, 2]), default_collate([1.5, 2]), default_collate(['a', 'b']), default_collate([{'a': 1}, {'a': 2}]), default_collate([(1, 2), (3, 4)]), default_collate([torch.ones(2), torch.zeros(2)]), default_collate([True, False]))
attempt(lambda: default_collate([torch.ones(2), torch.ones(3)]))
attempt(lambda: default_collate([None]))
attempt(lambda: default_collate([[1, 2], [3]]))
attempt(lambda: ds + 3)
print(type(ds + ds).__name__, len(ds + ds), ds, DataLoader(ds))
