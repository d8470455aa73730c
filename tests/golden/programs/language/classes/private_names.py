import torch, enum, dataclasses, typing, collections, abc, unittest, contextlib
from torch import nn
from typing import Generic, TypeVar, Protocol
T=TypeVar("T")
class A:
    def _helper(self): return 1
class B(A):
    def _helper(self): return super()._helper()+1
print(B()._helper())
class Net(nn.Module):
    def __init__(self): super().__init__(); self._begin=1; self._release=2; self.l=nn.Linear(2,2)
    def _named(self): return 'n'
    def _check(self): return 3
    def _init_weights(self, m): return m
    def _member(self): return 4
n=Net(); print(n._named(), n._check(), n._begin, n._release, n._member())
class Box(Generic[T]):
    def __init__(self, x: T): self.x=x
    def _get(self): return self.x
print(Box[int](3)._get(), Box(4).x)
class Single(Generic[T]):
    _i=None
    def __new__(cls, *a):
        if cls._i is None: cls._i=super().__new__(cls)
        return cls._i
print(Single[int]() is Single[str]())
class D2(Single[int]): pass
print(type(D2()).__name__)
class P(Protocol):
    def run(self) -> int: ...
class Color(enum.Enum):
    RED=1
    _ignore_=["x"]
    x=3
    @classmethod
    def _missing_(cls, v): return cls.RED
print(Color(9), list(Color))
class Auto(enum.Enum):
    def _generate_next_value_(name, start, count, last): return name.lower()
    A1=enum.auto()
print(Auto.A1.value)
@dataclasses.dataclass
class C:
    name: str
    keys: list = dataclasses.field(default_factory=list)
    format: str = "x"
print(C('a'), dataclasses.replace(C('a'), format='y'), dataclasses.asdict(C('q')))
@dataclasses.dataclass
class Base:
    a: int = 1
@dataclasses.dataclass
class Child(Base):
    a: int = 2
    b: int = 3
print(Child())
@dataclasses.dataclass(eq=False)
class MLP(nn.Module):
    din: int
    dout: int = 3
    def __post_init__(self):
        super().__init__(); self.f=nn.Linear(self.din,self.dout)
print(MLP(2))
@dataclasses.dataclass
class Err(Exception):
    code: int
    message: str = ''
try: raise Err(3,'x')
except Err as e: print(e.code, e)
@dataclasses.dataclass
class Dct(dict):
    x: int = 0
print(Dct(3).x)
class TE(nn.TransformerEncoderLayer):
    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False): return x*0
    def _ff_block(self, x): return x
t=TE(4,2,batch_first=True,dropout=0.); print(t(torch.ones(1,2,4)).shape)
class Opt(torch.optim.Optimizer):
    def __init__(self,p,lr): super().__init__(p,dict(lr=lr))
    def _update(self,p): p.sub_(0.1*p.grad)
    def step(self, closure=None):
        with torch.no_grad():
            for g in self.param_groups:
                for p in g['params']: self._update(p)
l=nn.Linear(1,1); l(torch.ones(1,1)).sum().backward(); Opt(l.parameters(),.1).step(); print(l.bias.grad)
class DS(torch.utils.data.Dataset):
    def __len__(self): return 3
    def _load(self,i): return i
    def __getitem__(self,i): return self._load(i)
print(list(torch.utils.data.DataLoader(DS())))
class F(torch.autograd.Function):
    @staticmethod
    def _check(x): return x
    @staticmethod
    def forward(ctx,x): return F._check(x)*2
    @staticmethod
    def backward(ctx,g): return g*2
print(F.apply(torch.ones(1,requires_grad=True)))
class Tst(unittest.TestCase):
    def _make(self): return 1
    def test_a(self): self.assertEqual(self._make(),1)
    def runTest(self): self.test_a()
print(Tst().run().wasSuccessful() if hasattr(Tst().run(),'wasSuccessful') else Tst('test_a')._make())
class Norm(torch.distributions.Normal):
    def _helper(self): return self.loc
print(Norm(0.,1.)._helper(), Norm(0.,1.).expand((2,)).loc)
class S(collections.abc.Set):
    def __init__(self,i): self.i=list(i)
    def __contains__(self,x): return x in self.i
    def __iter__(self): return iter(self.i)
    def __len__(self): return len(self.i)
    @classmethod
    def _from_iterable(cls,it): return cls(it)
print(len(S([1,2])|S([3])))
class L(list):
    def __new__(cls,*a): return super().__new__(cls)
print(L[int]([1,2]))
