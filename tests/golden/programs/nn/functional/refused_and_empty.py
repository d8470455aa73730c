import torch
import torch.nn.functional as F


def tried(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


bytes_ = torch.tensor([0, 1, 7], dtype=torch.uint8)
for bounds in [(), (-2, 2), (0, 2), (2, 1), (0.5, 2.5)]:
    tried(lambda: F.hardtanh(bytes_, *bounds))
for shape in [(0, 0), (2, 0, 0), (0, 3, 3), (0, 3)]:
    for p in [None, 2, -2, 1, float("inf"), "fro", "nuc"]:
        tried(lambda: torch.linalg.cond(torch.ones(shape), p))
for kind in [torch.int64, torch.int32, torch.uint8, torch.bool]:
    x = torch.arange(6).reshape(2, 3).to(kind)
    tried(lambda: torch.renorm(x, 2, 0, 1.0))
    tried(lambda: x.renorm_(1, 0, 5))
    tried(lambda: x.renorm(-1, 0, 5))
