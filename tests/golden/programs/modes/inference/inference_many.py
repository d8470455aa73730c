import torch
def attempt(label, f):
    try:
        print(label, f())
    except Exception as e:
        print(label, type(e).__name__, e)
w = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    i = torch.ones(2)
    j = w * 2
    v = w.view(2)
    print(i.is_inference(), j.is_inference(), v.is_inference(), torch.is_inference_mode_enabled())
    print(j.requires_grad, v.requires_grad, i.requires_grad)
    i.add_(1)
print(torch.is_inference_mode_enabled())
attempt("mul", lambda: i * 2)
attempt("mul save", lambda: i * w)
attempt("add", lambda: i + w)
attempt("inplace", lambda: i.add_(1))
attempt("version", lambda: i._version)
attempt("requires", lambda: i.requires_grad_())
attempt("clone", lambda: i.clone().requires_grad_())
attempt("view", lambda: i.view(2, 1))
attempt("view inplace", lambda: i.view(2, 1).add_(1))
attempt("backward", lambda: j.sum().backward())
attempt("set", lambda: i.__setitem__(0, 3))
attempt("detach", lambda: i.detach().is_inference())
attempt("repr", lambda: repr(i))
with torch.inference_mode(False):
    print((w * 2).requires_grad)
with torch.inference_mode():
    with torch.inference_mode(False):
        print(torch.ones(1).is_inference(), torch.is_grad_enabled())
    with torch.enable_grad():
        print((w * 2).requires_grad)
    w2 = torch.ones(1, requires_grad=True)
    print(w2, w2.requires_grad, w2.is_inference())
attempt("w2", lambda: (w2 * 2).requires_grad)
attempt("w2b", lambda: (w2 + 2).sum().backward())
