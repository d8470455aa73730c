"""What classes of programs override, read and write of Python's library and of tensors: the texts are Python's and PyTorch's own."""

from __future__ import annotations

from typing import Final

import pytest

from gradflow.engine.run import run

PROGRAMS: Final = """
import queue
class Unique(queue.Queue):
    def _init(self, maxsize): self.queue = set()
    def _put(self, item): self.queue.add(item)
    def _get(self): return self.queue.pop()
waiting = Unique()
waiting.put(7)
waiting.put(7)
print(waiting.qsize(), waiting.get(), waiting.empty())
=====
1 7 True
---
import queue
class Falling(queue.PriorityQueue):
    def _put(self, item): super()._put((-item, item))
    def _get(self): return super()._get()[1]
waiting = Falling()
for size in (1, 5, 2):
    waiting.put(size)
print([waiting.get() for _ in range(3)], waiting.unfinished_tasks)
=====
[5, 2, 1] 3
---
import queue
class Told(queue.Queue):
    def put(self, item, *given, **named):
        print('put', item)
        super().put(item, *given, **named)
waiting = Told(1)
waiting.put('a')
try:
    waiting.put_nowait('b')
except queue.Full:
    print('full')
with waiting.mutex:
    print(list(waiting.queue))
waiting.task_done()
try:
    waiting.task_done()
except ValueError as error:
    print(error)
=====
put a
put b
full
['a']
task_done() called too many times
---
import collections
class Stock(collections.Counter):
    def _keep_positive(self):
        print('kept')
        return super()._keep_positive()
left = Stock(tea=2)
left -= Stock(tea=1, milk=3)
print(left, collections.Counter(a=-1, b=2)._keep_positive())
=====
kept
Stock({'tea': 1}) Counter({'b': 2})
---
import contextlib
class Timed(contextlib.ContextDecorator):
    def __init__(self, count=0): self.count = count
    def _recreate_cm(self): return Timed(self.count + 1)
    def __enter__(self): print('in', self.count)
    def __exit__(self, *problem): print('out')
@Timed()
def work(): print('work')
work()
=====
in 1
work
out
---
import unittest
class Case(unittest.TestCase):
    def _formatMessage(self, msg, standardMsg): return f'<{super()._formatMessage(msg, standardMsg)}>'
    def test(self):
        try:
            self.assertEqual(1, 2, 'one and two')
        except AssertionError as error:
            print(error)
        for part in range(2):
            with self.subTest(part=part):
                self.assertGreaterEqual(part, 0)
        self.addCleanup(print, 'cleaned')
        print(self._testMethodName, self._formatMessage(None, 'b'))
Case('test').run()
=====
<1 != 2 : one and two>
test <b>
cleaned
---
import logging
class Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self._stream, self._text, self._filters = [], 1, 2
    def emit(self, record): self._stream.append(self.format(record))
handler = Kept()
handler.setFormatter(logging.Formatter('%(levelname)s|%(message)s'))
logger = logging.getLogger('kept')
logger.addHandler(handler)
logger.error('shown')
print(handler._stream)
=====
['ERROR|shown']
---
import threading
class Worker(threading.Thread):
    def __init__(self, function, *given):
        super().__init__()
        self._target, self._args, self._number, self._result = function, given, 3, None
    def run(self): self._result = self._target(*self._args)
worker = Worker(max, 1, 2)
worker.start()
worker.join()
print(worker._result, worker._number)
=====
2 3
---
import torch
from torch import nn
class Tagged:
    kind = 'tagged'
    @property
    def tag(self): return getattr(self, '_label', 'none')
    @tag.setter
    def tag(self, value): self._label = value
class Described(Tagged):
    def describe(self): return f'{type(self).__name__} {self.kind} {self.tag} {tuple(self.shape)} {self.sum().item()}'
    @classmethod
    def of(cls, *values): return torch.tensor(values).as_subclass(cls)
class Image(Described, torch.Tensor): pass
class Mask(torch.Tensor, Described):
    def double(self): return self * 2
class Weight(Described, nn.Parameter): pass
image = Image([1., 2.])
image.tag = 'left'
print(image.describe(), '|', (image + 1).describe(), '|', Image.of(1., 3.).describe())
print(Mask([3.]).double().describe(), isinstance(image, Tagged))
layer = nn.Linear(2, 1, bias=False)
layer.weight = Weight(torch.ones(1, 2))
print(layer(torch.ones(1, 2)).item(), layer.weight.describe())
Described.count = lambda self: self.ndim
print(image.count())
=====
Image tagged left (2,) 3.0 | Image tagged none (2,) 5.0 | Image tagged none (2,) 4.0
Mask tagged none (1,) 6.0 True
2.0 Weight tagged none (1, 2) 2.0
1
---
import torch
class Told:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print('call', func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})
class Traced(Told, torch.Tensor): pass
(Traced([1., 2.]) * 2).sum()
=====
call mul
call sum
---
import copy, torch
from torch import nn
layer = nn.LazyLinear(2)
again = copy.deepcopy(layer)
print(len(layer._forward_pre_hooks), layer(torch.ones(1, 3)).shape, layer, len(layer._forward_pre_hooks), again)
print(again(torch.ones(1, 4)).shape, again)
=====
1 torch.Size([1, 2]) Linear(in_features=3, out_features=2, bias=True) 0 LazyLinear(in_features=0, out_features=2, bias=True)
torch.Size([1, 2]) Linear(in_features=4, out_features=2, bias=True)
---
import torch
from torch.distributions import HalfNormal, constraints, transforms
class Scaled(transforms.Transform):
    bijective, domain, codomain = True, constraints.real, constraints.real
    def __init__(self, factor):
        super().__init__()
        self.settings, self.identical, self.bounds = {'factor': factor}, 3, (0, 1)
    def _call(self, x): return self.settings['factor'] * x
class Half(HalfNormal):
    base, fixed = 'e', ('scale',)
scaled = Scaled(2)
print(scaled(torch.ones(1)), scaled == scaled, scaled.bounds, Half(torch.tensor(2.)).expand((2,)).scale, Half.base)
=====
tensor([2.]) True (0, 1) tensor([2., 2.]) e
""".strip().split("\n---\n")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_right_program_runs(program: str) -> None:
    source, _, expected = program.partition("\n=====\n")
    trace = run(source)
    assert (trace.error, trace.stdout.strip()) == (None, expected)
