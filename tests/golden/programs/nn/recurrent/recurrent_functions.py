"""Recurrent networks as functions of their weights: cells, layers, and what does not fit."""

import torch

torch.manual_seed(0)
x, h, c = torch.randn(2, 3), torch.randn(2, 2), torch.randn(2, 2)
for name, parts in (("lstm_cell", 4), ("gru_cell", 3), ("rnn_tanh_cell", 1), ("rnn_relu_cell", 1)):
    rows = 2 * parts
    w = [torch.randn(rows, n).requires_grad_() for n in (3, 2)] + [torch.randn(rows), torch.randn(rows)]
    step, state = getattr(torch, name), (h, c) if parts == 4 else h
    print(step(x, state, *w), step(x, state, w_ih=w[0], w_hh=w[1]))
    for inputs, first, wide in ((2, 2, 3), (4, 2, 2), (3, 2, 3)):
        try:
            step(x, state, torch.ones(rows, inputs), torch.ones(rows, wide))
        except RuntimeError as error:
            print(error)
    try:
        step(x, state, torch.ones(rows, 3), torch.ones(rows + 1, 2))
    except RuntimeError as error:
        print(error)

weights = [torch.randn(8, 3), torch.randn(8, 2), torch.randn(8), torch.randn(8)]
steps, start = torch.randn(4, 2, 3, requires_grad=True), torch.zeros(1, 2, 2)
for biased in (True, False):
    own = weights if biased else weights[:2]
    output, last, cell = torch.lstm(steps, (start, start), own, biased, 1, 0.0, False, False, False)
    print(output.shape, last, cell.grad_fn)
    print(torch.gru(steps, start, [each[:6] for each in own], biased, 1, 0.0, False, False, False)[1])
    print(torch.rnn_tanh(steps, start, [each[:2] for each in own], biased, 1, 0.0, False, False, False)[1])
small = [each[:2] for each in weights]
output, last = torch.rnn_relu(steps.transpose(0, 1), torch.zeros(2, 2, 2), small * 2, True, 1, 0.0, False, True, True)
print(output.shape, last.shape, output.grad_fn)
