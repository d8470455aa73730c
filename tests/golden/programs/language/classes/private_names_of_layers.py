import logging
import sys
from collections import OrderedDict

import torch
import torch.fx
import torch.nn.functional as F
from torch import nn
from torch.distributions import Bernoulli, Binomial, Categorical, ContinuousBernoulli, Kumaraswamy
from torch.distributions import LowRankMultivariateNormal, MixtureSameFamily, MultivariateNormal, Normal, Wishart
from torch.optim import LBFGS, SGD
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts, OneCycleLR, ReduceLROnPlateau
from torch.utils.data import ChainDataset, DataLoader, IterableDataset


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


class Numbers(IterableDataset):
    def __init__(self, n):
        self._n = n

    def __iter__(self):
        return iter(range(self._n))


class Joined(ChainDataset):
    def _checked(self):
        return "checked"


class Loader(DataLoader):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._turn = 0

    def __iter__(self):
        self._turn += 1
        return super().__iter__()

    def _fetched(self):
        return self._turn * self.batch_size

    def _ordered(self):
        return sorted(self.dataset)

    def _streamed(self):
        return False


loader = Loader([3, 1, 2], batch_size=2)
print(list(loader), list(loader), loader._fetched(), loader._ordered(), loader._streamed())
print(list(Loader(Joined([Numbers(2), Numbers(1)]), batch_size=2)), Joined([])._checked())


class Climber(LBFGS):
    def _gradient(self):
        return "gradient"

    def _evaluate(self):
        return "evaluate"

    def _move(self, step):
        return step

    def _iterate(self):
        return None

    def _at(self, n):
        return n


w = torch.tensor([3.0], requires_grad=True)
climber = Climber([w], lr=0.5, max_iter=3)


def closure():
    climber.zero_grad()
    loss = (w - 1).pow(2).sum()
    loss.backward()
    return loss


print(climber.step(closure), w, climber._gradient(), climber._evaluate(), climber._move(2))


class Plain(SGD):
    def _with_hooks(self, step):
        return step


class Restarts(CosineAnnealingWarmRestarts):
    def _jump(self):
        return self.T_cur


class Cycle(OneCycleLR):
    def _put_momentum(self):
        return None

    def _begin_momentum(self):
        return None


class Plateau(ReduceLROnPlateau):
    def _reduce(self):
        return "reduce"

    def _reset(self):
        super()._reset()
        self.resets = getattr(self, "resets", 0) + 1


optimizer = Plain([w], lr=0.1, momentum=0.9)
restarts = Restarts(optimizer, 2)
optimizer.step()
restarts.step()
print(restarts.get_last_lr(), restarts._jump())
restarts.step(3.5)
print(restarts.get_last_lr())
cycle = Cycle(Plain([w], lr=0.1, momentum=0.9), 1.0, total_steps=4)
cycle.optimizer.step()
cycle.step()
print(cycle.get_last_lr(), cycle.optimizer.param_groups[0]["momentum"])
plateau = Plateau(Plain([w], lr=0.1), patience=0)
for measure in (1.0, 2.0):
    plateau.step(measure)
print(plateau.get_last_lr(), plateau.resets, plateau.best, plateau._reduce())


class Share(torch.optim.swa_utils.SWALR):
    def _share(self):
        return 0.5


swa = Share(Plain([w], lr=0.1), swa_lr=0.5, anneal_epochs=2)
swa.optimizer.step()
swa.step()
print(swa.get_last_lr(), swa._share())


class Scaler(torch.amp.GradScaler):
    def _begun(self):
        return self.is_enabled()


print(Scaler("cpu", enabled=False)._begun())


class Line(logging.Formatter):
    def _time(self, record):
        return "now"

    def format(self, record):
        return self._time(record) + " " + super().format(record)


class Out(logging.StreamHandler):
    def _asked(self, record):
        return record.levelname


handler = Out(sys.stdout)
handler.setFormatter(Line("%(levelname)s %(message)s"))
handler.addFilter(lambda record: record.levelno > 10)
log = logging.getLogger("private")
log.propagate = False
log.addHandler(handler)
log.warning("written")


class Tracer(torch.fx.Tracer):
    def _input(self):
        return "x"

    def _argument(self, value):
        return value

    def _tensor(self):
        return None

    def _name_of(self, module):
        return type(module).__name__

    def step(self):
        return "step"

    def concerns(self, value):
        return False

    def function(self):
        return "function"

    called = 0


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(1, 1)

    def forward(self, x):
        return F.relu(self.linear(x)) + 1


tracer = Tracer()
print([node.name for node in tracer.trace(Net()).nodes], tracer._input(), tracer._name_of(Net()))
print(tracer.step(), tracer.concerns(1), tracer.function(), tracer.called)


class Bell(Normal):
    def _home(self):
        return "here"

    def _refuse(self, value):
        return value

    def _check_parameters(self):
        return True

    def checked(self, value, strict):
        return value.clamp(-strict, strict)

    def normalizer(self):
        return self.scale * 2.5


bell = Bell(0.0, 1.0)
print(bell.expand((2,)).loc, bell.log_prob(torch.tensor(1.0)), bell._home(), bell.normalizer(), bell.entropy())
try:
    Bell(0.0, -1.0)
except ValueError as error:
    print(str(error).split("(")[0])


class Coin(Bernoulli):
    give = "away"


class Flat(LowRankMultivariateNormal):
    def mahalanobis(self):
        return "distance"

    def log_determinant(self):
        return "determinant"


flat = Flat(torch.zeros(2), torch.ones(2, 1), torch.ones(2))
print(flat.log_prob(torch.ones(2)), flat.entropy(), flat.mahalanobis(), flat.log_determinant())
print(torch.distributions.kl_divergence(flat, Flat(torch.ones(2), torch.ones(2, 1), torch.ones(2))), Coin(0.25).log_prob(torch.tensor(1.0)), Coin(0.25).give)


class Cloud(MultivariateNormal):
    def _whole(self):
        return "whole"

    def _home(self):
        return "cloud"


cloud = Cloud(torch.zeros(2), torch.eye(2))
print(cloud.covariance_matrix, cloud.expand((1,)).batch_shape, cloud._whole())


class Count(Binomial):
    def _one_count(self):
        return 1


class Bounded(Kumaraswamy):
    def _moment(self):
        return "first"


class Scales(Wishart):
    _squares, _freedom, _drawn = "squares", "freedom", "drawn"

    def _for_each(self, function):
        return function(self)

    def _singular(self):
        return None


print(Count(2, torch.tensor(0.5)).enumerate_support(), Bounded(1.0, 2.0).mean)
print(Scales(torch.tensor(3.0), torch.eye(2)).mean, Scales(torch.tensor(3.0), torch.eye(2)).entropy())


class Mix(MixtureSameFamily):
    _weights = "named"

    def _check_sizes(self):
        return None

    def _pad(self, x):
        return super()._pad(x) + 0


mix = Mix(Categorical(torch.ones(2)), Normal(torch.tensor([0.0, 1.0]), torch.ones(2)))
print(mix.mean, mix.variance, mix.log_prob(torch.tensor(0.5)), mix._weights)


class Pixel(ContinuousBernoulli):
    def _outside(self):
        return 0

    def _cut(self):
        return 1

    def _cont_bern_log_norm(self):
        return super()._cont_bern_log_norm() * 2


pixel = Pixel(torch.tensor([0.2]))
print(pixel.log_prob(torch.tensor([0.3])), pixel.mean, pixel._outside(), pixel._cut())
