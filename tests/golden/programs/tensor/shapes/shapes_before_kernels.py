import torch
kinds = [
    (torch.ones(2, dtype=torch.bool), torch.ones(3, dtype=torch.bool)),
    (torch.ones(2, dtype=torch.complex64), torch.ones(3)),
    (torch.ones(2), torch.ones(3, dtype=torch.int64)),
]
for f in [torch.floor_divide, torch.remainder, torch.fmod, torch.atan2, torch.hypot, torch.copysign, torch.lt, torch.gcd, torch.bitwise_and, torch.nextafter, torch.rsub, torch.heaviside]:
    for x, y in kinds:
        for other in (y, y[:2]):
            try:
                print(f(x, other).dtype)
            except Exception as e:
                print(type(e).__name__, e)
for name in ["floor_divide_", "gcd_", "heaviside_", "hypot_"]:
    for x, y in kinds:
        for other in (y, y[:2]):
            try:
                print(getattr(x.clone(), name)(other).dtype)
            except Exception as e:
                print(type(e).__name__, e)
