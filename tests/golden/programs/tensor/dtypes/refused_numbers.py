"""Numbers that a dtype cannot hold, wherever one number meets a tensor."""

import torch
import torch.nn.functional as F


def shown(text, function):
    try:
        result = function()
        print(text, result.dtype, result.tolist())
    except Exception as error:
        print(text, f"{type(error).__name__}: {error}")


def write(x, key, value):
    x[key] = value
    return x


mask, index = torch.tensor([True, False]), torch.tensor([0])
for dtype in (torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.uint8, torch.complex64):
    for value in (1e300, -1e39, 70000.0, 1j, 300, -1, -300, 2**40, 1.5, float("inf")):
        x = torch.zeros(2, dtype=dtype)
        shown(f"{dtype} {value} item", lambda: write(x.clone(), 0, value))
        shown(f"{dtype} {value} mask", lambda: write(x.clone(), mask, value))
        shown(f"{dtype} {value} fill_", lambda: x.clone().fill_(value))
        shown(f"{dtype} {value} full", lambda: torch.full((1,), value, dtype=dtype))
        shown(f"{dtype} {value} index_fill", lambda: x.index_fill(0, index, value))
        shown(f"{dtype} {value} masked_fill", lambda: x.masked_fill(mask, value))
        shown(f"{dtype} {value} scatter", lambda: x.scatter(0, index, value))
        if dtype is not torch.float16 and not (dtype is torch.uint8 and value == -1):
            shown(f"{dtype} {value} pad", lambda: F.pad(x, (1, 0), value=value))
            shown(f"{dtype} {value} clamp", lambda: x.clamp(max=value))
            shown(f"{dtype} {value} where", lambda: torch.where(mask, x, value))
for value in (-1, -300, 300, 2**40):
    x = torch.tensor([1, 3], dtype=torch.uint8)
    shown(f"uint8 / {value}", lambda: x / value)
    shown(f"uint8 ** {value}", lambda: x**value)
