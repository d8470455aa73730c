import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence

torch.manual_seed(0)

for cls in (nn.GRU, nn.RNN, nn.LSTM):
    for dt in (torch.float32, torch.float64):
        r = cls(2, 3, num_layers=2, bidirectional=True, dtype=dt)
        x = torch.randn(3, 2, 2, dtype=dt, requires_grad=True)
        h = torch.randn(4, 2, 3, dtype=dt, requires_grad=True)
        hx = (h * 1, h.exp()) if cls is nn.LSTM else h * 2
        o, h2 = r(x, hx)
        o, h2 = r(x, h2)
        (o.sum() + (h2[0] if cls is nn.LSTM else h2).sum()).backward()
        o, h2 = r(pack_padded_sequence(x * 1, [3, 2]), hx if cls is not nn.LSTM else (h * 1, h * 3))
        if cls is not nn.LSTM:
            o.data.sum().backward(retain_graph=True)
