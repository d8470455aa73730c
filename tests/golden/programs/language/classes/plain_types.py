import torch
A = type("A", (), {"x": 3, "f": lambda self: self.x + 1})
print(A().f(), A.__name__, A)
B = type("B", (A,), {"y": torch.ones(2)})
print(B().y, B().f(), isinstance(B(), A), type(B()) is B)
cfg = type("Config", (object,), dict(lr=0.1, epochs=2))
print(cfg.lr, cfg().epochs)
M = type("M", (torch.nn.Module,), {"forward": lambda self, x: x * 2})
print(M()(torch.ones(1)))
