"""Settings of recurrent layers, their printed form, and what they refuse."""
import torch
import torch.nn as nn

torch.manual_seed(0)
print(nn.LSTM(3, 4, proj_size=2, num_layers=2, batch_first=True))
print(nn.RNN(3, 4, nonlinearity="relu", bias=False), nn.GRU(3, 4, dropout=0.5, num_layers=2))
print(nn.RNNCell(3, 4, nonlinearity="relu"), nn.LSTMCell(3, 4, bias=False), nn.GRUCell(3, 4))
lstm = nn.LSTM(3, 4, proj_size=2)
print({name: tuple(p.shape) for name, p in lstm.named_parameters()})
output, (h, c) = nn.LSTM(3, 4)(torch.ones(2, 1, 3))
print(output.shape, output.grad_fn, h.grad_fn, c.shape)
output, h = nn.GRU(3, 4, batch_first=True)(torch.ones(5, 3))
print(output.shape, h.shape)
print([[tuple(w.shape) for w in layer] for layer in nn.GRU(2, 3, bidirectional=True).all_weights])
for call in (
    lambda: nn.LSTM(3, 0),
    lambda: nn.LSTM(3, 4, proj_size=4),
    lambda: nn.GRU(3, 4, proj_size=2),
    lambda: nn.RNN(3, 4, nonlinearity="gelu"),
    lambda: nn.LSTM(3, 4, dropout=2),
    lambda: nn.LSTM(3, 4)(torch.ones(2, 1, 5)),
    lambda: nn.LSTM(3, 4)(torch.ones(3)),
    lambda: nn.GRU(3, 4)(torch.ones(2, 1, 3), torch.zeros(1, 2, 4)),
    lambda: nn.GRU(3, 4)(torch.ones(2, 1, 3), torch.zeros(1, 4)),
    lambda: nn.GRUCell(3, 4)(torch.ones(2, 5)),
    lambda: nn.LSTM(3, 4)(torch.ones(2, 1, 3, dtype=torch.float64)),
):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
