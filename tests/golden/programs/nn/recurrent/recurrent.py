"""Recurrent layers and cells: outputs, states and gradients."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(3, 2, 4)
for layer in (nn.RNN(4, 3), nn.LSTM(4, 3, num_layers=2), nn.GRU(4, 3, batch_first=True, bidirectional=True)):
    output, state = layer(x)
    print(layer)
    print([f"{value:.4f}" for value in output.flatten().tolist()])
    print([f"{value:.4f}" for value in (state[0] if isinstance(state, tuple) else state).flatten().tolist()])
    output.pow(2).sum().backward()
    print([f"{value:.4f}" for value in layer.weight_hh_l0.grad.flatten().tolist()])
for cell in (nn.RNNCell(4, 3), nn.LSTMCell(4, 3), nn.GRUCell(4, 3)):
    state = cell(x[0])
    print(cell, [f"{value:.4f}" for value in (state[0] if isinstance(state, tuple) else state).flatten().tolist()])
