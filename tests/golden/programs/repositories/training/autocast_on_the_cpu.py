import torch
import torch.nn as nn
import torch.nn.functional as F


def names(node, depth=0):
    if node is not None and depth < 6:
        print("  " * depth + node.name())
        for following, _ in node.next_functions:
            names(following, depth + 1)


torch.manual_seed(0)
x = torch.randn(4, 3)
w = torch.randn(3, 3, requires_grad=True)
print(torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"), torch.amp.autocast("cpu").fast_dtype)
with torch.autocast("cpu", dtype=torch.bfloat16):
    print(torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled())
    y = x @ w
    names((y + F.linear(x, w)).grad_fn)
    loss = F.cross_entropy(y, torch.tensor([0, 1, 2, 0]))
    names(loss.grad_fn)
    print(y.dtype, loss.dtype, y.exp().dtype, y.prod().dtype, torch.cat([y, x]).dtype, (y + x).dtype)
    print(F.mse_loss(y, x).dtype, torch.mv(w, x[0]).dtype, torch.einsum("ij,jk->ik", x, w).dtype, torch.bmm(x[None], w[None]).dtype)
    print(nn.Conv2d(1, 2, 2)(torch.randn(1, 1, 3, 3)).dtype, nn.GRU(3, 2)(x[None])[0].dtype)
    print(nn.MultiheadAttention(4, 2)(torch.randn(2, 4), torch.randn(2, 4), torch.randn(2, 4))[0].dtype)
    with torch.autocast("cpu", enabled=False):
        print((x @ w).dtype, torch.is_autocast_enabled("cpu"))
    with torch.no_grad():
        print((x @ w).requires_grad)
    print((x @ w).requires_grad, (x.double() @ x.double().T).dtype)
loss.backward()
print(w.grad.dtype, torch.is_autocast_enabled("cpu"))


@torch.autocast("cpu")
def product(a, b):
    return a @ b


print(product(x, x.T).dtype, product.__name__)
with torch.autocast("cpu", dtype=torch.float16):
    print((x @ w).dtype)
with torch.autocast("cpu", dtype=torch.float64):
    print((x @ w).dtype)
