import torch
m = torch.nn.Linear(2, 1)
t = torch.jit.trace(m, torch.ones(1, 2))
print(torch.equal(t(torch.ones(1,2)), m(torch.ones(1,2))))
s = torch.jit.script(m)
print(torch.equal(s.weight, m.weight))
class A(torch.nn.Module):
    @torch.jit.ignore
    def g(self): return 1
    @torch.jit.export
    def h(self): return 2
    @torch.jit.unused
    def i(self): return 3
    def forward(self, x): return x
print(A().g(), A().h(), A().i())
