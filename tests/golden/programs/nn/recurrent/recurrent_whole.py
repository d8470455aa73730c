import torch
from torch import nn
lstm = nn.LSTM(3, 4, num_layers=2)
print(lstm)
for n, p in lstm.named_parameters(): print(n, tuple(p.shape))
x = torch.zeros(5, 2, 3, requires_grad=True)
with torch.no_grad():
    for p in lstm.parameters(): p.fill_(0.1)
out, (h, c) = lstm(x)
print(out.shape, h.shape, c.shape, torch.allclose(out[-1], h[-1]))
out.sum().backward()
print(x.grad.shape, lstm.weight_ih_l0.grad.abs().sum() >= 0)
print(out[-1])
gru = nn.GRU(2, 2, batch_first=True)
with torch.no_grad():
    for p in gru.parameters(): p.fill_(0.5)
o, h = gru(torch.ones(1, 3, 2)); print(o, h)
rnn = nn.RNN(2, 2, nonlinearity='relu', bias=False)
with torch.no_grad():
    for p in rnn.parameters(): p.fill_(1.)
o, h = rnn(torch.ones(2, 1, 2)); print(o, h, [n for n, _ in rnn.named_parameters()])
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence, pack_sequence
seqs = [torch.tensor([1., 2., 3.]), torch.tensor([4.])]
print(pad_sequence(seqs), pad_sequence(seqs, batch_first=True, padding_value=-1.))
pk = pack_padded_sequence(pad_sequence(seqs).unsqueeze(-1).expand(3, 2, 2), [3, 1]); print(pk)
o, h = rnn(pk); print(pad_packed_sequence(o), h)
cell = nn.LSTMCell(2, 2)
with torch.no_grad():
    for p in cell.parameters(): p.zero_()
print(cell(torch.ones(1, 2)))
pack_padded_sequence(pad_sequence(seqs), [1, 3])
