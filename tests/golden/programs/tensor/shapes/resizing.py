import torch


def T(f, *a, **k):
    try:
        r = f(*a, **k)
        print(
            r
            if not isinstance(r, torch.Tensor)
            else (r.tolist(), r.shape, r.stride(), r.storage_offset(), r._version, r.untyped_storage().nbytes())
        )
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])


x = torch.arange(6.0)
T(x.resize_, 2, 2)
T(x.resize_, (2, 3))
x.resize_(3, 3)[2] = 0
print(x._version)
w = torch.zeros(3, requires_grad=True)
T(w.resize_, 2)
T(w.resize_, 3)
T((w * 2).resize_, 2)
with torch.no_grad():
    T(w.resize_, 2)
T(w.resize_as_, x)
v = torch.arange(6.0)[2:]
T(v.resize_, 2)
v.resize_(5)[4] = 0
print(v)
T(x.resize_, -1)
T(x.resize_, [2, -1])
T(x.resize_, (2,), memory_format=torch.contiguous_format)
a = torch.zeros(3)
b = torch.arange(6.0).view(2, 3).t()
T(a.set_, b)
print(a.is_set_to(b), a._base, a.data_ptr() == b.data_ptr())
a[0, 0] = 9
print(b)
print(a.numel(), a.shape)
T(a.set_, torch.zeros(2, dtype=torch.int64))
T(a.set_, torch.arange(6.0).storage())
T(a.set_, torch.arange(6.0).untyped_storage())
T(a.set_, torch.arange(6.0).untyped_storage(), 1, (2,), (2,))
T(a.set_, w.detach())
print(a.is_set_to(a.view(-1)), a.is_set_to(a.view(a.shape)), a.is_same_size(a), torch.is_same_size(a, b))
T(a.apply_, lambda v: v + 1)
T(a.map_, a, lambda p, q: p * q)
T(a.map_, torch.ones(3), lambda p, q: p * q)
T(w.apply_, lambda v: v)
T(w.map_, w, lambda p, q: p)
T(a.apply_, 3)
pass
i = torch.arange(3)
T(i.apply_, lambda v: v * 2.7)
a = torch.ones(2, 3)
T(a.map_, torch.ones(3), lambda p, q: p + q)
T(a.map2_, a, a, lambda p, q, r: p + q + r)
s = torch.arange(4.0)
st = s.storage()
print(type(st), len(st), st.size(), st.nbytes(), st.data_ptr() == s.data_ptr(), st[1], list(st))
print(st)
u = s.untyped_storage()
print(type(u), len(u), u.size(), u.nbytes(), u.data_ptr() == s.data_ptr(), u[0])
print(s[1:].storage().data_ptr() == s.storage().data_ptr(), s[1:].untyped_storage().data_ptr() == u.data_ptr())
print(s.nbytes, s.storage().dtype, s.storage().element_size(), s.storage().tolist())

print(torch.resize_as_(torch.zeros(2), torch.zeros(3, 2)).shape)
T(torch.zeros(2).expand(3, 2).resize_, 2)
t = torch.ones(2, 3)
T(t.as_strided_, (3, 2), (1, 3))
w2 = torch.ones(2, 3, requires_grad=True) * 1
r = w2.as_strided_((3, 2), (1, 3))
print(r.grad_fn.name(), r is w2)
r.sum().backward()
w3 = torch.ones(2, 3, requires_grad=True)
T(w3.as_strided_, (3, 2), (1, 3))
b = torch.ones(4, requires_grad=True) * 2
c = b[:2]
c.as_strided_((1,), (1,))
print(c.grad_fn.name(), c._base is b)
for nm, a in [
    ("squeeze_", ()),
    ("unsqueeze_", (0,)),
    ("t_", ()),
    ("transpose_", (0, 1)),
    ("swapaxes_", (0, 1)),
    ("swapdims_", (0, 1)),
    ("squeeze_", (0,)),
    ("squeeze_", ((0,),)),
]:
    y = torch.ones(1, 3, requires_grad=True) * 1
    r = getattr(y, nm)(*a)
    print(nm, y.grad_fn.name(), y.shape, y._version, r is y, y._is_view())
    y = torch.ones(1, 3, requires_grad=True) * 1
    v = y.view(3, 1)
    getattr(v, nm)(*a)
    print("  view", v.grad_fn.name(), v.shape, v._base is y, y.grad_fn.name(), y._version)
    l = torch.ones(1, 3, requires_grad=True)
    try:
        getattr(l, nm)(*a)
    except Exception as e:
        print("  leaf", e)
