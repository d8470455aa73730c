import torch
from torch.func import vmap, grad
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
a = torch.arange(6.).reshape(2, 3)
torch.manual_seed(0)
print(vmap(lambda x: x + torch.rand(3), randomness='same')(a))
torch.manual_seed(0)
print(vmap(lambda x: x + torch.rand(3), randomness='different')(a))
torch.manual_seed(0)
attempt(lambda: vmap(lambda x: torch.randn(2), randomness='different')(a))
attempt(lambda: vmap(lambda x: torch.nn.functional.dropout(x, 0.5))(a))
torch.manual_seed(0)
attempt(lambda: vmap(lambda x: torch.nn.functional.dropout(x, 0.5), randomness='different')(a))
attempt(lambda: vmap(lambda x: torch.nn.functional.dropout(x, 0.5), randomness='same')(a))
