import torch, enum
from torch import nn
from dataclasses import dataclass
from collections import namedtuple, OrderedDict
@dataclass
class P:
    x: int
    y: int = 0
class Color(enum.Enum):
    RED = 1
    BLUE = 2
NT = namedtuple('NT', 'a b')
class Q:
    __match_args__ = ('u',)
    def __init__(self): self.u = 5; self.w = [1, {'k': (2, 3)}]
def kind(v):
    match v:
        case P(0, y): return ('origin', y)
        case P(x=x, y=5 | 6 as y): return ('five', x, y)
        case P(): return 'p'
        case Color.RED | Color.BLUE as c: return c.name
        case nn.Conv2d(kernel_size=(1, _)): return '1x1'
        case nn.Linear(in_features=n) if n > 3: return ('wide', n)
        case nn.Module(): return type(v).__name__
        case NT(a, [b, *_]): return (a, b)
        case Q(u, w=[_, {'k': (i, j), **rest}]): return (u, i, j, rest)
        case int(n) | float(n) if n < 0: return ('neg', n)
        case bool(): return 'bool'
        case [] : return 'empty'
        case [x]: return ('one', x)
        case [x, *mid, ('end' | 'END') as e]: return (x, mid, e)
        case {'op': 'add', 'args': [a, b], **kw}: return (a + b, kw)
        case {}: return 'map'
        case str(s): return s.upper()
        case torch.Tensor(shape=(n, m)): return ('matrix', n, m)
        case -1.5 + 2j: return 'cx'
        case None | True | False: return 'single'
        case _: return 'other'
for v in [P(0, 3), P(4, 6), P(1, 1), Color.BLUE, nn.Conv2d(1, 1, 1), nn.Linear(4, 1), nn.Linear(2, 1), NT(1, (2, 3, 4)), Q(), -3, -2., True, [], [7], (1, 2, 3, 'end'), range(1), {'op': 'add', 'args': (1, 2), 'z': 9}, {}, OrderedDict(a=1), 'abc', torch.ones(2, 3), -1.5+2j, None, 5, b'x', {1, 2}]:
    print(kind(v))
x = "before"
match [1, 2]:
    case [x, 3]: pass
    case [_, y]: print(x, y)
for bad in (lambda: P(1, 2), lambda: 3):
    try:
        match bad():
            case P(a, b, c): pass
            case int(a, b): pass
    except TypeError as e: print(e)
try:
    match P(1, 2):
        case P(1, x=3): pass
except TypeError as e: print(e)
try:
    match 3:
        case x.upper: print('no')
        case nn.functional.relu(): pass
except (TypeError, AttributeError) as e: print(type(e).__name__, e)
class K:
    match (1, 2):
        case (a, b): c = a + b
print(K.a, K.c)
def gen(items):
    for item in items:
        match item:
            case ('a', v): yield v
            case _: continue
print(list(gen([('a', 1), 3, ('a', 2)])))
