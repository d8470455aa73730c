import torch
from torch.autograd import Function
def attempt(label, f):
    try:
        print(label, f())
    except Exception as e:
        print(label, type(e).__name__, e)
x = torch.tensor([1., 2.], requires_grad=True)
class NoStatic(Function):
    def forward(self, a):
        return a * 2
    def backward(self, g):
        return g * 2
attempt("nostatic", lambda: NoStatic.apply(x))
attempt("nostatic inst", lambda: NoStatic()(x))
class NoBackward(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
attempt("nobackward", lambda: NoBackward.apply(x))
attempt("nobackward b", lambda: NoBackward.apply(x).sum().backward())
class NoForward(Function):
    @staticmethod
    def backward(ctx, g):
        return g
attempt("noforward", lambda: NoForward.apply(x))
class TooMany(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b
    @staticmethod
    def backward(ctx, g):
        return g, g, g
attempt("toomany", lambda: TooMany.apply(x, x).sum().backward())
class TooFew(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b
    @staticmethod
    def backward(ctx, g):
        return g
attempt("toofew", lambda: TooFew.apply(x, x).sum().backward())
class WrongShape(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return torch.ones(3)
attempt("wrongshape", lambda: WrongShape.apply(x).sum().backward())
class Str(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return "gradient"
attempt("str", lambda: Str.apply(x).sum().backward())
class ForNumber(Function):
    @staticmethod
    def forward(ctx, a, k):
        ctx.k = k
        return a * k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, torch.ones(1)
attempt("fornumber", lambda: ForNumber.apply(x, 3).sum().backward())
attempt("missing arg", lambda: ForNumber.apply(x))
attempt("kw", lambda: ForNumber.apply(x, k=3))
class SaveBad(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a, 3)
        return a * 1
    @staticmethod
    def backward(ctx, g):
        return g
attempt("savebad", lambda: SaveBad.apply(x))
class RetList(Function):
    @staticmethod
    def forward(ctx, a):
        return [a * 1, a * 2]
    @staticmethod
    def backward(ctx, *g):
        return g[0]
attempt("retlist", lambda: RetList.apply(x))
class RetNone(Function):
    @staticmethod
    def forward(ctx, a):
        return None
    @staticmethod
    def backward(ctx, *g):
        return g[0]
attempt("retnone", lambda: RetNone.apply(x))
class RetNum(Function):
    @staticmethod
    def forward(ctx, a):
        return 3.5
    @staticmethod
    def backward(ctx, *g):
        return g[0]
attempt("retnum", lambda: RetNum.apply(x))
