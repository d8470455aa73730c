"""A classifier trained in shuffled batches."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split

torch.manual_seed(0)
images, labels = torch.randn(6, 1, 4, 4), torch.tensor([0, 1, 2, 0, 1, 2])
net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                    nn.Dropout(0.5), nn.Linear(16, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for _ in range(3):
    for batch, wanted in DataLoader(TensorDataset(images, labels), batch_size=4, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(net(batch), wanted)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        print(f"{loss.item():.3f} {norm.item():.3f}", wanted)


class Numbers(Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, index):
        return float(index), index, {"square": torch.tensor([index * index])}


for batch in DataLoader(Numbers(), 3):
    print(batch)
print(len(DataLoader(Numbers(), 3, drop_last=True)), [list(part.indices) for part in random_split(Numbers(), [5, 2])])
