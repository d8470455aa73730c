"""All forms of lengths that a random split takes or refuses."""

import torch
from torch.utils.data import random_split


def tried(n, lengths, seed=0):
    try:
        parts = random_split(range(n), lengths, generator=torch.Generator().manual_seed(seed))
        print(n, lengths, [len(p) for p in parts], [list(p)[:3] for p in parts])
    except Exception as e:
        print(n, lengths, type(e).__name__, e)


for n in (0, 1, 3, 5, 7, 10, 11, 103):
    for lengths in (
        [0.8, 0.2],
        [0.7, 0.2, 0.1],
        [0.5, 0.5],
        [1 / 3, 1 / 3, 1 / 3],
        (0.8, 0.2),
        [1.0],
        [0.9, 0.1],
        [1, 0],
        [0.0, 1.0],
        [1.0, 0.0],
        [0.8, 0.3],
        [0.8, 0.1],
        [-0.1, 1.1],
        [1.2, -0.2],
        [0.5, 0.4999999999],
        [0.15, 0.85],
        [n - 1, 1],
        [n, 0],
        [n + 1],
        [True, False],
        torch.tensor([0.8, 0.2]),
        [0.5, 0.25, 0.25],
        [],
        [0.8],
        [torch.tensor(0.8), torch.tensor(0.2)],
        ["a"],
        [n * 0.8, n * 0.2],
        [0.2] * 5,
        0.8,
        3,
    ):
        tried(n, lengths)
