import torch
from torch import nn
m = nn.DataParallel(nn.Linear(2, 1))
print(m, list(m.state_dict()), m.module, m.device_ids)
print(isinstance(m, nn.DataParallel), isinstance(m, torch.nn.parallel.DataParallel))
