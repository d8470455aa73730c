import torch
from torch import nn

torch.manual_seed(0)
FACTORS = torch.tensor([0.5, 2.0, -1.5, 0.75])


def grid(*sizes):
    count = 1
    for size in sizes:
        count *= size
    return ((torch.arange(count) * 23) % 41).reshape(sizes) / 9 - 2


def shown(made):
    return made.dtype, [round(v, 3) for v in made.flatten()[:6].tolist()]


LAYERS = [
    (nn.RMSNorm(4), (3, 4)),
    (nn.RMSNorm(4, eps=1e-3), (3, 4)),
    (nn.RMSNorm(4, elementwise_affine=False), (3, 4)),
    (nn.LayerNorm(4), (3, 4)),
    (nn.GroupNorm(2, 4), (3, 4, 5)),
    (nn.BatchNorm1d(4), (5, 4)),
    (nn.BatchNorm2d(4, momentum=None), (2, 4, 3, 2)),
    (nn.BatchNorm2d(4, affine=False, track_running_stats=False), (2, 4, 3, 2)),
    (nn.InstanceNorm1d(4, affine=True, track_running_stats=True), (3, 4, 5)),
    (nn.InstanceNorm1d(4, track_running_stats=True), (3, 4, 5)),
]
for kind in (torch.bfloat16, torch.float16):
    for layer, sizes in LAYERS:
        for parameter in layer.parameters():
            parameter.grad = None
            if parameter.sum():
                parameter.data.copy_(FACTORS)
        x = grid(*sizes).to(kind).requires_grad_()
        y = layer.train()(x)
        y.backward((((torch.arange(y.numel()) * 29) % 31).reshape(sizes) / 8 - 1.5).to(kind))
        print(type(layer).__name__, *shown(y), *shown(x.grad), *[shown(p.grad) for p in layer.parameters()])
        for name, buffer in layer.named_buffers():
            print(" ", name, *shown(buffer))
        print("  evaluated", *shown(layer.eval()(x)))

for layer in (nn.LayerNorm(4), nn.GroupNorm(2, 4), nn.BatchNorm1d(4)):
    for kind, own in (("float32", "bfloat16"), ("float32", "float16"), ("bfloat16", "float16"), ("float16", "float64")):
        try:
            print(layer.to(getattr(torch, own))(grid(3, 4).to(getattr(torch, kind))).dtype)
        except RuntimeError as error:
            print(kind, own, error)
print(nn.RMSNorm(4).bfloat16()(grid(3, 4)).dtype, nn.RMSNorm(4)(grid(3, 4).double()).dtype)
with torch.autocast("cpu", torch.bfloat16):
    made = nn.RMSNorm(4)(nn.Linear(4, 4, bias=False)(torch.zeros(2, 4)))
print(made.dtype, made.tolist())
