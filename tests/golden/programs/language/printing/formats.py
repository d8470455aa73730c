import torch

x = torch.tensor([1.0, 2.0, 3.0])
p = torch.nn.Parameter(torch.tensor(1.5))
print("%s" % x, "%.2f" % x[0], "%d" % x[1], "{:.3f}".format(x[0]), "{0} {1!r}".format(x[0], x))
print(f"{p}", f"{p.data}", f"{p.data:.1f}", f"{x[0]!s:>20}|{x.sum():e}|{x[0]=}")
print([p, x], {"p": p}, x.max(0))
print(f"{p:.1f}")
