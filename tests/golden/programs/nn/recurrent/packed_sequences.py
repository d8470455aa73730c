"""Sequences of different lengths, packed and padded, through a recurrent layer."""
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(0)
sequences = [torch.arange(1.0, 4.0), torch.arange(4.0, 6.0), torch.tensor([6.0])]
padded = pad_sequence(sequences, batch_first=True)
print(padded)
packed = pack_padded_sequence(padded, [3, 2, 1], batch_first=True)
print(packed)
print(pad_packed_sequence(packed, batch_first=True))
print(pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5])]))
rnn = nn.GRU(1, 2, bidirectional=True)
x = pad_sequence([s.unsqueeze(1) for s in sequences[::-1]])
packed = pack_padded_sequence(x, torch.tensor([1, 2, 3]), enforce_sorted=False)
print(packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
output, hidden = rnn(packed)
print(output.data.shape, hidden.shape, output.data.grad_fn)
unpacked, lengths = pad_packed_sequence(output, total_length=4)
print(unpacked.shape, lengths, unpacked[:, 0].abs().sum(1) > 0)
unpacked.sum().backward()
print(f"{rnn.weight_ih_l0.grad.abs().sum():.4f}")
for call in (
    lambda: pack_padded_sequence(padded, [1, 2, 3], batch_first=True),
    lambda: pack_padded_sequence(padded, [3, 2], batch_first=True),
    lambda: pack_padded_sequence(padded, [3, 2, 0], batch_first=True),
    lambda: pad_packed_sequence(packed, total_length=1),
    lambda: pad_sequence([]),
):
    try:
        call()
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, error)
