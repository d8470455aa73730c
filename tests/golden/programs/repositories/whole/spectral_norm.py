import torch
from torch.nn import Parameter
from torch.nn.functional import normalize
class SpectralNorm(object):
    def __init__(self, name='weight'): self.name = name
    def compute_weight(self, module):
        w = getattr(module, self.name + '_orig'); u = getattr(module, self.name + '_u')
        v = normalize(torch.mv(w.t(), u), dim=0); u = normalize(torch.mv(w, v), dim=0)
        return w / torch.dot(u, torch.mv(w, v)), u
    @staticmethod
    def apply(module, name):
        fn = SpectralNorm(name)
        w = module._parameters[name]
        u = normalize(torch.ones(w.size(0)), dim=0)
        delattr(module, fn.name)
        module.register_parameter(fn.name + '_orig', w)
        setattr(module, fn.name, w.data)
        module.register_buffer(fn.name + '_u', u)
        module.register_forward_pre_hook(fn)
        return fn
    def __call__(self, module, inputs):
        w, u = self.compute_weight(module)
        setattr(module, self.name, w); setattr(module, self.name + '_u', u.detach())
torch.manual_seed(0)
l = torch.nn.Linear(2, 2); SpectralNorm.apply(l, 'weight')
l(torch.ones(1, 2)).sum().backward(); print(l.weight_orig.grad, l.weight)
