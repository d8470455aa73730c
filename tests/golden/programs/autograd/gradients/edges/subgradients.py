import torch
import torch.nn.functional as F
def sub(f, *v):
    t = torch.tensor(v, requires_grad=True)
    out = f(t)
    g, = torch.autograd.grad(out.sum(), t, create_graph=True)
    print([round(e, 4) for e in g.tolist()], g.requires_grad, g.grad_fn is not None and g.grad_fn.name())
sub(F.relu, 0., 1.); sub(torch.abs, 0., -1.); sub(F.relu6, 0., 6., 3.); sub(F.hardtanh, -1., 1., 0.)
sub(F.leaky_relu, 0., -1.); sub(F.elu, 0., -1.); sub(F.selu, 0., 1.); sub(F.celu, 0., -1.)
sub(F.hardsigmoid, 3., -3., 0.); sub(F.hardswish, 3., -3., 0.); sub(F.softshrink, 0.5, 1.); sub(F.hardshrink, 0.5, 1.)
sub(F.threshold, 1., 2.) if False else sub(lambda t: F.threshold(t, 1., 0.), 1., 2.)
sub(torch.sign, 0., 1.); sub(torch.floor, 0.5, 1.); sub(torch.trunc, 0.5); sub(torch.frac, 0.5)
sub(lambda t: t.clamp(0, 1), 0., 1., 2.); sub(lambda t: t.clamp(min=0), 0., -1.); sub(lambda t: t.clamp_max(1), 1., 2.)
sub(lambda t: torch.max(t, torch.zeros(2)), 0., 1.); sub(lambda t: torch.minimum(t, torch.zeros(2)), 0., 1.)
sub(lambda t: t.max(), 1., 1., 0.); sub(lambda t: t.max(0)[0], 1., 1., 0.); sub(lambda t: t.amax(), 1., 1., 0.)
sub(lambda t: t.norm(), 3., 4.); sub(lambda t: t.norm(1), 0., 4.); sub(lambda t: t.norm(float("inf")), 4., 4.)
sub(lambda t: F.l1_loss(t, torch.zeros(2)), 0., 1.); sub(lambda t: F.smooth_l1_loss(t, torch.zeros(2)), 1., 0.5); sub(lambda t: F.huber_loss(t, torch.zeros(2)), 1., 2.)
sub(torch.sqrt, 0., 1.); sub(lambda t: t.pow(1.5), 0., 1.); sub(lambda t: t.pow(0.), 0., 1.); sub(torch.logsigmoid if hasattr(torch, "logsigmoid") else F.logsigmoid, 0., 1.)
