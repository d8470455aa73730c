import logging
import sys

import torch
import torch.fx
import torch.nn.functional as F
from torch import nn
from torch.optim import LBFGS, SGD
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts, OneCycleLR, ReduceLROnPlateau
from torch.utils.data import ChainDataset, DataLoader, IterableDataset


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
