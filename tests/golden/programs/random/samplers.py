import torch
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)

torch.manual_seed(0)
data = TensorDataset(torch.arange(10.0), torch.arange(10))
for batch in DataLoader(data, batch_size=4, shuffle=True, drop_last=True):
    print(batch)
g = torch.Generator().manual_seed(5)
loader = DataLoader(data, batch_size=4, shuffle=True, generator=g)
print([batch[1].tolist() for _ in range(3) for batch in loader], torch.rand(1, generator=g), len(loader))
print(list(RandomSampler(range(7))), list(RandomSampler(range(7), replacement=True, num_samples=40)))
print(list(SubsetRandomSampler([3, 5, 8])), list(WeightedRandomSampler([0.1, 0.5, 0.4], 8)))
print(list(BatchSampler(SequentialSampler(range(7)), 3, False)), list(WeightedRandomSampler([0.1, 0.9], 2, False)))
a, b = random_split(range(10), [0.7, 0.3], generator=torch.Generator().manual_seed(42))
print(a.indices, b.indices, len(ConcatDataset([data, data])), ConcatDataset([data, data])[-1])
print(torch.rand(1))
DataLoader(data, sampler=[0], shuffle=True)
