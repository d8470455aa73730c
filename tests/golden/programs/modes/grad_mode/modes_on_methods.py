import torch
class M:
    @torch.no_grad()
    def a(self, x): return (x * 2).requires_grad
    @staticmethod
    @torch.no_grad()
    def b(x): return (x * 2).requires_grad
    @classmethod
    @torch.inference_mode()
    def c(cls, x): return (x * 2).is_inference()
x = torch.ones(1, requires_grad=True)
m = M()
print(m.a(x), M.b(x), M.c(x))
@torch.no_grad()
class K:
    def __init__(self, x):
        self.y = x * 2
print(K(x).y.requires_grad)
