import torch
from torch import nn

torch.manual_seed(0)
w = torch.empty(4, 6)
print(nn.init.trunc_normal_(w, std=0.5), nn.init.trunc_normal_(w, 3.0, 1.0).sum())
print(nn.init.sparse_(w, 0.5), nn.init.dirac_(torch.empty(4, 2, 3), 2))
print(nn.init.kaiming_normal_(torch.empty(3, 4), generator=torch.Generator().manual_seed(1)))
print(nn.init.xavier_uniform(torch.empty(2, 2)))
print(torch.dropout(torch.ones(6), 0.5, True), torch.alpha_dropout(torch.ones(4), 0.5, True))
print(nn.functional.rrelu(-torch.ones(2, 3), training=True), nn.Embedding(3, 7).weight.sum())
