import torch
def attempt(label, f):
    x = torch.tensor([1., 2.], requires_grad=True)
    try:
        f(x).sum().backward()
        print(label, "ok", x.grad)
    except Exception as e:
        print(label, type(e).__name__, e)
def f1(x):
    y = x * 1; z = y * y; y += 1; return z
def f2(x):
    y = x.exp(); y += 1; y *= 2; return y
def f3(x):
    y = x.tanh(); z = y.relu_(); return z
def f4(x):
    y = x.clone(); z = y.pow(2); y.zero_(); return z
def f5(x):
    w = torch.ones(2); y = x * w; w[0] = 5; return y
def f6(x):
    y = x.clone(); z = y.sigmoid(); z.view(-1)[0] = 3; return z
def f7(x):
    y = (x * 2).sqrt(); y.detach().mul_(2); return y
def f8(x):
    y = (x * 2).sqrt(); y.data.mul_(2); return y
def f9(x):
    y = x.clone(); z = y.prod(); y.add_(1); return z
def f10(x):
    y = x.clone(); z = y / 3; y.add_(1); return z
def f11(x):
    y = x.clone(); z = 3 / y; y.add_(1); return z
def f12(x):
    w = torch.eye(2); y = w @ x; w.mul_(2); return y
def f13(x):
    a, b = (x * 1).unbind(); c = a * b; a += 1; return c
def f15(x):
    y = x * 1; z = y.max(); y.add_(1); return z
def f16(x):
    y = x.clone(); z = y.norm(); y.add_(1); return z
def f17(x):
    y = x.clone(); z = y.softmax(0); z.mul_(2); return z
def f18(x):
    y = x.clone(); z = y.cumsum(0); z.mul_(2); return z
def f19(x):
    y = x.clone(); z = torch.where(y > 1, y, -y); y.mul_(2); return z
def f20(x):
    y = x.clone(); z = y.abs(); y.neg_(); return z
def f21(x):
    y = x.clone(); z = y.std(); y.neg_(); return z
def f22(x):
    y = x.clone(); z = torch.dot(y, y); y.neg_(); return z
def f23(x):
    y = x.clone(); i = torch.tensor([0, 0]); z = y[i]; i[0] = 1; return z
def f24(x):
    y = x.clone(); i = torch.tensor([0, 0]); z = y.gather(0, i); i[0] = 1; return z
def f25(x):
    y = x.clone(); z = torch.cat([y, y]); y.neg_(); return z
def f26(x):
    y = x.clone(); z = torch.stack([y, y]).log(); y.neg_(); return z
def f27(x):
    m = torch.nn.Linear(2, 2); y = m(x * 1); 
    with torch.no_grad(): m.weight.fill_(1.); 
    return y
def f28(x):
    m = torch.ones(2, 2, requires_grad=True); y = m @ x
    with torch.no_grad(): m.add_(1)
    return y
for i, f in enumerate([f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f15, f16, f17, f18, f19, f20, f21, f22, f24, f25, f26, f27, f28]):
    attempt(f.__name__, f)
