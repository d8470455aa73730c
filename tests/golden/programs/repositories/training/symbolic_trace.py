import torch, torch.fx
class M(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.l = torch.nn.Linear(2, 2)
    def forward(self, x): return torch.relu(self.l(x)) + 1
m = M()
g = torch.fx.symbolic_trace(m)
print(torch.equal(g(torch.ones(1,2)), m(torch.ones(1,2))))
