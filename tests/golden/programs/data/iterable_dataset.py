"""A stream of samples, as the documentation writes one, with a ``super`` that has no object."""

import torch
from torch.utils.data import DataLoader, IterableDataset


class Numbers(IterableDataset):
    def __init__(self, start, end):
        super(Numbers).__init__()
        self.start, self.end = start, end

    def __iter__(self):
        return iter(range(self.start, self.end))


print(list(DataLoader(Numbers(3, 7))))
