import torch
from torch import nn
from torch import ones

with torch.device("meta"):
    m = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Flatten(), nn.Linear(8, 2))
    t = torch.zeros(3, 4)
    u = ones(2)
    v = torch.tensor([1, 2])
    c = torch.ones(2, device="cpu")
    a = torch.arange(5)
    with torch.device("cpu"):
        print(torch.ones(1))
    w = torch.randn(2, 2, dtype=torch.float64)

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.randn(3, 2))
            self.register_buffer("b", torch.zeros(2))

        def forward(self, x):
            return x @ self.w + self.b

    n = N()
    e = nn.TransformerEncoderLayer(4, 2, 8)
    torch.get_default_device()
print(t, u, v, c, a, w, torch.ones(1))
print(
    {p.device for p in m.parameters()},
    m[0].weight,
    n.w,
    n.b,
    e.linear1.weight.is_meta,
    n(torch.empty(5, 3, device="meta")).shape,
)
torch.manual_seed(0)
with torch.device("meta"):
    nn.Linear(3, 3)
print(torch.rand(1))
n2 = N()
n.load_state_dict(n2.state_dict(), assign=True)
print(n(torch.ones(1, 3)).shape, n.w.device)
torch.set_default_device("meta")
print(torch.zeros(2), torch.get_default_device(), nn.Linear(1, 1).weight)
torch.set_default_device("cpu")
print(torch.zeros(2), torch.get_default_device())
torch.set_default_device(None)
torch.set_default_device("cuda")
for f in (lambda: torch.ones(1), lambda: nn.Linear(1, 1), lambda: torch.tensor(1)):
    try:
        f()
    except (RuntimeError, AssertionError) as err:
        print(type(err).__name__, err)
torch.set_default_device("cpu")


@torch.no_grad()
def f():
    return torch.ones(1).device


with torch.device("meta"):
    print(f(), torch.empty(2, 3).to_empty if False else "")
try:
    with torch.device("meta"):
        raise ValueError("x")
except ValueError:
    print(torch.ones(1).device)
try:
    m.to("cpu")
except NotImplementedError as err:
    print(err)
