import torch, torch.nn as nn
nn.Mine = 3
print(nn.Mine, torch.nn.Mine)
torch.nn.functional.swish = torch.nn.functional.silu
from torch.nn.functional import swish
print(swish(torch.ones(1)))
del nn.Mine
print(hasattr(nn, 'Mine'))
import torch.utils.data as D, torch.utils
print(hasattr(torch.nn.utils, 'prune'))
import torch.nn.utils.prune
print(hasattr(torch.nn.utils, 'prune'))
import torch.functional.x
