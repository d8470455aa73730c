import torch
from torch.utils.data.dataset import Dataset, TensorDataset, random_split
from torch.utils.data.dataloader import DataLoader, default_collate
from torch.utils.data.sampler import Sampler, SubsetRandomSampler, RandomSampler, SequentialSampler, BatchSampler
import torch.utils.data as data
print(default_collate([torch.ones(2), torch.zeros(2)]), data.dataloader.default_collate([1,2]))
