import torch
def attempt(label, f):
    try:
        print(label, f())
    except RuntimeError as e:
        print(label, e)
x = torch.arange(4., requires_grad=True)
y = x * 1
for name in ("chunk", "split", "tensor_split", "unbind", "unsafe_chunk", "unsafe_split"):
    y = x * 1
    parts = getattr(y, name)(*([] if name == "unbind" else [2]))
    attempt(name, lambda: parts[0].add_(1))
    attempt(name + " base", lambda: (y.add_(1), parts[1].grad_fn)[1])
y = x * 1
attempt("narrow", lambda: y.narrow(0, 0, 2).add_(1))
attempt("select", lambda: y.select(0, 0).add_(1))
attempt("iter", lambda: [t.add_(1) for t in y])
with torch.no_grad():
    for t in y:
        t.add_(1)
print(y)
for r in torch.ones(2, 2):
    r.zero_()
m = torch.ones(2, 2)
for r in m:
    r *= 3
print(m)
q = torch.ones(2, 2, requires_grad=True)
attempt("rows", lambda: [r.zero_() for r in q])
a, b = (x * 2).view(2, 2)
attempt("unpack", lambda: a.mul_(b))
s = torch.split(x * 1, [1, 3])
print(s[1].grad_fn, s[0])
attempt("hsplit", lambda: (x * 1).hsplit(2)[0].add_(1))
attempt("meshgrid", lambda: torch.meshgrid(x * 1, x * 1, indexing="ij")[0].add_(1))
attempt("broadcast", lambda: torch.broadcast_tensors(x * 1, torch.ones(2, 4))[0].add_(1))
attempt("real", lambda: (x * 1).real.add_(1))
attempt("aminmax", lambda: torch.aminmax(x * 1)[0].add_(1))
attempt("max", lambda: (x * 1).max(0)[0].add_(1))
attempt("sort", lambda: (x * 1).sort()[0].add_(1))
