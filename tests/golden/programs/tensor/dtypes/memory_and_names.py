"""The order of dimensions in memory, names of types, and what can be asked about the settings."""

import torch

for x in (
    torch.ones(2, 1, 3),
    torch.ones(3).expand(2, 3),
    torch.ones(2, 3, 4)[:, ::2],
    torch.zeros(0, 3),
    torch.ones(2, 3, 4).transpose(0, 2),
    torch.ones(2, 3, 1).transpose(1, 2),
    torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last),
    torch.tensor(1.0),
):
    print(x.dim_order())
print(torch.typename(torch.nn.Parameter(x)), torch.typename(torch.nn.Linear), torch.typename(torch.nn.Linear(1, 1)))
print(torch.typename(3), torch.typename(int), torch.typename(torch.float32), torch.typename(torch.optim.SGD))
print(torch.get_float32_matmul_precision(), torch.get_deterministic_debug_mode())
print(torch.is_deterministic_algorithms_warn_only_enabled(), torch.set_flush_denormal(False))
