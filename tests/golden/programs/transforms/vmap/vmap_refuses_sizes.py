import torch
a = torch.arange(6.).reshape(2, 3)
for f in (lambda x: x.nonzero(), lambda x: x[x > 1], lambda x: torch.nonzero(x), lambda x: x[torch.tensor([0, 1])], lambda x: torch.where(x > 1, x, 0.)):
    try: print(torch.vmap(f)(a))
    except Exception as e: print(type(e).__name__, e)
print(a[a > 1], a.nonzero().shape)
