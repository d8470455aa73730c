import torch
import torch.nn.functional as F

torch.manual_seed(0)
x, m = torch.ones(3), torch.ones(3, 3)
b, image = m[None], torch.ones(1, 1, 3, 3)
tries = {
    "mm": lambda: m @ m.long(),
    "mv": lambda: m @ x.long(),
    "vm": lambda: x.half() @ m,
    "dot": lambda: x @ x.double(),
    "bmm": lambda: b @ b.int(),
    "inner": lambda: torch.inner(m, m.double()),
    "tensordot": lambda: torch.tensordot(m, m.double()),
    "addmm self": lambda: torch.addmm(m.double(), m, m),
    "addmm mat1": lambda: torch.addmm(m, m.double(), m),
    "addmv": lambda: torch.addmv(x.double(), m, x),
    "baddbmm": lambda: torch.baddbmm(b.double(), b, b),
    "addbmm": lambda: torch.addbmm(m.double(), b, b),
    "linear input": lambda: F.linear(m.double(), m, x),
    "linear bias": lambda: F.linear(m, m, x.double()),
    "linear no bias": lambda: F.linear(m.double(), m),
    "bilinear": lambda: F.bilinear(m, m.double(), torch.ones(3, 3, 3)),
    "layer norm": lambda: F.layer_norm(m, (3,), x.double(), x.double()),
    "layer norm bias": lambda: F.layer_norm(m, (3,), x, x.double()),
    "layer norm input": lambda: F.layer_norm(m.double(), (3,), x, x),
    "group norm": lambda: F.group_norm(m.double(), 1, x, x),
    "conv": lambda: F.conv2d(image.double(), image, torch.ones(1)),
    "conv no bias": lambda: F.conv2d(image.double(), image),
    "attention": lambda: F.scaled_dot_product_attention(b, b.double(), b),
    "cosine": lambda: F.cosine_similarity(m.long(), m.long()),
    "cross": lambda: torch.linalg.cross(x, x.double()),
    "allclose": lambda: torch.allclose(x, x.double()),
    "Linear": lambda: torch.nn.Linear(3, 2)(m.double()),
    "bool": lambda: m.bool() @ m.bool(),
}
for name, attempt in tries.items():
    try:
        print(name, attempt().dtype)
    except Exception as error:
        print(name, type(error).__name__, error)
