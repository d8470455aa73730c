import torch

torch.manual_seed(43)
functions = [
    torch.special.ndtr,
    torch.special.ndtri,
    torch.special.log_ndtr,
    torch.special.i0,
    torch.special.i0e,
    torch.special.i1,
    torch.special.i1e,
    lambda x: torch.special.multigammaln(x + 3, 2),
    torch.special.erfinv,
    torch.special.entr,
    torch.sinc,
]
for function in functions:
    x = torch.rand(4, dtype=torch.float64).mul(0.8).add(0.1).requires_grad_()
    (g,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    g.pow(2).sum().backward()
torch.special.ndtr(torch.randn(3, requires_grad=True)).sum().backward()
