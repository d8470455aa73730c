"""Modules whose classes have ``__setattr__`` and ``__delattr__`` of their own, which hand on to those of PyTorch."""

import copy
import torch, torch.nn as nn
import torch.nn.utils.parametrize as P

seen = []


class Loud:
    def __setattr__(self, name, value):
        seen.append(name)
        super().__setattr__(name, value)

    def __delattr__(self, name):
        super().__delattr__(name)


x = torch.ones(2, 4)
seq = torch.ones(3, 2, 4)
img = torch.ones(2, 4, 6, 6)
tok = torch.tensor([[0, 1]])
made = [
    (nn.Linear, (4, 4), (x,)),
    (nn.LSTM, (4, 4), (seq,)),
    (nn.GRU, (4, 4, 2), (seq,)),
    (nn.RNN, (4, 4), (seq,)),
    (nn.LSTMCell, (4, 4), (x,)),
    (nn.GRUCell, (4, 4), (x,)),
    (nn.MultiheadAttention, (4, 2), (seq, seq, seq)),
    (nn.TransformerEncoderLayer, (4, 2, 8), (seq,)),
    (nn.TransformerDecoderLayer, (4, 2, 8), (seq, seq)),
    (nn.BatchNorm2d, (4,), (img,)),
    (nn.Conv2d, (4, 4, 3), (img,)),
    (nn.ConvTranspose2d, (4, 4, 3), (img,)),
    (nn.LayerNorm, (4,), (x,)),
    (nn.GroupNorm, (2, 4), (img,)),
    (nn.InstanceNorm2d, (4,), (img,)),
    (nn.Embedding, (4, 3), (tok,)),
    (nn.EmbeddingBag, (4, 3), (tok,)),
    (nn.Sequential, (nn.Linear(4, 4), nn.ReLU()), (x,)),
    (nn.Dropout, (0.5,), (x,)),
    (nn.PReLU, (), (x,)),
    (nn.CrossEntropyLoss, (), (x, torch.tensor([0, 1]))),
    (nn.Bilinear, (4, 4, 3), (x, x)),
    (nn.Flatten, (), (img,)),
    (nn.MaxPool2d, (2,), (img,)),
    (nn.Upsample, (), ()),
    (nn.ModuleList, ([nn.Linear(1, 1)],), ()),
    (nn.ModuleDict, ({"a": nn.Linear(1, 1)},), ()),
    (nn.ParameterList, ([torch.ones(1)],), ()),
    (nn.ParameterDict, ({"a": torch.ones(1)},), ()),
    (nn.AdaptiveLogSoftmaxWithLoss, (4, 6, [2]), (x, torch.tensor([0, 3]))),
    (nn.Identity, (), (x,)),
    (nn.Softmax, (1,), (x,)),
    (nn.MSELoss, (), (x, x)),
    (nn.Fold, ((6, 6), 2), ()),
    (nn.Unfold, (2,), (img,)),
    (nn.DataParallel, (nn.Linear(4, 4),), (x,)),
    (nn.SyncBatchNorm, (4,), ()),
]
for base, given, inputs in made:
    cls = type("My" + base.__name__, (Loud, base), {})
    try:
        torch.manual_seed(0)
        m = cls(*given)
        torch.manual_seed(0)
        n = base(*given)
        if inputs:
            torch.manual_seed(0)
            a = m(*inputs)
            torch.manual_seed(0)
            b = n(*inputs)
            a, b = (v[0] if isinstance(v, tuple) else v for v in (a, b))
            assert torch.equal(a, b)
            a.sum().backward() if a.requires_grad else None
        m.extra = 3
        m._extra = 4
        m.p = nn.Parameter(torch.ones(1))
        m.b = torch.ones(1)
        del m.extra, m.p, m.b
        m.eval()
        m.to(torch.float64)
        m.requires_grad_(False)
        m.zero_grad()
        m.train()
        k = copy.deepcopy(m)
        k.load_state_dict(m.state_dict())
        m.share_memory()
        print(base.__name__, "ok", len(list(m.parameters())), m._extra, hasattr(m, "b"))
    except Exception as e:
        print(base.__name__, "FAIL", type(e).__name__, str(e)[:150])


class M(nn.Module):
    def __init__(self):
        super().__init__()
        nn.Module.__setattr__(self, "a", 3)
        self.__setattr__("w", nn.Parameter(torch.ones(1)))
        object.__setattr__(self, "plain", nn.Linear(1, 1))
        super().__setattr__("_private", [1])
        super().__setattr__("sub", nn.Linear(1, 1))

    def __setattr__(self, name, value):
        if name.startswith("no_"):
            raise AttributeError(f"no {name}")
        return super().__setattr__(name, value)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name != "other":
                raise
            return "<other>"


m = M()
print(m.a, m._private, list(dict(m.named_parameters())), list(m._modules), m.other, m.plain)
for f in (
    lambda: setattr(m, "no_x", 1),
    lambda: nn.Module.__setattr__(m, "w", 3),
    lambda: nn.Module.__delattr__(m, "nope"),
    lambda: m.__delattr__("a"),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e)[:60])
P.register_parametrization(m, "w", nn.Identity())
m._more = 1
try:
    m.w = torch.zeros(1)
except RuntimeError as e:
    print(e)
print(m.w, m._more, m.other)
del m._more
print(hasattr(m, "_more"))
