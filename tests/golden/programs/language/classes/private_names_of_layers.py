from collections import OrderedDict

import torch
from torch import nn


def fill(module, value=0.1):
    with torch.no_grad():
        for p in module.parameters():
            p.fill_(value)
    return module


class Reader(nn.LSTM):
    """Recurrent, with helpers of its own."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._layers = ["embedding", "recurrent"]
        self._shapes = {}

    def _weights(self):
        return [name for name, _ in self.named_parameters() if name.startswith("weight")]

    def _check(self, x):
        assert x.dim() == 3

    def _start(self, batch):
        return torch.zeros(1, batch, self.hidden_size), torch.zeros(1, batch, self.hidden_size)

    def _suffixes(self):
        return "none"

    def _of(self, name):
        return getattr(self, name)

    def _packed(self):
        return False

    def forward(self, x):
        self._check(x)
        self._shapes["in"] = tuple(x.shape)
        return super().forward(x, self._start(x.size(1)))


reader = fill(Reader(2, 3))
out, (h, c) = reader(torch.ones(2, 1, 2))
print(out, h, c, reader._weights(), reader._layers, reader._shapes, reader._suffixes(), reader._packed())
print(reader._of("bias_ih_l0").shape)
ragged = nn.utils.rnn.pack_padded_sequence(torch.ones(2, 2, 2), [2, 1])
print(nn.LSTM.forward(reader, ragged)[0].data)


class Cell(nn.GRUCell):
    def _mode(self):
        return "train" if self.training else "eval"

    def _given(self):
        return self.input_size

    def _check(self):
        raise AssertionError("never")


cell = fill(Cell(2, 2))
print(cell(torch.ones(1, 2)), cell._mode(), cell._given())


class Elman(nn.RNNCell):
    _mode = "fast"


print(fill(Elman(2, 2, nonlinearity="relu"))(torch.ones(2)), Elman._mode)


class Stack(nn.ModuleList):
    def __init__(self, modules=None):
        super().__init__(modules)
        self._part = "encoder"

    def _place(self, device):
        return f"{self._part} on {device}"

    def _out_of_range(self):
        return None


stack = Stack([nn.Linear(1, 1), nn.ReLU(), nn.Tanh()])
print(stack[0], stack[-1], stack[1:], stack._place("cpu"))
try:
    stack[7]
except IndexError as error:
    print(error)


class Mixin:
    def _place(self, device):
        return device

    def _part(self, index):
        return self[index]

    def _repeated(self, n):
        return n + 1


class Chain(Mixin, nn.Sequential):
    pass


chain = Chain(OrderedDict(first=nn.ReLU(), second=nn.Tanh()))
print(chain[:1], chain._part(1), chain._repeated(2), len(chain * 2), chain(torch.zeros(1)))


class Parameters(nn.ParameterList):
    def _place(self, index):
        return None


held = Parameters([torch.ones(1), torch.zeros(1)])
held[1] = torch.full((1,), 2.0)
print(held[-1], held._place(0))


class Encoder(nn.TransformerEncoderLayer):
    def _build(self):
        return "built"

    def _forward_block(self, x):
        return -x

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        return super()._sa_block(x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal) * 2

    def _ff_block(self, x):
        return self._forward_block(super()._ff_block(x))


layer = fill(Encoder(4, 2, 4, dropout=0.0))
print(layer(torch.arange(8.0).view(2, 1, 4)), layer._build())


class Decoder(nn.TransformerDecoderLayer):
    def _build(self):
        return "decoder"

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        return super()._mha_block(x, mem, attn_mask, key_padding_mask, is_causal)


decoder = fill(Decoder(4, 2, 4, dropout=0.0))
print(decoder(torch.arange(8.0).view(2, 1, 4), torch.ones(3, 1, 4)), decoder._build())


class Whole(nn.TransformerEncoder):
    def _drops_padding(self):
        return "asks nobody"


print(fill(Whole(nn.TransformerEncoderLayer(4, 2, 4, 0.0), 1))(torch.ones(2, 1, 4)).shape)


class Heads(nn.MultiheadAttention):
    def _projections(self):
        return [n for n, _ in self.named_parameters()]


print(Heads(4, 2)._projections())


class Words(nn.AdaptiveLogSoftmaxWithLoss):
    def _all_logs(self):
        return None


print(fill(Words(2, 6, [2, 4], div_value=1.0)).log_prob(torch.ones(1, 2)))
