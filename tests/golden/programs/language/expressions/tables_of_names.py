"""`globals()` and `locals()`: functions found by their names, texts filled from variables."""
import torch


def case_sum(x):
    return x.sum()


def case_norm(x):
    return (x * x).sum().sqrt()


for name, function in sorted(globals().copy().items()):
    if name.startswith("case_"):
        x = torch.tensor([3.0, 4.0], requires_grad=True)
        function(x).backward()
        print(name, x.grad)


def told(loss, step=1):
    rate = 0.1
    print("{step} {loss:.2f} {rate}".format(**locals()))
    return sorted(locals())


print(told(0.5), "told" in globals(), "rate" in globals())
for size in (1, 2):
    globals()[f"w{size}"] = torch.ones(size)
print(w1, w2, "w3" in locals(), type(globals()))
del globals()["w1"]
try:
    w1
except NameError as error:
    print(error)
