import importlib
import importlib.util
import timeit
from importlib import import_module

import torch

functional = import_module("torch.nn.functional")
print(functional.relu(torch.tensor([-1.0, 1.0])))
print(getattr(importlib.import_module("torch.optim"), "SGD").__name__, importlib.import_module("math").sqrt(4.0))
print(importlib.util.find_spec("torch") is not None, importlib.util.find_spec("no_such_package"))
print(timeit.timeit(lambda: torch.ones(2).sum(), number=3) >= 0, len(timeit.repeat(lambda: 1, repeat=2, number=1)))
start = timeit.default_timer()
print(timeit.default_timer() >= start)
_, __ = divmod(7, 2)
print(__, [__ for __ in range(2)])
print(torch.LongTensor(range(3)), torch.FloatTensor(range(2)), torch.ones(1).new(range(2)))


class Warmup(torch.optim.lr_scheduler.LambdaLR):
    def __init__(self, optimizer, warmup, last_epoch=-1):
        self.warmup = warmup
        super().__init__(optimizer, self.factor, last_epoch=last_epoch)

    def factor(self, step):
        return min(1.0, (step + 1) / self.warmup)


weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=1.0)
scheduler = Warmup(optimizer, 4)
for _ in range(2):
    optimizer.step()
    scheduler.step()
print(scheduler.get_last_lr())
try:
    importlib.import_module("no_such_package")
except ModuleNotFoundError as error:
    print(error)

import traceback

try:
    torch.ones(2) @ torch.ones(3)
except RuntimeError:
    traceback.print_exc()
    lines = traceback.format_exc().splitlines()
    print(lines[0], lines[-1], sep="\n")
print(traceback.format_exc())
