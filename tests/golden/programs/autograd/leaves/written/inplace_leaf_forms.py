import torch
def attempt(label, f):
    x = torch.tensor([1., 2., 3., 4.], requires_grad=True)
    try:
        r = f(x)
        print(label, "ok", r, x._version)
    except Exception as e:
        print(label, type(e).__name__, e)
def setit(x): x[0] = 9
def aug(x):
    x += 1
def sl(x):
    x[1:] *= 2
attempt("add_", lambda x: x.add_(1))
attempt("iadd", aug)
attempt("set", setit)
attempt("slice", sl)
attempt("view", lambda x: x.view(2, 2).mul_(2))
attempt("detach", lambda x: x.detach().mul_(2))
attempt("data", lambda x: x.data.mul_(2))
attempt("fill", lambda x: x.fill_(0))
attempt("zero", lambda x: x.zero_())
attempt("unbind", lambda x: x.unbind()[0].zero_())
attempt("chunk", lambda x: x.chunk(2)[0].zero_())
attempt("split", lambda x: x.split(2)[0].zero_())
attempt("narrow", lambda x: x.narrow(0, 0, 2).zero_())
attempt("copy", lambda x: x.copy_(torch.zeros(4)))
attempt("clone", lambda x: x.clone().zero_())
attempt("expand", lambda x: x.expand(2, 4).zero_())
attempt("t", lambda x: x.view(2, 2).t().add_(1))
attempt("requires", lambda x: x.requires_grad_(False).add_(1))
attempt("squeeze", lambda x: x.unsqueeze_(0))
attempt("relu", lambda x: torch.relu_(x))
attempt("clamp", lambda x: x.clamp_(min=0))
attempt("detach_", lambda x: x.detach_().add_(1))
attempt("uniform", lambda x: x.uniform_())
attempt("normal", lambda x: torch.nn.init.zeros_(x))
attempt("resize", lambda x: x.data.fill_(3))
attempt("swap", lambda x: x.masked_fill_(x > 2, 0))
attempt("index", lambda x: x.index_fill_(0, torch.tensor([0]), 1))
attempt("where", lambda x: x.t_())
